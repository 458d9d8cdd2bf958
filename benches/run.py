"""Runs all benchmarks, one after the other, at full size.

python benches/run.py            about an hour
python benches/run.py --quick    smaller sizes, some minutes; to see that everything runs
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

FULL = {
    "bench_store.py": ["--preload", "10000000"],
    "bench_viewport.py": [],
    "bench_import.py": ["--big-file", "4"],
    "bench_verify.py": [],
    "bench_gc.py": [],
    "bench_windows.py": [],
    "bench_recount.py": [],
    "bench_tokens.py": [],
    "bench_tokens_hostile.py": [],
    "bench_search_scan.py": [],
    "bench_search_index.py": [],
    "bench_retrieval.py": [],
    "bench_pack.py": [],
    "bench_projection_quality.py": [],
    "bench_projection.py": [],
}
QUICK = {
    "bench_store.py": ["--items", "50000", "--singles", "300"],
    "bench_viewport.py": ["--small", "50000", "--large", "200000"],
    "bench_import.py": ["--gigabytes", "0.02", "--big-file", "0.02"],
    "bench_verify.py": ["--items", "50000"],
    "bench_gc.py": ["--items", "50000"],
    "bench_windows.py": ["--items", "50000"],
    "bench_recount.py": ["--items", "50000", "--peer-items", "50000"],
    "bench_tokens.py": ["--megabytes", "2", "--classes", "mix"],
    "bench_tokens_hostile.py": [],
    "bench_search_index.py": ["--items", "50000"],
    "bench_search_scan.py": ["--items", "50000", "--viewport", "50000"],
    "bench_retrieval.py": [],
    "bench_pack.py": ["--items", "50000", "--solver-items", "500"],
    "bench_projection_quality.py": [],
    "bench_projection.py": ["--items", "20000"],
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    chosen = QUICK if parser.parse_args().quick else FULL
    here = Path(__file__).resolve().parent
    ended = [subprocess.run([sys.executable, here / b, *o]).returncode for b, o in chosen.items()]
    return max(ended)


if __name__ == "__main__":
    sys.exit(main())
