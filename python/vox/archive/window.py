"""One window and its items."""

from __future__ import annotations

import html
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

from vox import _native
from vox.archive.filters import ItemFilters, item_filter

if TYPE_CHECKING:
    from vox.archive import window_ops
    from vox.archive.counts import ItemTokens, ItemWish
    from vox.tokens.estimator import Model


class Window:
    """A conversation, an agent's context or a transcript: items in order.

    Items are never loaded as a whole: `items` reads the page that is asked for, at any place of
    a window of any length. A window object stays at the items it had when it was made, or last
    changed through it; ask the archive again to see what came since.
    """

    def __init__(self, archive: _native.Archive, number: int) -> None:
        self._archive = archive
        self.number = number
        """Its number within this archive."""
        self.info: dict[str, Any]
        """Every column of the window; times are UTC milliseconds."""
        self._views: dict[tuple[object, ...], _native.WindowView]
        self._look()

    def _look(self) -> None:
        (self.info,) = self._archive.window_info(self.number).to_pylist()
        self._views = {}
        self.__dict__.pop("_plain", None)

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
        (UTC milliseconds), `byte_len`, `token_estimate`, `fidelity`; `call`, the number that
        joins a tool call and its results (0: none); whether it is `redacted`, stands beside the
        conversation (`side`), or is `pinned`; `committed` and `trimmed_at`. With `preview` its
        start as one line of at most 120 bytes, with `hashes` its `content_hash` and `chain_hash`,
        32 bytes each. Raises `InvalidArgumentError` for a filter value that there isn't.
        """
        view = self._view(filters) if filters else self._plain
        return view.items(start, count, preview, hashes)

    def count(self, **filters: Unpack[ItemFilters]) -> int:
        """How many items the filters leave."""
        return len(self._view(filters) if filters else self._plain)

    def __len__(self) -> int:
        return int(self.info["items"])

    def count_tokens(
        self,
        model: Model,
        start: int = 0,
        count: int | None = None,
        *,
        kind: ItemWish = "cap",
        **filters: Unpack[ItemFilters],
    ) -> ItemTokens:
        """How many tokens its items are for `model`: `count` of them (None: all) from position
        `start` on, as the filters leave them; without filters all but records and what was trimmed.

        The answer has an array of `tokens` and their `total`. See `Archive.item_tokens` for the
        rest, and for what is raised.
        """
        from vox.archive import counts

        view = self._view(filters) if filters else self._plain
        return counts.count(self._archive, counts.of_view(view, start, count), model, kind)

    def usage(self) -> list[dict[str, Any]]:
        """What providers reported for the responses that this window had first, each once: `key`,
        `model`, `at` (UTC milliseconds), tokens `input`, `output`, `reasoning` (part of the
        output), `cache_read`, `cache_write`, `cache_write_1h`, and `cost_nano_usd` where it is
        recorded."""
        return self._archive.usage(self.number)

    def tree(self) -> _native.Columns:
        """The windows it came from and those that came from it, each before its children."""
        return self._archive.tree(self.number)

    def links(self) -> list[tuple[str, Window, int]]:
        """What it came from: how (`forked_from`, `merged_from` …), the window, and the place there:
        how many items that had, or how many a fork shares."""
        links = _native.links(self._archive, self.number)
        return [(link, Window(self._archive, number), place) for link, number, place in links]

    def trim(
        self,
        ordinals: Iterable[int | range] | None = None,
        *,
        pinned_too: bool = False,
        dry_run: bool = False,
        **filters: Unpack[ItemFilters],
    ) -> window_ops.MarkReport:
        """Hides items at these ordinals, or all, as far as the filters let them through; see
        `Archive.trim`. Raises `InvalidArgumentError` for ordinals that there aren't."""
        verb: window_ops.Mark = "trim_pinned_too" if pinned_too else "trim"
        return self._mark(verb, ordinals, filters, dry_run)

    def restore(
        self,
        ordinals: Iterable[int | range] | None = None,
        *,
        dry_run: bool = False,
        **filters: Unpack[ItemFilters],
    ) -> window_ops.MarkReport:
        """Shows trimmed items again; chosen as in `trim`."""
        return self._mark("restore", ordinals, filters, dry_run)

    def pin_items(
        self,
        ordinals: Iterable[int | range] | None = None,
        *,
        dry_run: bool = False,
        **filters: Unpack[ItemFilters],
    ) -> window_ops.MarkReport:
        """Keeps items through trimming and compaction; chosen as in `trim`."""
        return self._mark("pin", ordinals, filters, dry_run)

    def unpin_items(
        self,
        ordinals: Iterable[int | range] | None = None,
        *,
        dry_run: bool = False,
        **filters: Unpack[ItemFilters],
    ) -> window_ops.MarkReport:
        """Takes back what `pin_items` said; chosen as in `trim`."""
        return self._mark("unpin", ordinals, filters, dry_run)

    def _mark(
        self,
        verb: window_ops.Mark,
        ordinals: Iterable[int | range] | None,
        filters: ItemFilters,
        dry_run: bool,
    ) -> window_ops.MarkReport:
        from vox.archive import window_ops

        if ordinals is None:
            selection = window_ops.choose([self.number], **filters)
        else:
            selection = window_ops.places(self.number, ordinals, **filters)
        report = window_ops.mark(self._archive, verb, selection, dry_run=dry_run)
        self._look()
        return report

    def pin(self) -> None:
        """Keeps the window through tiering and collection, and its items from being trimmed."""
        self._label("pin")

    def unpin(self) -> None:
        """Takes back what `pin` said."""
        self._label("unpin")

    def rename(self, title: str | None) -> None:
        """Gives it a title that imports leave alone; an empty one or None gives it back to its
        source. Raises `InvalidArgumentError` for one of more than 1,000 characters."""
        self._label("rename", *filter(None, [title]))

    def tag(self, *tags: str) -> None:
        """Files it under these tags; `Archive.windows(tags=…)` lists by them. Raises
        `InvalidArgumentError` for what can't be a tag: it has at most 100 characters, no comma and
        no space at its ends."""
        self._label("tag", *tags)

    def untag(self, *tags: str) -> None:
        """Takes these tags away."""
        self._label("untag", *tags)

    def delete(self) -> None:
        """Leaves it out of lists; see `Archive.delete`."""
        self._label("delete")

    def undelete(self) -> None:
        """Takes that back. Raises `PurgedError` if it was purged since."""
        self._label("undelete")

    def _label(self, verb: window_ops.Label, *texts: str) -> None:
        from vox.archive import window_ops

        window_ops.label(self._archive, verb, [self.number], texts)
        self._look()

    def fork(
        self, at: int | None = None, *, title: str | None = None, key: str | None = None
    ) -> Window:
        """A new window that begins with its items up to ordinal `at`, that one included (None:
        all), as they look now, and goes its own way from there. Nothing is copied.

        `key` names it for `Archive.append`; None makes one up. Raises `InvalidArgumentError` if
        there is no such item, `ConflictError` if another window has this key.
        """
        from vox.archive import window_ops
        from vox.errors import InvalidArgumentError

        if at is not None and at < 0:
            raise InvalidArgumentError("ordinals count from 0")
        count = len(self) if at is None else at + 1
        number = window_ops.fork(self._archive, self.number, count, key=key, title=title)
        return Window(self._archive, number)

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
