"""Window operations: forking a very long window, and trimming many items by a filter.

    python benches/bench_windows.py                      a window of 1 M items
    python benches/bench_windows.py --items 100000

All are durable on return, on a copy of the archive of the viewport benchmark. A fork sums up what
it shares from whichever end is nearer, so that the middle is the worst place. The filter looks at
every item; what it finds stands apart from each other, so that each is a range of its own. Beside
them a write that changes one row shows what a commit takes on this disk.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import vox_windows
from bench_viewport import vox_archive
from harness import Row, anonymous_bytes, find, main, table, timed, work_folder

ROUNDS = 15
PART = 0.88
"""The filter reaches so far into the window: 100,000 tool results of one tool out of 1 M items."""


@contextmanager
def a_copy(items: int) -> Iterator[Any]:
    """The long window in an archive that goes away again."""
    path, _ = vox_archive(items, rebuild=False)
    with tempfile.TemporaryDirectory(dir=work_folder()) as folder:
        shutil.copytree(path, Path(folder) / "archive")
        yield vox_windows.the_window(Path(folder) / "archive")


def median_ms(action: Callable[[], Any], *, after: Callable[[], Any] = lambda: None) -> float:
    """The median of some rounds, the first of which only warms up."""
    times = []
    for _ in range(ROUNDS):
        times.append(timed(action))
        after()
    return round(sorted(times[1:])[(ROUNDS - 1) // 2] * 1e3, 2)


def commit(*, items: int) -> Row:
    """A contestant: the smallest durable write."""
    with a_copy(items) as window:
        return {"items": items, "ms": median_ms(window.pin, after=window.unpin)}


def fork(*, items: int, place: float) -> Row:
    """A contestant: a fork at a part of the window."""
    at = min(int(items * place), items - 1)
    with a_copy(items) as window:
        before = anonymous_bytes()
        took = median_ms(lambda: window.fork(at))
        grown = max(0, anonymous_bytes() - before)
        return {"items": items, "ms": took, "anonymous_mb": round(grown / 1e6, 1)}


def marking(*, items: int, restoring: bool) -> Row:
    """A contestant: trimming by a filter, or taking it back."""
    with a_copy(items) as window:
        until = window.items(int(items * PART), 1, preview=False).column("created_at")[0]
        wanted: dict[str, Any] = {"kinds": ["tool_result"], "names": ["Bash"], "until": until}
        trim, restore = partial(window.trim, **wanted), partial(window.restore, **wanted)
        count = trim().items
        if restoring:
            took = median_ms(restore, after=trim)
        else:
            restore()
            took = median_ms(trim, after=restore)
        return {"items": items, "marked": count, "ms": took}


CONTESTANTS: dict[str, Callable[..., Row]] = {
    "commit": commit,
    "fork at the end": partial(fork, place=1.0),
    "fork in the middle": partial(fork, place=0.5),
    "trim by filter": partial(marking, restoring=False),
    "restore by filter": partial(marking, restoring=True),
}


def report(rows: list[Row], options: argparse.Namespace) -> None:
    """Figures beside their targets."""
    lines = []
    for name in CONTESTANTS:
        row = find(rows, name)
        target = "" if name == "commit" else "<= 5" if name.startswith("fork") else "<= 200"
        label = f"{name} of {row['marked']:,}" if row and "marked" in row else name
        lines.append((f"{label}, ms", row["ms"] if row else None, target))
    table(f"Operations on a window of {options.items:,} items", lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000, help="items of the window")
    sys.exit(main("windows", CONTESTANTS, parser, report))
