"""Secrets of an archive: the scan that finds them, and texts without them."""

from __future__ import annotations

import msgspec

from vox import _native


class SecretScan(msgspec.Struct, frozen=True, kw_only=True):
    """What a scan looked at. What was known before isn't counted."""

    rules: str
    """The version of the rules."""
    contents: int
    bytes: int
    with_secrets: int
    """Contents that hold some."""


def scan(archive: _native.Archive) -> SecretScan:
    """Scans what isn't known yet; see `Archive.scan_secrets`."""
    contents, size, found = _native.scan_secrets(archive)
    return SecretScan(
        rules=_native.secret_rules_version(), contents=contents, bytes=size, with_secrets=found
    )


def masked_text(text: str) -> str:
    """`text` with its secrets masked."""
    return _native.mask_secrets(text).decode()
