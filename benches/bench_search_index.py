"""Building and asking the search index, against tantivy as it comes and SQLite's FTS5.

    python benches/bench_search_index.py                    a million short items
    python benches/bench_search_index.py --items 50000

All index the same lines of real text (`corpus.py`), tantivy with positions. vox and tantivy run in
one process of Rust (`rust/vox-search/examples/index_speed.rs`), each with the same threads and
memory; vox once with words alone, which is what tantivy does, and once with all it keeps.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from functools import cache, partial
from pathlib import Path
from typing import Any

import corpus
from harness import Row, disk_bytes, find, main, ratio, table, timed, work_folder

QUERIES = {
    "rare": ["memmove", "usleep", "getrusage"],
    "middle": ["buffer", "encoding", "timeout", "thread", "pointer"],
    "common": ["self", "return", "the", "int", "def"],
    "and_of_2": ["buffer size", "self encoding", "return error", "file path"],
    "and_of_3": ["the return value", "self not none", "if the file", "int const char"],
}
REPEATS, MOST_CHARACTERS = 15, 300
ROOT = Path(__file__).resolve().parent.parent


@cache
def lines(items: int) -> list[str]:
    """The items, each on one line, cut to what a short message has."""
    texts = (content.decode(errors="replace") for content in corpus.load(items))
    return [" ".join(text[:MOST_CHARACTERS].split()) for text in texts]


def native(name: str, items: int) -> Row:
    """What the program in Rust says of one of its contestants; it runs once for all."""
    results = work_folder() / f"index-speed-{items}-{os.getppid()}.json"
    if not results.exists():
        results.write_text(_run(items))
    for line in results.read_text().splitlines():
        row: dict[str, Any] = json.loads(line)
        if row["name"] == name:
            times = row.pop("top_10_ms")
            return row | {
                f"{kind}_ms": statistics.median(times[query] for query in queries)
                for kind, queries in QUERIES.items()
            }
    raise LookupError(name)


def _run(items: int) -> str:
    build = ["cargo", "build", "-q", "--release", "-p", "vox-search", "--example", "index_speed"]
    subprocess.run([*build, "--message-format=json"], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    program = target / "release" / "examples" / "index_speed"
    queries = [query for some in QUERIES.values() for query in some]
    with tempfile.TemporaryDirectory(dir=work_folder()) as folder:
        file = Path(folder) / "lines.txt"
        file.write_text("\n".join(lines(items)))
        command = [program, file, folder, str(REPEATS), *queries]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def fts5(items: int) -> Row:
    """SQLite's full text, merged to one tree."""
    with tempfile.TemporaryDirectory(dir=work_folder()) as folder:
        path = Path(folder) / "fts.db"
        database = sqlite3.connect(path, isolation_level=None)
        for pragma in ("journal_mode=wal", "synchronous=off", "cache_size=-262144"):
            database.execute(f"pragma {pragma}")
        database.execute("create virtual table texts using fts5(body, content='')")
        texts = lines(items)

        def build() -> None:
            database.execute("begin")
            insert = "insert into texts(rowid, body) values(?, ?)"
            database.executemany(insert, enumerate(texts, 1))
            database.execute("insert into texts(texts) values('optimize')")
            database.execute("commit")

        row: Row = {"build_s": timed(build)}
        database.execute("pragma wal_checkpoint(truncate)")
        row["disk_bytes"] = disk_bytes(path)
        select = "select rowid, rank from texts where texts match ? order by rank limit 10"
        for kind, queries in QUERIES.items():
            row[f"{kind}_ms"] = statistics.median(
                _median_ms(database, select, " ".join(f'"{word}"' for word in query.split()))
                for query in queries
            )
        return row


def _median_ms(database: sqlite3.Connection, select: str, query: str) -> float:
    times = []
    for _ in range(1 + REPEATS // 3):
        start = time.perf_counter()
        database.execute(select, (query,)).fetchall()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times[1:])


def report(rows: list[Row], options: argparse.Namespace) -> None:
    """Ratios beside the targets of the project."""
    words, whole = find(rows, "vox-words"), find(rows, "vox")
    bare, sqlite = find(rows, "tantivy"), find(rows, "fts5")
    lines_: list[tuple[str, float | None, str]] = [
        ("words built, of tantivy's speed", ratio(bare, words, "build_s"), ">= 0.8"),
        ("words built, of FTS5's speed", ratio(sqlite, words, "build_s"), ">= 2"),
        ("all built, of tantivy's speed", ratio(bare, whole, "build_s"), ""),
    ]
    for kind in QUERIES:
        figure = f"{kind}_ms"
        lines_.append((f"{kind}: time of tantivy's", ratio(whole, bare, figure), "<= 1.2"))
        target = "" if kind == "rare" else ">= 20"
        lines_.append((f"{kind}: times as fast as FTS5", ratio(sqlite, whole, figure), target))
    if whole is not None:
        lines_ += [
            ("open and first query, ms", whole["open_and_ask_ms"], "<= 20"),
            ("index over text", whole["disk_bytes"] / whole["text_bytes"], ""),
            ("anonymous memory while building, MB", whole["anonymous_bytes"] / 1e6, "<= 300"),
        ]
    table(f"Search index, {options.items:,} items", lines_)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--items", type=int, default=1_000_000)
    contestants = {
        "tantivy": partial(native, "tantivy"),
        "vox-words": partial(native, "vox, words alone"),
        "vox": partial(native, "vox"),
        "fts5": fts5,
    }
    sys.exit(main("search_index", contestants, parser, report))
