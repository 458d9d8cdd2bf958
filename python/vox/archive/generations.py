"""Writing an archive anew: compacting, migrating, and copying it while it is in use."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from vox import _native
from vox.archive import indexing
from vox.config import load_settings


class CompactReport(msgspec.Struct, frozen=True, kw_only=True):
    """What compacting came to."""

    generation: int
    """The number of the new files: `db/<generation>` in the archive's folder."""
    bytes_before: int
    """Bytes of the data file before."""
    bytes_after: int
    """Bytes of the data file after."""


class MigrateReport(CompactReport, frozen=True, kw_only=True):
    """What migrating came to."""

    format_before: int
    """The format that the archive had."""


class BackupReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a backup came to."""

    path: str
    """Where the copy is."""
    bytes: int
    """Bytes of its data file."""


def compact(archive: _native.Archive) -> CompactReport:
    """See `vox.archive.Archive.compact`."""
    had_index = indexing.has_index(archive)
    report = CompactReport(**archive.compact())
    if had_index:
        indexing.keep_up(archive)
    return report


def backup(archive: _native.Archive, to: Path) -> BackupReport:
    """See `vox.archive.Archive.backup`."""
    path, size = archive.backup(to)
    return BackupReport(path=str(path), bytes=size)


def migrate(path: str | os.PathLike[str] | None = None) -> MigrateReport | None:
    """Brings the archive at `path`, or the user's own, from an older format to that of this vox;
    None if it has that already.

    Numbers, ids, contents and what users said of them stay. Whatever ends it leaves the archive as
    it was. Raises `NotFoundError`, `WrongVersionError` if the format is newer, `DamagedError`,
    `DiskFullError` if there is no room for the old and the new files.
    """
    place = Path(path) if path is not None else load_settings().archive
    report = _native.migrate_archive(place)
    return MigrateReport(**report) if report else None
