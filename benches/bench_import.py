"""Import: transcripts of Claude Code and Codex into a new archive, by the command `vox import`.

    python benches/bench_import.py                       the examples, scaled to 1 GB
    python benches/bench_import.py --data DIR            other transcripts, scaled to 1 GB
    python benches/bench_import.py --big-file 4          also one file of 4 GB

Sources are in the page cache (as far as it reaches) and the archive is new. The second import finds
everything unchanged.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from harness import (
    NotHereError,
    Row,
    anonymous_bytes,
    disk_bytes,
    find,
    main,
    table,
    work_folder,
)
from transcripts import TOOLS, one_file, scale

EXAMPLES = Path(__file__).resolve().parent.parent / "tests" / "data"
SOURCES = {"claude_code": "claude-code", "codex": "codex"}
SAMPLE_SECONDS = 0.01

PARTIAL = 26
"""Exit status of an import that had to leave out files; the examples have such files."""


def run_import(arguments: list[str], home: Path) -> Row:
    """Runs `vox import` with its archive in `home`: seconds, most anonymous memory, its report."""
    command = [sys.executable, "-m", "vox", "import", "--json", *arguments]
    environment = {**os.environ, "VOX_HOME": str(home)}
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
    most = [0]
    watcher = threading.Thread(target=watch, args=(process, most))
    watcher.start()
    output, _ = process.communicate()
    seconds = time.perf_counter() - start
    watcher.join()
    if process.returncode not in {0, PARTIAL}:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return {"seconds": seconds, "anonymous": most[0], "report": json.loads(output)}


def watch(process: subprocess.Popen[bytes], most: list[int]) -> None:
    """Notes the most anonymous memory of a process until it ends."""
    while process.poll() is None:
        try:
            most[0] = max(most[0], anonymous_bytes(process.pid))
        except FileNotFoundError:
            return
        time.sleep(SAMPLE_SECONDS)


def scaled(*, data: Path, gigabytes: float, **_: Any) -> Row:
    """A contestant: many files."""
    need_vox()
    out = place_of(data, f"{gigabytes:g}-gb")
    total = made(out, lambda: scale(data, int(gigabytes * 1e9), out))
    warm(out)
    home = empty(work_folder() / "import-home")
    tools = [tool for tool in TOOLS if (out / tool).exists()]
    runs = [run_import([SOURCES[tool], "--root", str(out / tool)], home) for tool in tools]
    again = [run_import([SOURCES[tool], "--root", str(out / tool)], home) for tool in tools]
    return figures(total, runs, again, home)


def big_file(*, data: Path, big_file: float, **_: Any) -> Row:
    """A contestant: one file."""
    if not big_file:
        raise NotHereError("no --big-file")
    need_vox()
    out = place_of(data, f"one-{big_file:g}-gb") / "claude_code" / "project"
    total = made(out, lambda: one_file(data, int(big_file * 1e9), out))
    warm(out)
    home = empty(work_folder() / "import-home")
    root = ["claude-code", "--root", str(out.parent)]
    return figures(total, [run_import(root, home)], [run_import(root, home)], home)


def figures(total: int, runs: list[Row], again: list[Row], home: Path) -> Row:
    """Rate, memory and sizes of a first and a second import."""
    seconds = sum(run["seconds"] for run in runs)
    return {
        "source_bytes": total,
        "seconds": round(seconds, 2),
        "mb_s": round(total / seconds / 1e6, 1),
        "anonymous_mb": round(max(run["anonymous"] for run in runs) / 1e6, 1),
        "archive_bytes": disk_bytes(home),
        "archive_share": round(disk_bytes(home) / total, 4),
        **parts_of(home),
        "again_seconds": round(sum(run["seconds"] for run in again), 2),
        "reports": [run["report"] for run in runs],
    }


def parts_of(home: Path) -> Row:
    """Bytes of the archive's content (blobs and their index) and of what else is kept of sources,
    the share of items and that in the source bytes, and the spine's bytes for each item."""
    import vox

    with vox.open(home / "archive", read_only=True) as archive:
        stats = archive.stats()
    spine = stats["spine_bytes"] / stats["items"]
    kept = stats["kept"].values()
    source = sum(tool["source_bytes"] for tool in kept) or 1
    taken = sum(tool["item_bytes"] + tool["run_bytes"] for tool in kept)
    return {
        "content_bytes": stats["content_bytes"],
        "custody_bytes": stats["custody_bytes"],
        "kept_share": round(taken / source, 4),
        "spine_bytes_item": round(spine, 1),
    }


def place_of(data: Path, name: str) -> Path:
    """Where what is made out of some transcripts is kept."""
    digest = hashlib.sha256(str(data.resolve()).encode()).hexdigest()
    return work_folder() / "transcripts" / digest[:8] / name


def made(out: Path, make: Callable[[], int]) -> int:
    """Bytes of the transcripts in a folder, made now unless they are there."""
    done = out.parent / f"{out.name}.bytes"
    if not done.exists():
        done.parent.mkdir(parents=True, exist_ok=True)
        done.write_text(str(make()))
    return int(done.read_text())


def warm(folder: Path) -> None:
    """Reads all files once, so that the disk isn't measured."""
    for file in folder.rglob("*.*"):
        if file.is_file():
            with file.open("rb") as opened:
                while opened.read(1 << 24):
                    pass


def empty(folder: Path) -> Path:
    """A folder with nothing in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def need_vox() -> None:
    """Leaves the contestant out unless vox is installed."""
    if find_spec("vox") is None:
        raise NotHereError("vox is not installed")


CONTESTANTS: dict[str, Callable[..., Row]] = {"many files": scaled, "one big file": big_file}


def report(rows: list[Row], options: argparse.Namespace) -> None:
    """Figures beside their targets."""
    many, one = find(rows, "many files"), find(rows, "one big file")
    lines: list[tuple[str, float | None, str]] = []
    for name, row in (("many files", many), ("one big file", one)):
        if row:
            rate = ">= 100" if row is many else ""
            lines += [
                (f"{name}: MB/s", row["mb_s"], rate),
                (f"{name}: most anonymous memory, MB", row["anonymous_mb"], "<= 300"),
                (f"{name}: archive over source, bytes", row["archive_share"], ""),
                (f"{name}: items and raw runs over source, bytes", row["kept_share"], "<= 0.15"),
                (f"{name}: spine, bytes per item", row["spine_bytes_item"], ""),
                (f"{name}: second import, seconds", row["again_seconds"], ""),
            ]
    table("Import", lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--data", type=Path, default=EXAMPLES, help="folder with claude_code, codex"
    )
    parser.add_argument("--gigabytes", type=float, default=1.0, help="size of the scaled examples")
    parser.add_argument("--big-file", type=float, default=0, help="gigabytes of the one big file")
    sys.exit(main("import", CONTESTANTS, parser, report))
