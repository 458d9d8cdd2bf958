"""What users do to items and windows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Unpack

from vox.archive.opened import Opened
from vox.archive.window import Window

if TYPE_CHECKING:
    from vox.archive import (
        window_ops,
    )
    from vox.archive.append import NewItem
    from vox.sources.base import WindowDraft


class Changing(Opened):
    """What users do to items and windows. Part of `Archive`."""

    def append(self, window: str | WindowDraft, items: Iterable[NewItem], /) -> dict[str, int]:
        """Appends items after the last one of the window with this key, in one transaction;
        durable on return. A window that isn't there is made; a `WindowDraft` says more of it.

        Gives counts: `windows` made, items `added` and `shared`, `blobs` that are new. Raises
        `ReadOnlyError`, `TooLargeError` for an item over 1 GiB, `DiskFullError`, `MapFullError`.
        """
        from vox.sources.base import WindowDraft

        draft = WindowDraft(key=window) if isinstance(window, str) else window
        return self._native.append(draft, list(items))

    def trim(
        self,
        windows: Iterable[str | int | Window] | None = None,
        *,
        pinned_too: bool = False,
        dry_run: bool = False,
        **choice: Unpack[window_ops.Choice],
    ) -> window_ops.MarkReport:
        """Hides items; `restore` shows them again, and nothing is taken away.

        Which: those of `windows`, or of all live windows (of a `repo`, with all `tags`), as far as
        the filters of `Window.items` let them through; or `items` by their ids, in `windows` or in
        all that show them. Pinned items and those of pinned windows stay, unless `pinned_too`.
        Each window changes as a whole. With `dry_run` nothing changes, and the report says what
        would. Raises `InvalidArgumentError` if nothing says which, `NotFoundError`,
        `ReadOnlyError`.
        """
        return self._mark("trim_pinned_too" if pinned_too else "trim", windows, choice, dry_run)

    def restore(
        self,
        windows: Iterable[str | int | Window] | None = None,
        *,
        dry_run: bool = False,
        **choice: Unpack[window_ops.Choice],
    ) -> window_ops.MarkReport:
        """Shows trimmed items again; chosen as in `trim`."""
        return self._mark("restore", windows, choice, dry_run)

    def pin(
        self,
        windows: Iterable[str | int | Window] | None = None,
        *,
        dry_run: bool = False,
        **choice: Unpack[window_ops.Choice],
    ) -> window_ops.MarkReport:
        """Pins items: they stay through trimming and compaction; chosen as in `trim`.
        `Window.pin` pins a window as a whole."""
        return self._mark("pin", windows, choice, dry_run)

    def unpin(
        self,
        windows: Iterable[str | int | Window] | None = None,
        *,
        dry_run: bool = False,
        **choice: Unpack[window_ops.Choice],
    ) -> window_ops.MarkReport:
        """Takes back what `pin` said of items; chosen as in `trim`."""
        return self._mark("unpin", windows, choice, dry_run)

    def _mark(
        self,
        verb: window_ops.Mark,
        windows: Iterable[str | int | Window] | None,
        choice: window_ops.Choice,
        dry_run: bool,
    ) -> window_ops.MarkReport:
        from vox.archive import window_ops

        numbers = None if windows is None else self._numbers(windows)
        selection = window_ops.choose(numbers, **choice)
        return window_ops.mark(self._native, verb, selection, dry_run=dry_run)

    def merge(
        self,
        parts: Iterable[tuple[str | int | Window, Iterable[int | range]]],
        *,
        title: str | None = None,
        key: str | None = None,
    ) -> window_ops.MergeReport:
        """Makes a new window of picked items: for each part a window and ordinals of it.

        The parts follow each other as given, the items of each in their own order. Contents are
        shared, and the windows they come from stay as they are. The report says how many tool
        calls and results were parted. Raises `NotFoundError`, `InvalidArgumentError` for items that
        there aren't or none at all, `ConflictError` if a window has this `key`, `PurgedError` if
        nothing is left of all that was picked.
        """
        from vox.archive import window_ops

        picked = [
            (number, window_ops.ranges(ordinals))
            for window, ordinals in parts
            for number in self._numbers([window])
        ]
        return window_ops.merge(self._native, picked, key=key, title=title)

    def delete(
        self,
        windows: Iterable[str | int | Window],
        *,
        tree: bool = False,
        dry_run: bool = False,
    ) -> window_ops.LabelReport:
        """Leaves windows out of lists and of the timeline; with `tree` also those that came from
        them. Nothing of them goes, imports go on filling them, and `undelete` takes it back, until
        they are purged. Raises `NotFoundError`, `ReadOnlyError`."""
        from vox.archive import window_ops

        numbers = self._numbers(windows)
        return window_ops.label(self._native, "delete", numbers, tree=tree, dry_run=dry_run)

    def undelete(
        self,
        windows: Iterable[str | int | Window],
        *,
        tree: bool = False,
        dry_run: bool = False,
    ) -> window_ops.LabelReport:
        """Takes back a deletion; with `tree` also that of the windows that were deleted with them.
        Raises `PurgedError` for one that was purged since."""
        from vox.archive import window_ops

        numbers = self._numbers(windows)
        return window_ops.label(self._native, "undelete", numbers, tree=tree, dry_run=dry_run)
