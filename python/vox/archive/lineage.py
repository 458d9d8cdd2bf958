"""The windows of one root: whose items may stand in each other's committed sets."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from vox import _native
from vox.archive.filters import item_filter
from vox.archive.projecting import outline_from, outline_of
from vox.context.committed import Entry
from vox.context.projection import Outline
from vox.context.projection.material import PURGED
from vox.errors import InvalidArgumentError, PurgedError

_PAGE = 1024
"""Items whose hashes are looked up at once. Judgement."""


class Lineage:
    """A window, and those of the same root. What is looked at is read once."""

    def __init__(self, native: _native.Archive, window: int) -> None:
        self._native = native
        self.read = _native.outline(native, window)
        """The window itself, as the core reads it: with its model and its committed set."""
        self.own = outline_from(self.read)
        """The same as projections take it."""
        self._outlines = {self.own.id: self.own}
        self._numbers: dict[str, int] | None = None
        self._hashes: dict[tuple[str, int], dict[int, str]] = {}

    @property
    def windows(self) -> Mapping[str, int]:
        """Ids and numbers of all of them."""
        if self._numbers is None:
            tree = self._native.tree(self.own.window)
            ids = tree.column("id")
            self._numbers = {one: self._native.find_window(one) for one in ids}
        return self._numbers

    def outline(self, window: str) -> Outline:
        """The outline of one of them. Raises `InvalidArgumentError` for one of another root."""
        found = self._outlines.get(window)
        if found is None:
            number = self.windows.get(window)
            if number is None:
                raise InvalidArgumentError(
                    f"window {window[:40]!r} isn't of the same root as window {self.own.id[:8]}"
                )
            found = self._outlines[window] = outline_of(self._native, number)
        return found

    def outlines_of(self, entries: Iterable[Entry]) -> dict[str, Outline]:
        """The outlines of all windows that entries are from."""
        ids = dict.fromkeys(entry.window or self.own.id for entry in entries)
        return {one: self.outline(one) for one in ids}

    def place(self, item: int, window: str | None, ordinal: int | None) -> tuple[str, int]:
        """In which window and at which ordinal an item stands; by default in the window itself,
        else in the first of its root that has it. Raises `InvalidArgumentError`."""
        for one in self._where(window) if 0 <= item < 1 << 64 else ():
            rows = np.flatnonzero(self.outline(one).items == np.uint64(item))
            if ordinal is not None:
                rows = rows[rows == ordinal]
            if rows.size:
                return one, int(rows[0])
        where = f" at {ordinal}" if ordinal is not None else ""
        raise InvalidArgumentError(
            f"item:{item} doesn't stand{where} in window {self.own.id[:8]}"
            + (" or another of its root" if window is None else f", nor in {window[:40]!r}")
        )

    def find(self, content: str) -> tuple[str, int]:
        """In which window and at which ordinal a content stands first, by its hash. Raises
        `InvalidArgumentError`."""
        for one in self._where(None):
            for page in range(-(-len(self.outline(one)) // _PAGE)):
                for ordinal, found in self._page(one, page).items():
                    if found == content:
                        return one, ordinal
        raise InvalidArgumentError(
            f"no item of window {self.own.id[:8]} or another of its root has the content hash "
            f"{content[:64]!r}"
        )

    def _where(self, window: str | None) -> Iterable[str]:
        if window is not None:
            yield window
            return
        yield self.own.id
        yield from (one for one in self.windows if one != self.own.id)

    def hashes(self, ordinals: Sequence[int]) -> list[str]:
        """Content hashes of items of the window itself."""
        return self.hashes_of([(self.own.id, ordinal) for ordinal in ordinals])

    def hashes_of(self, places: Collection[tuple[str, int]]) -> list[str]:
        """Content hashes of the items at these windows and ordinals."""
        return [self._page(window, ordinal // _PAGE)[ordinal] for window, ordinal in places]

    def contents(self, entries: Iterable[Entry]) -> dict[tuple[str, int], tuple[int, str]]:
        """The items among `entries` that there are, by window and number: ordinal and content
        hash. Raises `PurgedError` for one of which nothing is left."""
        found = {}
        for entry in entries:
            window = entry.window or self.own.id
            outline = self.outline(window)
            row = entry.ordinal
            if row < len(outline) and outline.items[row] == entry.item:
                if outline.flags[row] & PURGED:
                    raise PurgedError(f"item:{entry.item} was purged; leave it out of the set")
                (content,) = self.hashes_of([(window, row)])
                found[window, entry.item] = (row, content)
        return found

    def _page(self, window: str, page: int) -> dict[int, str]:
        key = window, page
        if key not in self._hashes:
            outline = self.outline(window)
            view = self._native.view(
                outline.window, len(outline), item_filter(trimmed="show", records=True)
            )
            rows = view.items(page * _PAGE, _PAGE, False, True)
            hashes = (content.hex() for content in rows.column("content_hash"))
            self._hashes[key] = dict(zip(rows.column("ordinal"), hashes, strict=True))
        return self._hashes[key]
