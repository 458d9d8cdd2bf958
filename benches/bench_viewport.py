"""Viewport: a hundred items at a random place of a very long window, against SQLite.

    python benches/bench_viewport.py                     windows of 1 M and 10 M items
    python benches/bench_viewport.py --small 100000 --large 1000000

Both give the same columns for the same items: place, role, kind, time, bytes, tokens, name, and the
preview or not. Archives are built once and kept in the work folder; `--rebuild` makes them again.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import Any

import sqlite_windows
import vox_windows
import window_items
from harness import (
    Row,
    anonymous_bytes,
    disk_bytes,
    find,
    main,
    percentiles_us,
    ratio,
    table,
    timed,
    work_folder,
)

COUNT, LOOKS, OPENINGS = 100, 3_000, 15

Look = Callable[[int], Any]
"""Shows a viewport at a place."""


def vox_archive(size: int, *, rebuild: bool) -> tuple[Path, Row]:
    """An archive with one window of `size` items, and how it was built if it wasn't there."""
    return built(
        "vox", size, lambda path: vox_windows.build(path, window_items.items(size)), rebuild
    )


def sqlite_database(size: int, *, rebuild: bool) -> tuple[Path, Row]:
    """The same items as rows of SQLite."""

    def build(path: Path) -> None:
        numbered = enumerate(window_items.items(size))
        sqlite_windows.build(path, (row(place, item) for place, item in numbered))

    return built("sqlite", size, build, rebuild)


def row(place: int, item: window_items.Item) -> tuple[object, ...]:
    """An item as a row of SQLite."""
    text = item.text
    preview = window_items.preview(text)
    head = (1, place, item.role, item.kind, item.created_at)
    return (*head, len(text), item.tokens, item.name, preview)


def built(name: str, size: int, build: Callable[[Path], None], rebuild: bool) -> tuple[Path, Row]:
    """The store of a contestant, made now unless it is there."""
    if name == "vox":
        vox_windows.the_module()
    path = work_folder() / f"window-{size}.{name}"
    done = path.with_suffix(f".{name}.done")
    if done.exists() and not rebuild:
        return path, {}
    for old in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        rmtree(old) if old.is_dir() else old.unlink(missing_ok=True)
    seconds = timed(lambda: build(path))
    done.touch()
    return path, {"build_items_s": round(size / seconds)}


def looks(look: Look, size: int, *, seed: int) -> Row:
    """Latencies at random places, and the most anonymous memory meanwhile."""
    rng = random.Random(seed)
    latencies, most = [], 0
    for number in range(LOOKS):
        place = rng.randrange(size - COUNT)
        start = time.perf_counter_ns()
        look(place)
        latencies.append(time.perf_counter_ns() - start)
        if number % 100 == 0:
            most = max(most, anonymous_bytes())
    return percentiles_us(latencies) | {"anonymous_mb": round(most / 1e6, 1)}


def in_vox(*, which: str, preview: bool, rebuild: bool, **sizes: Any) -> Row:
    """A contestant: vox."""
    size = sizes[which]
    path, building = vox_archive(size, rebuild=rebuild and not preview)
    window = vox_windows.the_window(path)
    look = partial(vox_windows.viewport, window, count=COUNT, preview=preview)
    warm(lambda place: look(place), size)
    figures = looks(lambda place: look(place), size, seed=9)
    spine = vox_windows.spine_bytes(path)
    sizes_of = {"disk_bytes": disk_bytes(path), "spine_bytes_item": round(spine / size, 1)}
    return {"items": size, **building, **figures, **sizes_of}


def in_sqlite(*, which: str, preview: bool, rebuild: bool, **sizes: Any) -> Row:
    """A contestant: SQLite."""
    size = sizes[which]
    path, building = sqlite_database(size, rebuild=rebuild and not preview)
    db = sqlite_windows.connect(path)

    def look(place: int) -> Any:
        return sqlite_windows.viewport(db, 1, place, COUNT, preview=preview)

    warm(look, size)
    return {"items": size, **building, **looks(look, size, seed=9), "disk_bytes": disk_bytes(path)}


