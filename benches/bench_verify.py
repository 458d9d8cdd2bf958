"""Verify: checking a whole archive, against nothing but reading and hashing the same contents.

    python benches/bench_verify.py                       a window of 1 M items
    python benches/bench_verify.py --items 10000000

`verify` reads pages, follows every reference, decompresses and hashes every content and compares
what was counted. Beside it the contents alone are read, decompressed and hashed by the same core,
on all cores, in the order in which they stand.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import vox_windows
from bench_viewport import vox_archive
from harness import Row, anonymous_bytes, find, main, ratio, table
from harness import timed as seconds_of

STEP = 10_000


def verify(*, items: int) -> Row:
    """A contestant: the whole check."""
    vox = vox_windows.the_module()
    archive = vox.open(vox_archive(items, rebuild=False)[0])
    read_once(archive.path)
    start = time.perf_counter()
    report = archive.verify()
    seconds = time.perf_counter() - start
    assert report.ok, report.verdict
    return figures(items, archive.stats()["raw_bytes"], seconds)


def read_and_hash(*, items: int) -> Row:
    """A contestant: the contents, read and hashed."""
    vox = vox_windows.the_module()
    path, _ = vox_archive(items, rebuild=False)
    archive = vox.open(path)
    read_once(archive.path)
    window = archive.window(vox_windows.KEY)
    hashes: list[bytes] = []
    for start in range(0, items, STEP):
        page = window.items(start, STEP, preview=False, hashes=True, records=True)
        hashes += [row["content_hash"] for row in page.to_pylist()]
    store = vox.ContentStore(path)
    seconds = 0.0
    for start in range(0, items, STEP):
        part = hashes[start : start + STEP]
        seconds += seconds_of(lambda part=part: vox.hash_many(store.get_many(part)))
    return figures(items, archive.stats()["raw_bytes"], seconds)


def read_once(path: Path) -> None:
    """Brings the archive into the page cache, so that the disk isn't measured."""
    for file in path.rglob("data.mdb"):
        with file.open("rb") as data:
            while data.read(1 << 20):
                pass


def figures(items: int, raw_bytes: int, seconds: float) -> Row:
    """What a contestant came to."""
    return {
        "items": items,
        "seconds": round(seconds, 2),
        "mb_s": round(raw_bytes / 1e6 / seconds, 1),
        "anonymous_mb": round(anonymous_bytes() / 1e6, 1),
    }


def report(rows: list[Row], options: argparse.Namespace) -> None:
    """Shows the ratio beside its target."""
    share = ratio(find(rows, "verify"), find(rows, "read_and_hash"), "mb_s")
    table(f"verify, {options.items:,} items", [("speed over reading and hashing", share, ">= 0.7")])


def options() -> argparse.ArgumentParser:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    return parser


CONTESTANTS: dict[str, Any] = {"verify": verify, "read_and_hash": read_and_hash}

if __name__ == "__main__":
    raise SystemExit(main("verify", CONTESTANTS, options(), report))
