"""Collecting: how fast content that nothing uses is found and removed.

    python benches/bench_gc.py                       1 M contents, every other one unused
    python benches/bench_gc.py --items 10000000

The archive has one window with half of the contents, and a service has released the other half.
"""

from __future__ import annotations

import argparse
import shutil
import time
from typing import Any

import vox_windows
import window_items
from harness import Row, anonymous_bytes, find, main, table, work_folder

STEP = 10_000


def collect(*, items: int) -> Row:
    """A contestant: mark and sweep."""
    vox = vox_windows.the_module()
    path = work_folder() / f"half-dead-{items}.vox"
    shutil.rmtree(path, ignore_errors=True)
    vox_windows.build(path, window_items.items(items // 2))
    store = vox.ContentStore(path)
    for start in range(0, items // 2, STEP):
        contents = [f"released {n} {'word ' * (n % 97)}" for n in range(start, start + STEP)]
        store.release_many(store.put_many(contents[: items // 2 - start]))
    archive = vox.open(path)
    before = anonymous_bytes()
    start = time.perf_counter()
    planned = archive.gc(now=True, dry_run=True)
    marked = time.perf_counter()
    report = archive.gc(now=True)
    end = time.perf_counter()
    assert report.removed == planned.removed == items // 2
    return {
        "items": report.items + report.removed,
        "removed": report.removed,
        "mark_seconds": round(marked - start, 2),
        "seconds": round(end - marked, 2),
        "items_per_second": round((report.items + report.removed) / (end - marked)),
        "memory_mb": round((anonymous_bytes() - before) / 1e6, 1),
    }


def report(rows: list[Row], options: argparse.Namespace) -> None:
    row: dict[str, Any] = find(rows, "collect") or {}
    rate = row.get("items_per_second")
    table(
        f"Collecting {options.items:,} items, half of them unused",
        [("thousand items examined per second", rate and rate / 1e3, ">= 500")],
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    raise SystemExit(main("gc", {"collect": collect}, parser, report))
