"""What an archive holds, in terms that don't depend on how it came there."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vox.archive import Archive, Window

EVERYTHING = 1 << 40
OF_THIS_ARCHIVE = frozenset({"window", "id", "parent", "root"})
"""Columns that number rows or name other rows."""


def windows(archive: Archive) -> list[dict[str, Any]]:
    """Every window as a row."""
    return archive.windows(count=EVERYTHING).to_pylist()


def items(window: Window, *, hashes: bool = True) -> list[dict[str, Any]]:
    """Every item of a window as a row, those that are no part of the conversation too."""
    return window.items(0, EVERYTHING, hashes=hashes, records=True, trimmed="show").to_pylist()


def every_item(archive: Archive) -> dict[int, dict[str, Any]]:
    """Every item of every window by its id, each once."""
    return {
        item["item"]: item
        for window in windows(archive)
        for item in items(archive.window(window["id"]))
    }


def contents(archive: Archive, *, times: bool = True) -> dict[str, dict[str, Any]]:
    """Windows with their facts, items and usage, by key and revision.

    Two imports of the same transcripts must give the same, whatever happened meanwhile. Without
    `times` those of windows are left out, which may come from the file.
    """
    rows = windows(archive)
    names = {row["id"]: f"{row['key']} {row['revision']}" for row in rows}
    left_out = OF_THIS_ARCHIVE if times else OF_THIS_ARCHIVE | {"created_at", "updated_at"}
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        window = archive.window(row["id"])
        facts = {name: value for name, value in row.items() if name not in left_out}
        facts["parent"] = names.get(row["parent"])
        facts["root"] = names[row["root"]]
        facts["item_rows"] = [
            {name: value for name, value in item.items() if name != "item"}
            for item in items(window)
        ]
        facts["extras"] = [archive.extra(item["item"]) for item in items(window, hashes=False)]
        facts["usage"] = sorted(window.usage(), key=lambda usage: str(usage["key"]))
        found[names[row["id"]]] = facts
    assert len(found) == len(rows)
    return found


def kinds(archive: Archive) -> Counter[str]:
    """How many items of each `<role> <kind>` there are, each counted once."""
    return Counter(f"{item['role']} {item['kind']}" for item in every_item(archive).values())


def usage_of(archive: Archive) -> dict[str, int]:
    """Tokens of all responses, by how they are told apart."""
    names = ("input", "output", "reasoning", "cache_read", "cache_write", "cache_write_1h")
    sums = dict.fromkeys(names, 0)
    for window in windows(archive):
        for response in archive.window(window["id"]).usage():
            for name in names:
                sums[name] += response[name]
    return sums


def set_aside(archive: Archive, path: Path) -> list[tuple[int, int, str]]:
    """Offset, length and reason of what was quarantined of a file."""
    return sorted(archive._native.quarantine(path))


def texts(archive: Archive) -> Iterator[bytes]:
    """The bytes of every item."""
    for item in every_item(archive):
        yield bytes(archive.read(item))


def exported(archive: Archive) -> bytes:
    """All of it, as lines of JSON."""
    out = io.BytesIO()
    archive.export_jsonl(out)
    return out.getvalue()
