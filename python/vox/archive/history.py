"""History: clips, commands and prompts that a person may want again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from vox import _native
from vox.archive.content import AnyContent
from vox.config import HistoryCaps, load_settings

HistoryKind: TypeAlias = Literal["clip", "command", "chat"]


class NewEntry(NamedTuple):
    """An entry to be added."""

    content: bytes | str
    at: int | None = None
    """UTC milliseconds; None: now."""
    name: str | None = None
    """Where it came from, such as a shell or a program."""


class HistoryEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry. Times are UTC milliseconds."""

    number: int
    """Names it; never used again."""
    kind: HistoryKind
    repo: str
    """The repository; empty: none."""
    at: int
    content: AnyContent
    bytes: int
    """Length of the content."""
    name: str | None = None
    pinned_at: int | None = None


class Added(NamedTuple):
    """What became of entries."""

    numbers: list[int]
    evicted: int
    """How many older ones went because of the caps."""


_entries = msgspec.msgpack.Decoder(list[HistoryEntry])


class History:
    """`archive.history`: each change is written and shown in its window in one transaction."""

    def __init__(self, archive: _native.Archive) -> None:
        self._archive = archive

    def add(
        self,
        kind: HistoryKind,
        content: bytes | str,
        *,
        repo: str | None = None,
        at: int | None = None,
        name: str | None = None,
        caps: HistoryCaps | None = None,
    ) -> int:
        """Adds an entry and gives its number; durable on return. Raises as `add_many`."""
        return self.add_many(kind, [NewEntry(content, at, name)], repo=repo, caps=caps).numbers[0]

    def add_many(
        self,
        kind: HistoryKind,
        entries: Iterable[NewEntry],
        *,
        repo: str | None = None,
        caps: HistoryCaps | None = None,
    ) -> Added:
        """Adds entries of one kind and repository in one transaction; durable on return.

        What passes the caps (those of the settings unless given) goes, the oldest unpinned first,
        but never the last one added. Raises `TooLargeError` for an entry that alone passes them,
        `InvalidArgumentError` for a kind that there isn't.
        """
        caps = caps or load_settings().history
        added = _native.add_history(
            self._archive,
            kind,
            repo or "",
            [(entry.at, entry.content, entry.name) for entry in entries],
            caps.entries,
            caps.bytes,
        )
        return Added(*added)

    def entries(
        self,
        kind: HistoryKind | None = None,
        *,
        repo: str | None = None,
        before: int | None = None,
        count: int = 100,
    ) -> list[HistoryEntry]:
        """Entries, the newest first: `count` of those before number `before`, of one kind or
        repository (empty: those of none). Raises `InvalidArgumentError`."""
        return _entries.decode(_native.history(self._archive, kind, repo, before, count))

    def pin(self, *numbers: int) -> int:
        """Keeps entries from the caps. Gives how many weren't pinned; raises `NotFoundError`."""
        return _native.pin_history(self._archive, list(numbers), pinned=True)

    def unpin(self, *numbers: int) -> int:
        """Leaves entries to the caps. Gives how many were pinned; raises `NotFoundError`."""
        return _native.pin_history(self._archive, list(numbers), pinned=False)

    def remove(self, *numbers: int) -> None:
        """Removes entries, pinned or not: their rows go, and their items are trimmed. All or, on
        an error, none. Raises `NotFoundError`."""
        _native.remove_history(self._archive, list(numbers))
