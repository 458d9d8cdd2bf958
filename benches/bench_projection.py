"""Projection: a fate for every item of a long window, of 160 bytes each.

    python benches/bench_projection.py                a window of 100,000 items
    python benches/bench_projection.py --items 20000

Cached: all that is kept (counts, what items refer to) is there, as it is from the second time on.
Uncached: counts and relations were taken away, so that all texts are read. `read` is the outline
alone, and so what no projection can be faster than. The archive is built once and kept in the work
folder.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from shutil import rmtree
from typing import Any

import vox_windows
from bench_viewport import vox_archive
from harness import Row, anonymous_bytes, find, main, table

TIMES = 7
"""How often each is measured; the median counts."""

BUDGETS = {"8k": 8_000, "128k": 128_000, "900k": 900_000}
MODEL = "gpt-4o"
"""A model whose tokenizer ships."""

KEPT = ("counts", "relations")
"""Folders of an archive that hold what can be made again."""


def cached(*, items: int, budget: int) -> Row:
    """A contestant: all that is kept is there."""
    archive, window = opened(items)
    profile = the_profile()
    archive.project(window, profile, budget=budget)
    projection: list[Any] = []

    def project() -> None:
        projection[:] = [archive.project(window, profile, budget=budget)]

    row = {"items": items, "budget": budget, "ms": median_ms(project)}
    (last,) = projection
    fates = {f"{fate}_items": count for fate, count in last.fates().items()}
    memory = round(anonymous_bytes() / 1e6, 1)
    return row | fates | {"used_tokens": last.used, "anonymous_mb": memory}


def uncached(*, items: int) -> Row:
    """A contestant: nothing is kept."""
    path, _ = vox_archive(items, rebuild=False)
    for folder in KEPT:
        rmtree(path / folder, ignore_errors=True)
    archive, window = opened(items)
    profile = the_profile()
    # The tokenizer is loaded first, as it is by whatever counted before.
    profile.cap(["text"])
    start = time.perf_counter()
    archive.project(window, profile, budget=BUDGETS["128k"])
    return {"items": items, "ms": round((time.perf_counter() - start) * 1e3, 1)}


def read(*, items: int) -> Row:
    """A contestant: the outline alone."""
    archive, window = opened(items)
    from vox.archive.projecting import outline_of

    def look() -> None:
        outline_of(archive._native, window.number)

    look()
    return {"items": items, "ms": median_ms(look)}


def opened(items: int) -> tuple[Any, Any]:
    """The archive and its window."""
    path, _ = vox_archive(items, rebuild=False)
    archive = vox_windows.the_module().open(path)
    return archive, archive.window(vox_windows.KEY)


def the_profile() -> Any:
    """The model of all contestants."""
    from vox.models import ModelProfile

    return ModelProfile(MODEL, 1_000_000)


def median_ms(action: Callable[[], Any]) -> float:
    """The median of some runs."""
    times = []
    for _ in range(TIMES):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return round(sorted(times)[TIMES // 2] * 1e3, 1)


CONTESTANTS: dict[str, Callable[..., Row]] = {"vox outline": read, "vox uncached 128k": uncached}
for NAME, BUDGET in BUDGETS.items():
    CONTESTANTS[f"vox cached {NAME}"] = partial(cached, budget=BUDGET)


def report(rows: list[Row], options: argparse.Namespace) -> None:
    """Figures beside their targets."""
    target = "<= 150" if options.items == 100_000 else ""
    lines = [
        (f"cached, {name}, ms", figure(rows, f"vox cached {name}"), target) for name in BUDGETS
    ]
    lines.append(("uncached, 128k, ms", figure(rows, "vox uncached 128k"), ""))
    lines.append(("the outline alone, ms", figure(rows, "vox outline"), ""))
    table(f"A window of {options.items:,} items", lines)


def figure(rows: list[Row], contestant: str) -> float | None:
    """Milliseconds of a contestant, if it ran."""
    row = find(rows, contestant)
    return None if row is None else float(row["ms"])


if __name__ == "__main__":
    PARSER = argparse.ArgumentParser(description=__doc__)
    PARSER.add_argument("--items", type=int, default=100_000)
    sys.exit(main("projection", CONTESTANTS, PARSER, report))
