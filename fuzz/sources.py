"""Mutates example transcripts and reads them: `python fuzz/sources.py [seconds] [seed]`.

Whatever stands in a transcript, an adapter gives a batch, and the core takes it: nothing is raised,
no record is lost. What breaks that is printed with the seed that makes it again.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.sources import mutations


def main(seconds: float, seed: int) -> int:
    """Fuzzes each source for its share of the time; gives how many inputs broke something."""
    broken = 0
    for tool in mutations.TOOLS:
        end = time.monotonic() + seconds / len(mutations.TOOLS)
        rounds = 0
        with tempfile.TemporaryDirectory(prefix="vox-fuzz-") as folder:
            while time.monotonic() < end:
                place = Path(folder) / str(rounds)
                place.mkdir()
                try:
                    mutations.check(tool, seed + rounds, place)
                except Exception as error:  # noqa: BLE001  any is a finding
                    broken += 1
                    print(f"{tool}, seed {seed + rounds}: {type(error).__name__}: {error}")
                rounds += 1
        print(f"{tool}: {rounds} transcripts", flush=True)
    return broken


if __name__ == "__main__":
    arguments = sys.argv[1:]
    length = float(arguments[0]) if arguments else 60.0
    first = int(arguments[1]) if len(arguments) > 1 else 0
    sys.exit(min(main(length, first), 1))
