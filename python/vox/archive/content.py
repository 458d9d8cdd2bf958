"""Contents of the producers' rows, on their way in and out."""

from __future__ import annotations

from typing import TypeAlias

import msgspec


class Content(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Bytes that are no text, or content that the archive has already. One of the two fields."""

    data: bytes | None = None
    """The bytes; base64 in JSON."""
    hash: str | None = None
    """The content hash, 64 hexadecimal digits."""
    purged: bool = False
    """Read back: the bytes were purged, and only their hash is left."""

    def __post_init__(self) -> None:
        if (self.data is None) == (self.hash is None):
            raise ValueError("a content is given by data or by hash")


AnyContent: TypeAlias = str | Content
"""A text, or what is none."""
