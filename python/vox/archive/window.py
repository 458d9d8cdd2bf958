"""One window and its items."""

from __future__ import annotations

import html
from functools import cached_property
from typing import Any, Unpack

from vox import _native
from vox.archive.filters import ItemFilters, item_filter


class Window:
    """A conversation, an agent's context or a transcript: items in order.

    Items are never loaded as a whole: `items` reads the page that is asked for, at any place of
    a window of any length. A window object stays at the items it had when it was made; ask the
    archive again to see what came since.
    """

    def __init__(self, archive: _native.Archive, number: int) -> None:
        self._archive = archive
        self.number = number
        """Its number within this archive."""
        (self.info,) = archive.window_info(number).to_pylist()
        """Every column of the window; times are UTC milliseconds."""
        self._views: dict[tuple[object, ...], _native.WindowView] = {}

    @property
    def id(self) -> str:
        """Its lasting id, a UUID."""
        return str(self.info["id"])

    @property
    def key(self) -> str:
        """What the conversation is called at its producer."""
        return str(self.info["key"])

    @property
    def title(self) -> str | None:
        """A label for people."""
        title: str | None = self.info["title"]
        return title

    def items(
        self,
        start: int = 0,
        count: int = 100,
        *,
        preview: bool = True,
        hashes: bool = False,
        **filters: Unpack[ItemFilters],
    ) -> _native.Columns:
        """`count` items from position `start` on, as the filters leave them, as Arrow columns.

        Filters are those of `vox.archive.filters.item_filter`. The columns: `ordinal`, an item's
        place in the whole window, which never changes (positions do, with the filters); `item`, its
        number for `Archive.read`; `role`, `kind`, `name` (tool, model or media type), `created_at`
        (UTC milliseconds), `byte_len`, `token_estimate`, `fidelity`; whether it is `redacted`,
        stands beside the conversation (`side`), or is `pinned`; `committed` and `trimmed_at`. With
        `preview` its start as one line of at most 120 bytes, with `hashes` its `content_hash` and
        `chain_hash`, 32 bytes each. Raises `InvalidArgumentError` for a filter value that there
        isn't.
        """
        view = self._view(filters) if filters else self._plain
        return view.items(start, count, preview, hashes)

    def count(self, **filters: Unpack[ItemFilters]) -> int:
        """How many items the filters leave."""
        return len(self._view(filters) if filters else self._plain)

    def __len__(self) -> int:
        return int(self.info["items"])

    def usage(self) -> list[dict[str, Any]]:
        """What providers reported for the responses that this window had first, each once: `key`,
        `model`, `at` (UTC milliseconds), tokens `input`, `output`, `reasoning` (part of the
        output), `cache_read`, `cache_write`, `cache_write_1h`, and `cost_nano_usd` where it is
        recorded."""
        return self._archive.usage(self.number)

    def tree(self) -> _native.Columns:
        """The windows it came from and those that came from it, each before its children."""
        return self._archive.tree(self.number)

    @cached_property
    def _plain(self) -> _native.WindowView:
        return self._view({})

    def _view(self, filters: ItemFilters) -> _native.WindowView:
        wanted = item_filter(**filters)
        key = tuple(tuple(v) if isinstance(v, list) else v for v in wanted.values())
        view = self._views.get(key)
        if view is None:
            view = self._views[key] = self._archive.view(self.number, len(self), wanted)
        return view

    def __repr__(self) -> str:
        return f"Window({self.id[:8]} {self.title or self.key!r}, {len(self)} items)"

    def _repr_html_(self) -> str:
        name = html.escape(self.title or self.key)
        return f"<p><b>{name}</b>, {len(self)} items</p>{self.items(0, 20)._repr_html_()}"
