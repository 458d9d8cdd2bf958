"""Items as people write them: their ids, `run.position` or `window@ordinal`, and what they are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from vox.errors import InvalidArgumentError, NotFoundError

if TYPE_CHECKING:
    from vox.archive import Archive

ROLES = ["user", "assistant", "system", "tool"]
KINDS = [
    "message",
    "pin",
    "attachment",
    "summary",
    "tool_call",
    "tool_result",
    "reasoning",
    "record",
]
ROLE_STYLES = {
    "user": "bold green",
    "assistant": "bold blue",
    "system": "magenta",
    "tool": "yellow",
}
NAMED_KINDS = {"tool_call", "tool_result", "attachment"}
"""Kinds whose name is shown: the tool, or the type of a file."""

PURGED = "[purged]"
"""What is shown of an item that was purged."""

_ITEM = re.compile(r"(\d{1,10})\.(\d{1,10})", re.ASCII)
_HANDLE = re.compile(r"item:(\d{1,20})", re.ASCII)
_PLACE = re.compile(r"(.+)@(\d{1,18})", re.ASCII)


def item_text(item: int) -> str:
    """The written form of an item id."""
    return f"{item >> 32}.{item & 0xFFFF_FFFF}"


def find_item(archive: Archive, text: str) -> int:
    """The id of the item that `text` names, by itself or by its place in a window."""
    place = _PLACE.fullmatch(text)
    if not place:
        return item_id(text)
    window = archive.window(place[1])
    # With nothing filtered out, positions are ordinals.
    there = window.items(int(place[2]), 1, preview=False, records=True, trimmed="show")
    if not len(there):
        raise NotFoundError(f"window {window.id} has {len(window)} items; there is no {place[2]}")
    return int(there.column("item")[0])


def item_id(text: str) -> int:
    """The item id that `text` writes, as people do or as the handle that a model is given;
    `InvalidArgumentError` if it writes none."""
    if (handle := _HANDLE.fullmatch(text)) and int(handle[1]) < 1 << 64:
        return int(handle[1])
    match = _ITEM.fullmatch(text)
    run, position = (int(match[1]), int(match[2])) if match else (-1, -1)
    if not (0 <= run < 1 << 32 and 0 <= position < 1 << 32):
        raise InvalidArgumentError(f"{text!r} is no item; `vox show` prints them, such as 12.345")
    return run << 32 | position


def what_of(role: str, kind: str, name: str | None) -> str:
    """Who speaks, or what it is: `user`, `tool_call Bash`, `reasoning`."""
    if kind == "message":
        return role
    return f"{kind} {name or ''}".rstrip() if kind in NAMED_KINDS else kind
