"""The peer of a viewport: items of a window as rows of SQLite, clustered by window and place."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

METADATA = "ord, role, kind, created_at, byte_len, tokens, name"
"""Columns of an item without its preview."""


def build(path: Path, rows: Iterable[tuple[object, ...]]) -> None:
    """A database of items; a row has all columns of the table, in their order."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("pragma journal_mode = wal")
    db.execute("pragma synchronous = off")
    db.execute(
        "create table item (win int, ord int, role int, kind int, created_at int, byte_len int,"
        " tokens int, name int, preview text, primary key (win, ord)) without rowid"
    )
    db.execute("begin")
    db.executemany("insert into item values (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    db.execute("commit")
    db.execute("pragma wal_checkpoint(truncate)")
    db.close()


def connect(path: Path) -> sqlite3.Connection:
    """A connection as a reader would tune it."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("pragma mmap_size = 17179869184")
    return db


def viewport(
    db: sqlite3.Connection, window: int, start: int, count: int, *, preview: bool
) -> list[tuple[object, ...]]:
    """Items `start` to `start + count` of a window, by a range scan of the primary key."""
    columns = METADATA + (", preview" if preview else "")
    return db.execute(
        f"select {columns} from item where win = ? and ord >= ? and ord < ? order by ord",
        (window, start, start + count),
    ).fetchall()
