"""What users do to windows and their items: trim, pin, label, fork, merge.

Each is an event in the archive's log that says what it changed, and each has its inverse, until
something is purged.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Sequence
from typing import Literal, TypeAlias, TypedDict, Unpack, cast

import msgspec

from vox import _native
from vox.archive.filters import ItemFilter, ItemFilters, WindowFilter, item_filter, window_filter
from vox.errors import InvalidArgumentError

Mark: TypeAlias = Literal["trim", "trim_pinned_too", "restore", "pin", "unpin"]
"""What is done to items."""

Label: TypeAlias = Literal["rename", "tag", "untag", "pin", "unpin", "delete", "undelete"]
"""What is done to whole windows."""

Ranges: TypeAlias = list[tuple[int, int]]
"""Ordinals from the first of each pair on, up to and without the second."""


class Selection(TypedDict):
    """Which items of which windows: the first of these that is there, as far as `filter` lets
    them through."""

    places: list[tuple[int, Ranges]] | None
    items: list[int] | None
    """Ids; `windows` then says in which windows, None: in all live ones that show them."""
    windows: list[int] | None
    list: WindowFilter | None
    filter: ItemFilter | None


class Choice(ItemFilters, total=False):
    """How items are chosen beside their windows; the keyword arguments of `choose`."""

    items: Collection[int] | None
    repo: str | None
    tags: Collection[str]


class MarkedWindow(msgspec.Struct, frozen=True, kw_only=True):
    """What changed of one window."""

    window: str
    """Its id."""
    items: int
    bytes: int
    tokens: int
    """Estimates."""
    kept: int
    """Items that stay as they are because they, or the window, are pinned."""


class MarkReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was done to items, or with `dry_run` would be."""

    dry_run: bool
    items: int
    bytes: int
    tokens: int
    """Estimates."""
    kept: int
    """Items that stay as they are because they, or their windows, are pinned."""
    windows: list[MarkedWindow]
    """Those of which something changes or is kept."""


class LabelReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was done to windows, or with `dry_run` would be."""

    dry_run: bool
    windows: list[str]
    """Ids of those that changed."""


class MergeReport(msgspec.Struct, frozen=True, kw_only=True):
    """A window that was made of picked items."""

    window: str
    """Its id."""
    number: int
    items: int
    purged: int
    """Picked items that were left out because nothing of them is left."""
    results_without_call: int
    """Tool results among them whose call wasn't picked. Calls and results are matched by their
    numbers, where both have one, else by tool and order."""
    calls_without_result: int


def choose(windows: Iterable[int] | None, **choice: Unpack[Choice]) -> Selection:
    """The items of these windows, or of all live ones, that the filters let through; or these
    `items`, by their ids. Raises `InvalidArgumentError` if that says nothing."""
    items = choice.pop("items", None)
    repo, tags = choice.pop("repo", None), choice.pop("tags", ())
    filters = cast(ItemFilters, choice)
    if windows is None and items is None and not (repo or tags or filters):
        raise InvalidArgumentError("say which items: windows, items, repo, tags or a filter")
    if (repo or tags) and not (windows is None and items is None):
        raise InvalidArgumentError("repo and tags choose windows; don't name any beside them")
    return Selection(
        places=None,
        items=None if items is None else list(items),
        windows=None if windows is None else list(windows),
        list=window_filter(repo=repo, tags=tags),
        filter=item_filter(**filters) if filters else None,
    )


def places(
    window: int, ordinals: Iterable[int | range], **filters: Unpack[ItemFilters]
) -> Selection:
    """The items at these ordinals of a window, as far as the filters let them through."""
    return Selection(
        places=[(window, ranges(ordinals))],
        items=None,
        windows=None,
        list=None,
        filter=item_filter(**filters) if filters else None,
    )


def ranges(ordinals: Iterable[int | range]) -> Ranges:
    """Ordinals as ranges."""
    found: Ranges = []
    for ordinal in ordinals:
        part = ordinal if isinstance(ordinal, range) else range(ordinal, ordinal + 1)
        if part.step == 1:
            found.append((part.start, max(part.start, part.stop)))
        else:
            found.extend((one, one + 1) for one in part)
    if any(start < 0 for start, _ in found):
        raise InvalidArgumentError("ordinals count from 0")
    return found


def mark(
    archive: _native.Archive, verb: Mark, selection: Selection, *, dry_run: bool
) -> MarkReport:
    """Does `verb` to what is selected."""
    if verb in {"restore", "pin", "unpin"} and selection["filter"] is not None:
        # What is trimmed is meant too, unless it is said otherwise.
        shown = selection["filter"]["trimmed"]
        selection["filter"]["trimmed"] = "only" if shown == "only" else "show"
    rows = _native.mark(archive, verb, selection, dry_run)
    windows = [
        MarkedWindow(window=window, items=items, bytes=size, tokens=tokens, kept=kept)
        for window, items, size, tokens, kept in rows
    ]
    return MarkReport(
        dry_run=dry_run,
        items=sum(row.items for row in windows),
        bytes=sum(row.bytes for row in windows),
        tokens=sum(row.tokens for row in windows),
        kept=sum(row.kept for row in windows),
        windows=windows,
    )


def label(
    archive: _native.Archive,
    verb: Label,
    windows: Sequence[int],
    texts: Sequence[str] = (),
    *,
    tree: bool = False,
    dry_run: bool = False,
) -> LabelReport:
    """Does `verb` to whole windows; with `tree` also to those below them."""
    changed = _native.label(archive, windows, verb, texts, tree, dry_run)
    ids = [archive.window_info(number).column("id")[0] for number in changed]
    return LabelReport(dry_run=dry_run, windows=ids)


def fork(
    archive: _native.Archive, window: int, count: int, *, key: str | None, title: str | None
) -> int:
    """Makes a window that begins with the first `count` items of another; gives its number."""
    return _native.fork(archive, window, count, key or f"fork:{uuid.uuid4()}", title)


def merge(
    archive: _native.Archive,
    parts: list[tuple[int, Ranges]],
    *,
    key: str | None,
    title: str | None,
) -> MergeReport:
    """Makes a window of picked items."""
    number, items, purged, results, calls = _native.merge(
        archive, parts, key or f"merge:{uuid.uuid4()}", title
    )
    return MergeReport(
        window=archive.window_info(number).column("id")[0],
        number=number,
        items=items,
        purged=purged,
        results_without_call=results,
        calls_without_result=calls,
    )