def warm(look: Look, size: int) -> None:
    """Brings the store into the page cache, so that the disk isn't measured."""
    for place in range(0, size - COUNT, max(COUNT, size // 20_000)):
        look(place)


OPEN_VOX = """
import sys, time; sys.path.insert(0, {here!r}); import vox_windows; from pathlib import Path
vox_windows.the_module(); path = Path({path!r}); start = time.perf_counter()
vox_windows.viewport(vox_windows.the_window(path), {place}, {count}, preview=True)
print((time.perf_counter() - start) * 1e3)
"""

OPEN_SQLITE = """
import sys, time; sys.path.insert(0, {here!r}); import sqlite_windows; from pathlib import Path
path = Path({path!r}); start = time.perf_counter()
sqlite_windows.viewport(sqlite_windows.connect(path), 1, {place}, {count}, preview=True)
print((time.perf_counter() - start) * 1e3)
"""


def opening(program: str, make: Callable[..., tuple[Path, Row]]) -> Callable[..., Row]:
    """A contestant: open and first viewport in a fresh process, imports aside."""

    def run(*, which: str, **sizes: Any) -> Row:
        size = sizes[which]
        path, _ = make(size, rebuild=False)
        here = str(Path(__file__).parent)
        times = []
        for number in range(OPENINGS):
            place = (number * 7919 * 1009) % (size - COUNT)
            text = program.format(here=here, path=str(path), place=place, count=COUNT)
            done = subprocess.run(
                [sys.executable, "-c", text], capture_output=True, text=True, check=True
            )
            times.append(float(done.stdout))
        times.sort()
        return {"items": size, "open_ms": round(times[len(times) // 2], 3)}

    return run


CONTESTANTS: dict[str, Callable[..., Row]] = {}
for SIZE in ("small", "large"):
    for NAME, FUNCTION in (("vox", in_vox), ("sqlite", in_sqlite)):
        CONTESTANTS[f"{NAME} metadata {SIZE}"] = partial(FUNCTION, which=SIZE, preview=False)
        CONTESTANTS[f"{NAME} preview {SIZE}"] = partial(FUNCTION, which=SIZE, preview=True)
    CONTESTANTS[f"vox open {SIZE}"] = partial(opening(OPEN_VOX, vox_archive), which=SIZE)
    CONTESTANTS[f"sqlite open {SIZE}"] = partial(opening(OPEN_SQLITE, sqlite_database), which=SIZE)


def report(rows: list[Row], options: argparse.Namespace) -> None:
    """Figures beside their targets."""
    lines = []
    for size in ("small", "large"):
        items = getattr(options, size)
        metadata, preview = find(rows, f"vox metadata {size}"), find(rows, f"vox preview {size}")
        theirs = find(rows, f"sqlite preview {size}")
        bare = find(rows, f"sqlite metadata {size}")
        lines += [
            (f"{items:,}: metadata p50, µs", figure(metadata, "p50_us"), "<= 15"),
            (f"{items:,}: metadata, times faster than SQLite", ratio(bare, metadata, "p50_us"), ""),
            (
                f"{items:,}: preview, times faster than SQLite",
                ratio(theirs, preview, "p50_us"),
                ">= 5",
            ),
            (
                f"{items:,}: open and first viewport, ms",
                figure(find(rows, f"vox open {size}"), "open_ms"),
                "<= 2",
            ),
            (f"{items:,}: anonymous memory, MB", figure(preview, "anonymous_mb"), "<= 150"),
            (f"{items:,}: spine, bytes per item", figure(preview, "spine_bytes_item"), ""),
        ]
    for kind in ("metadata", "preview"):
        small, large = find(rows, f"vox {kind} small"), find(rows, f"vox {kind} large")
        lines.append((f"{kind} p99, large over small", ratio(large, small, "p99_us"), "<= 1.5"))
    table(f"Viewport of {COUNT} items at a random place", lines)


def figure(row: Row | None, name: str) -> float | None:
    """A figure of a row, if the contestant ran."""
    return row[name] if row else None


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", type=int, default=1_000_000, help="items of the smaller window")
    parser.add_argument("--large", type=int, default=10_000_000, help="items of the larger window")
    parser.add_argument("--rebuild", action="store_true", help="build archives anew")
    sys.exit(main("viewport", CONTESTANTS, parser, report))
