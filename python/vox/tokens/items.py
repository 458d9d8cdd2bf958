"""What can be counted: texts as bytes or `str`, alone, in a list or in Arrow arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeAlias

Item: TypeAlias = bytes | bytearray | memoryview | str
"""One text. Bytes needn't be UTF-8, and a `str` may hold surrogates."""


class ArrowArray(Protocol):
    """An Arrow array of bytes or text: any width, views, dictionaries. A null is empty."""

    def __arrow_c_array__(
        self, requested_schema: object | None = None, /
    ) -> tuple[object, object]: ...


class ArrowStream(Protocol):
    """Arrow arrays one after the other: a chunked array, a column of a data frame."""

    def __arrow_c_stream__(self, requested_schema: object | None = None, /) -> object: ...


Items: TypeAlias = Iterable[Item] | ArrowArray | ArrowStream
"""Many texts. Those of Arrow are read where they are."""
