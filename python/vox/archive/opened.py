"""An archive that is open."""

from __future__ import annotations

from collections.abc import Iterable

from vox import _native
from vox.archive.window import Window
from vox.errors import NotFoundError


class Opened:
    """What all parts of `Archive` share: its windows by whatever names them."""

    def __init__(self, native: _native.Archive) -> None:
        self._native = native

    def window(self, ref: str | int) -> Window:
        """The window with this id, beginning of an id (four characters or more), number or key.

        Raises `NotFoundError`, or `InvalidArgumentError` if several ids begin so.
        """
        if isinstance(ref, str):
            return Window(self._native, self._native.find_window(ref))
        if not 0 <= ref < 1 << 32:
            raise NotFoundError(f"there is no window number {ref}")
        return Window(self._native, ref)

    def _number(self, window: str | int | Window) -> int:
        return (window if isinstance(window, Window) else self.window(window)).number

    def _numbers(self, windows: Iterable[str | int | Window]) -> list[int]:
        return [self._number(window) for window in windows]
