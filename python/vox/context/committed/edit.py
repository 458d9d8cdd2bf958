"""Changing a draft by hand. Each gives a new one; items are named by their numbers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from vox.context.committed.draft import ContextDraft
from vox.context.committed.entry import Entry
from vox.errors import InvalidArgumentError


def add(draft: ContextDraft, entries: Sequence[Entry], at: int | None = None) -> ContextDraft:
    """Puts entries before place `at`; by default each behind the last of the same window that has
    a lower ordinal. One that is there already is replaced where it stands.

    Raises `InvalidArgumentError` for a place that there isn't.
    """
    if at is not None:
        _check_place(draft, at)
    fresh = {_key(entry): entry for entry in entries}
    kept = [fresh.pop(_key(entry), entry) for entry in draft.entries]
    for entry in fresh.values():
        if at is None:
            kept.insert(_place_of(kept, entry), entry)
        else:
            kept.insert(at, entry)
            at += 1
    return draft.of(tuple(kept))


def drop(draft: ContextDraft, items: Collection[int]) -> ContextDraft:
    """Takes items out, and with a tool call its results, with a result its call.

    Raises `InvalidArgumentError` for one that isn't in it.
    """
    _check_items(draft, items)
    pairs = {entry.pair for entry in draft.entries if entry.item in items} - {None}
    kept = (entry for entry in draft.entries if entry.item not in items and entry.pair not in pairs)
    return draft.of(tuple(kept))


def pin(draft: ContextDraft, items: Collection[int]) -> ContextDraft:
    """Lets later projections keep items as well. Raises `InvalidArgumentError` for one that isn't
    in it."""
    _check_items(draft, items)
    return draft.of(
        tuple(
            replace(entry, pinned=True) if entry.item in items else entry for entry in draft.entries
        )
    )


def reorder(draft: ContextDraft, items: Sequence[int], at: int) -> ContextDraft:
    """Moves items, in this order, before place `at` of those that stay where they are; a tool call
    and its results move together.

    Raises `InvalidArgumentError` for an item that isn't in it, and a place that there isn't.
    """
    _check_items(draft, items)
    wanted = {item: place for place, item in enumerate(items)}
    of_pair: dict[int, int] = {}
    for entry in draft.entries:
        if entry.item in wanted and entry.pair is not None:
            place = wanted[entry.item]
            of_pair[entry.pair] = min(place, of_pair.get(entry.pair, place))

    def place_of(entry: Entry) -> int | None:
        if entry.pair is not None:
            return of_pair.get(entry.pair)
        return wanted.get(entry.item)

    moved = [(place_of(entry), entry) for entry in draft.entries]
    staying = [entry for place, entry in moved if place is None]
    going = sorted(
        ((place, entry) for place, entry in moved if place is not None), key=lambda one: one[0]
    )
    if not 0 <= at <= len(staying):
        raise InvalidArgumentError(
            f"there is no place {at} among the {len(staying)} entries that stay"
        )
    return draft.of((*staying[:at], *(entry for _, entry in going), *staying[at:]))


def _key(entry: Entry) -> tuple[str | None, int]:
    return entry.window, entry.item


def _place_of(entries: Sequence[Entry], entry: Entry) -> int:
    own = [place for place, one in enumerate(entries) if one.window == entry.window]
    before = [place for place in own if entries[place].ordinal < entry.ordinal]
    if before:
        return before[-1] + 1
    return own[0] if own else len(entries)


def _check_place(draft: ContextDraft, at: int) -> None:
    if not 0 <= at <= len(draft.entries):
        raise InvalidArgumentError(
            f"there is no place {at} in a set of {len(draft.entries)} entries"
        )


def _check_items(draft: ContextDraft, items: Collection[int]) -> None:
    there = {entry.item for entry in draft.entries}
    for item in items:
        if item not in there:
            raise InvalidArgumentError(f"item:{item} isn't in the set; add it first")
