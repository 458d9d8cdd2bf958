"""How windows are named and placed for people; lists and headers share it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vox.archive import Archive

ID_PREFIX = 8
"""How many characters of an id are shown."""
FIRST_ITEMS = 32
"""How far to look for a name for a window without a title."""

SORTS = {
    "compacted_from": "continued",
    "spawned_by": "sub-agent",
    "forked_from": "branch",
    "summarizes": "summary",
    "derived_from": "derived",
    "merged_from": "merged",
}
"""What a window is, by how it is linked to its parent."""
PLAIN_KINDS = {"chat", "archived"}
"""Kinds that say nothing beyond `conversation`."""


def short_id(window: Mapping[str, Any]) -> str:
    """The beginning of a window's id."""
    return str(window["id"])[:ID_PREFIX]


def sort_of(window: Mapping[str, Any]) -> str:
    """What a window is if it is no plain conversation: `sub-agent`, `continued`, `branch`."""
    if window["link"]:
        return SORTS[window["link"]]
    return "" if window["kind"] in PLAIN_KINDS else str(window["kind"])


def name_of(archive: Archive, window: Mapping[str, Any], *, reveal: bool) -> str:
    """Its title, else what its user said first, else its key; secrets masked unless to `reveal`."""
    from vox.archive.secrets import masked_text

    if title := window["title"]:
        return str(title) if reveal else masked_text(title)
    return _first_words(archive, window["window"], reveal=reveal) or str(window["key"])


def _first_words(archive: Archive, window: int, *, reveal: bool) -> str | None:
    """What a user said first, if it is near the beginning; what starts with a tag was said by
    the tool in the user's name."""
    for item in archive.window(window).items(0, FIRST_ITEMS).to_pylist():
        if item["role"] == "user" and item["kind"] == "message" and item["preview"][:1] != "<":
            masked = None if reveal else archive.masked_previews([item["item"]])[0]
            return str(item["preview"]) if masked is None else masked
    return None


def trees(archive: Archive, windows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The whole tree of each of `windows`, each tree once: parents before their children, each
    row with its `depth`."""
    seen = set[str]()
    for window in windows:
        if window["root"] in seen:
            continue
        seen.add(window["root"])
        depths: dict[str | None, int] = {}
        for row in archive.window(window["window"]).tree().to_pylist():
            row["depth"] = depths[row["id"]] = depths.get(row["parent"], -1) + 1
            yield row
