"""Items of a window that go into its committed set, as people name them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vox.cli.window import places as named_places
from vox.errors import InvalidArgumentError, NotFoundError

if TYPE_CHECKING:
    from vox.archive import Archive


def items_of(archive: Archive, places: Sequence[str], to: str | None) -> tuple[int, list[int]]:
    """The window whose set is meant, which is `to` or that of the places, and the items that
    `places` name, in this order. Raises `InvalidArgumentError`, `NotFoundError`."""
    window = None if to is None else archive.window(to).number
    items: list[int] = []
    for place in places:
        named = named_places.read(archive, [place])
        if named.windows:
            raise InvalidArgumentError(f"{place!r} is a window; say which items of it: {place}@17")
        items += named.items
        for there, stretches in named.places:
            if to is None and window not in (None, there):
                raise InvalidArgumentError(
                    "these are items of several windows; say whose set is meant with --to"
                )
            window = there if window is None else window
            for first, end in stretches:
                items += _items(archive, place, there, first, end)
    if window is None:
        raise InvalidArgumentError("say whose set is meant: --to WINDOW")
    return window, list(dict.fromkeys(items))


def _items(archive: Archive, place: str, window: int, first: int, end: int) -> list[int]:
    view = archive.window(window)
    if end > len(view):
        raise NotFoundError(f"{place!r}: window {view.id} has {len(view)} items")
    # With nothing filtered out, positions are ordinals.
    rows = view.items(first, end - first, preview=False, records=True, trimmed="show")
    return [int(item) for item in rows.column("item")]
