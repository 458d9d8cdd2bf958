"""What every benchmark shares: fresh processes, memory, percentiles, and how results are shown.

A benchmark names its contestants as functions. Each runs in a process of its own, so that no
contestant pays for, or profits from, the memory and caches of another, and prints one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]
"""One result: `bench`, `contestant`, and figures with their unit at the end of the name."""

Contestant = Callable[..., Row]


def work_folder() -> Path:
    """Where corpora and stores are kept: `VOX_BENCH`, or a folder in the system's temporary one."""
    default = Path(tempfile.gettempdir()) / "vox-bench"
    folder = Path(os.environ.get("VOX_BENCH", default))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def anonymous_bytes(pid: int | str = "self") -> int:
    """Anonymous resident memory of a process (RssAnon: the mapped archive doesn't count)."""
    return _status(pid, "RssAnon:")


def _status(pid: int | str, field: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    return 0


def disk_bytes(path: Path) -> int:
    """Bytes that a file, or all files below a folder, take on disk (holes don't count)."""
    files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    return sum(file.stat().st_blocks * 512 for file in files)


def percentiles_us(nanoseconds: Iterable[int]) -> Row:
    """Median and 99th percentile of latencies, in microseconds."""
    ordered = sorted(nanoseconds)
    last = len(ordered) - 1
    return {
        "p50_us": round(ordered[last // 2] / 1e3, 2),
        "p99_us": round(ordered[int(last * 0.99)] / 1e3, 2),
    }


def timed(action: Callable[[], Any]) -> float:
    """Seconds that an action takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def main(
    bench: str,
    contestants: Mapping[str, Contestant],
    parser: argparse.ArgumentParser,
    report: Callable[[list[Row], argparse.Namespace], None],
    patience: float | None = None,
) -> int:
    """Runs each contestant of a benchmark in a fresh process, then reports on all of them.

    The exit status is 1 if a contestant failed; a missed target is no failure.

    `--only a,b` picks contestants. A contestant gets the parsed options as keywords; it may raise
    `NotHereError` to be left out. With `patience`, seconds, a peer that crashes or takes longer is
    left out too. Results go to standard output, one line of JSON each, and into
    `results/<bench>.jsonl` below the work folder.
    """
    parser.add_argument("--only", help="contestants to run, separated by commas")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    keywords = {k: v for k, v in vars(options).items() if k not in {"only", "child"}}
    if options.child:
        try:
            row = contestants[options.child](**keywords)
        except NotHereError as reason:
            row = {"left_out": str(reason)}
        print(json.dumps({"bench": bench, "contestant": options.child, **row}))
        return 0
    names = options.only.split(",") if options.only else list(contestants)
    rows: list[Row] = []
    results = work_folder() / "results"
    results.mkdir(exist_ok=True)
    with (results / f"{bench}.jsonl").open("a") as log:
        for name in names:
            row = _in_fresh_process(name, patience)
            print(json.dumps(row), flush=True)
            log.write(json.dumps({"at": int(time.time()), **row}) + "\n")
            rows.append(row)
    report([row for row in rows if "left_out" not in row and "failed" not in row], options)
    return int(any("failed" in row for row in rows))


class NotHereError(Exception):
    """A contestant can't run on this machine or with these options."""


def _in_fresh_process(name: str, patience: float | None) -> Row:
    command = [sys.executable, *sys.argv, "--child", name]
    ours = patience is None or name.startswith("vox")
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, timeout=None if ours else patience
        )
    except subprocess.TimeoutExpired:
        return {"contestant": name, "left_out": f"it took more than {patience:g} seconds"}
    if done.returncode or not done.stdout.strip():
        how = "failed" if ours else "left_out"
        return {"contestant": name, how: done.returncode}
    row: Row = json.loads(done.stdout.strip().splitlines()[-1])
    return row


def find(rows: Sequence[Row], contestant: str) -> Row | None:
    """The row of a contestant, if it ran."""
    return next((row for row in rows if row["contestant"] == contestant), None)


def ratio(ours: Row | None, theirs: Row | None, figure: str) -> float | None:
    """Our figure over theirs; None unless both are there."""
    if ours is None or theirs is None or not ours.get(figure) or not theirs.get(figure):
        return None
    return round(float(ours[figure]) / float(theirs[figure]), 2)


def table(title: str, lines: Sequence[tuple[str, float | None, str]]) -> None:
    """Shows ratios beside their targets; lines whose contestants didn't run are left out."""
    shown = [(label, value, target) for label, value, target in lines if value is not None]
    if not shown:
        return
    width = max(len(label) for label, _, _ in shown)
    print(f"\n{title}", file=sys.stderr)
    for label, value, target in shown:
        print(
            f"  {label:<{width}}  {value:>10.2f}  {verdict(value, target):<4} {target}",
            file=sys.stderr,
        )


def verdict(value: float, target: str) -> str:
    """ok or MISS for a target such as `>= 8` or `<= 1.10`; empty for none."""
    if not target:
        return ""
    sign, bound = target.split()[:2]
    met = value >= float(bound) if sign == ">=" else value <= float(bound)
    return "ok" if met else "MISS"
