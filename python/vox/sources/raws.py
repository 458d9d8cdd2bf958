"""JSON values that nobody has decoded, as msgspec hands them out."""

from __future__ import annotations

from typing import Final

from msgspec import Raw

ABSENT: Final = Raw(b"")
"""Stands for a field that isn't there."""

QUOTE, BRACKET, BRACE = b'"'[0], b"["[0], b"{"[0]
"""How strings, lists and objects begin."""


def first_byte(raw: Raw) -> int:
    """The first byte of a value, which tells its type; 0 if it is absent."""
    return memoryview(raw)[0] if raw else 0
