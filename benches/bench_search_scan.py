"""Searching without an index: texts read where they stand, against SQLite, and viewports of hits.

    python benches/bench_search_scan.py                    a million items
    python benches/bench_search_scan.py --items 50000

Every search is over the same items of real text (`corpus.py`). vox keeps them compressed, each
content once; SQLite keeps the raw text of each distinct one, in memory, and looks for it with LIKE
and with instr. Both give the numbers of the items they found, and these are compared. Rates count
the raw bytes of the distinct items. Archives are in the page cache.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import Any

import corpus
import vox_windows
import window_items
from harness import (
    NotHereError,
    Row,
    anonymous_bytes,
    main,
    percentiles_us,
    ratio,
    table,
    timed,
    work_folder,
)

RUNS, LOOKS, COUNT, STEP = 5, 2_000, 100, 5_000

SEARCHES = {
    "literal, nowhere": ("literal:zzqqxj", "%zzqqxj%"),
    "literal, rare": ("literal:getrusage", "%getrusage%"),
    "literal, common": ("literal:return", "%return%"),
    "word": ("getrusage", None),
    "regex with a literal": ("/getrus[a-z]+/", None),
    "regex without one": (r"/\b[0-9]{7}[a-f]{3}\b/", None),
}
"""What is looked for, in vox's words and in SQLite's."""


def texts(count: int) -> list[bytes]:
    """The distinct ones of `count` items."""
    return corpus.distinct(corpus.load(count))


def archive_of(items: int, *, rebuild: bool) -> Path:
    """An archive with the distinct items in windows of `STEP`; made unless it is there."""
    path = work_folder() / f"scan-{items}.vox"
    done = path.with_suffix(".done")
    if done.exists() and not rebuild:
        return path
    rmtree(path, ignore_errors=True)
    vox = vox_windows.the_module()
    from vox.archive import NewItem as new_item  # noqa: N813  only where vox is there
    from vox.sources.base import ItemKind, Role

    archive, all_texts = vox.open(path), texts(items)
    for start in range(0, len(all_texts), STEP):
        archive.append(
            f"bench:{start // STEP}",
            [
                new_item(
                    role=Role.TOOL,
                    kind=ItemKind.TOOL_RESULT,
                    created_at=window_items.START + start + place,
                    content=text,
                )
                for place, text in enumerate(all_texts[start : start + STEP])
            ],
        )
    done.touch()
    return path


def in_vox(*, search: str, items: int, rebuild: bool, **_: Any) -> Row:
    """A contestant: vox, reading the texts."""
    archive = vox_windows.the_module().open(archive_of(items, rebuild=rebuild))
    query = SEARCHES[search][0]
    hits = len(archive.search(query, index=False, limit=0))
    best = min(timed(lambda: archive.search(query, index=False, limit=0)) for _ in range(RUNS))
    size = sum(map(len, texts(items)))
    return {
        "hits": hits,
        "seconds": round(best, 4),
        "raw_mb_s": round(size / best / 1e6),
        "anonymous_mb": round(anonymous_bytes() / 1e6, 1),
    }


def in_sqlite(*, search: str, function: str, items: int, **_: Any) -> Row:
    """A contestant: SQLite over raw text in memory."""
    pattern = SEARCHES[search][1]
    if pattern is None:
        raise NotHereError("SQLite has no such search")
    db = sqlite3.connect(":memory:")
    db.execute("create table texts (text)")
    size = 0
    for text in texts(items):
        size += len(text)
        db.execute("insert into texts values (?)", (text.decode("utf-8", "replace"),))
    condition, value = {
        "like": ("text like ?", pattern),
        "instr": ("instr(text, ?) > 0", pattern.strip("%")),
    }[function]
    find = partial(db.execute, f"select rowid from texts where {condition}", (value,))
    hits = len(find().fetchall())
    best = min(timed(lambda: find().fetchall()) for _ in range(RUNS))
    return {"hits": hits, "seconds": round(best, 4), "raw_mb_s": round(size / best / 1e6)}


def viewport_of_hits(*, viewport: int, rebuild: bool, **_: Any) -> Row:
    """A contestant: a hundred of very many hits at a random place, in the order of time."""
    path = work_folder() / f"window-{viewport}.vox"
    if not path.with_suffix(".vox.done").exists() or rebuild:
        rmtree(path, ignore_errors=True)
        vox_windows.build(path, window_items.items(viewport))
        path.with_suffix(".vox.done").touch()
    archive = vox_windows.the_module().open(path)
    start = time.perf_counter()
    answer = archive.search("-zzqqxj", index=False, order="newest", limit=COUNT, snippet=None)
    found = time.perf_counter() - start
    rng, native = random.Random(9), answer._native
    latencies = []
    for _ in range(LOOKS):
        place = rng.randrange(len(answer) - COUNT)
        begun = time.perf_counter_ns()
        native.hits("newest", place, COUNT, None)
        latencies.append(time.perf_counter_ns() - begun)
    return {
        "hits": len(answer),
        "first_s": round(found, 3),
        "facets_ms": round(timed(answer.facets) * 1e3, 1),
        "anonymous_mb": round(anonymous_bytes() / 1e6, 1),
        **percentiles_us(latencies),
    }


CONTESTANTS: dict[str, Callable[..., Row]] = {
    **{f"vox {name}": partial(in_vox, search=name) for name in SEARCHES},
    **{
        f"sqlite {function} {name}": partial(in_sqlite, search=name, function=function)
        for name in ("literal, nowhere", "literal, rare", "literal, common")
        for function in ("like", "instr")
    },
    "vox viewport of hits": viewport_of_hits,
}


def report(rows: list[Row], options: argparse.Namespace) -> None:
    """Figures beside their targets."""
    found = {row["contestant"]: row for row in rows}
    lines: list[tuple[str, float | None, str]] = []
    for name in SEARCHES:
        ours = found.get(f"vox {name}")
        target = ">= 1" if name.startswith("literal") else ""
        rate = None if ours is None else ours["raw_mb_s"] / 1e3
        lines.append((f"{name}: GB/s of raw text", rate, target))
        for function, wanted in (("like", ">= 2"), ("instr", "")):
            theirs = found.get(f"sqlite {function} {name}")
            label = f"{name}: times faster than SQLite {function}"
            lines.append((label, ratio(ours, theirs, "raw_mb_s"), wanted))
    with_one, without = found.get("vox regex with a literal"), found.get("vox regex without one")
    lines.append(
        ("regex: with a literal over without", ratio(with_one, without, "raw_mb_s"), ">= 5")
    )
    viewport = found.get("vox viewport of hits")
    for figure in ("p50_us", "p99_us"):
        value = None if viewport is None else viewport[figure] / 1e3
        lines.append((f"{COUNT} of {options.viewport:,} hits: {figure[:3]}, ms", value, "<= 1"))
    table("Searching without an index", lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000, help="items of real text")
    parser.add_argument("--viewport", type=int, default=1_000_000, help="hits to look at")
    parser.add_argument("--rebuild", action="store_true", help="build archives anew")
    sys.exit(main("search_scan", CONTESTANTS, parser, report))
