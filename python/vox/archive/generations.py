"""Writing an archive anew: compacting."""

from __future__ import annotations

import msgspec

from vox import _native


class CompactReport(msgspec.Struct, frozen=True, kw_only=True):
    """What compacting came to."""

    generation: int
    """The number of the new files: `db/<generation>` in the archive's folder."""
    bytes_before: int
    """Bytes of the data file before."""
    bytes_after: int
    """Bytes of the data file after."""


def compact(archive: _native.Archive) -> CompactReport:
    """Writes the archive anew without what it no longer needs."""
    return CompactReport(**archive.compact())
