"""Collecting: content that nothing uses any more leaves the archive."""

from __future__ import annotations

from datetime import timedelta

import msgspec

from vox import _native
from vox.errors import InvalidArgumentError

_LONGEST_DAYS = 36_500
"""A hundred years. Judgement."""

_DAY = timedelta(days=1) // timedelta(milliseconds=1)


class Leaseholder(msgspec.Struct, frozen=True, kw_only=True):
    """A process that is in the middle of something."""

    kind: str
    """What it does: `import`."""
    pid: int
    started: int
    """UTC milliseconds."""


class CollectReport(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a collection; in a dry run, what would."""

    dry_run: bool
    items: int
    """Items that were looked at."""
    blobs: int
    """Blobs that were looked at."""
    unused: int
    """Blobs that nothing uses."""
    waiting: int
    """Of those, blobs whose grace period isn't over."""
    removed: int
    """Blobs whose content was removed."""
    removed_raw_bytes: int
    """Bytes of that content."""
    removed_bytes: int
    """Bytes that it took."""
    removed_raw_runs: int
    """Stretches of source bytes that no item and no file named. Contents that only they referred to
    are unused for the next collection."""
    leases_cleared: int
    """Leases that dead processes had left."""
    held_back_by: list[Leaseholder]
    """Imports that run: nothing is removed before they have ended."""


def collect(
    archive: _native.Archive, *, dry_run: bool, now: bool, grace_days: float
) -> CollectReport:
    """See `vox.archive.Archive.gc`. Raises `InvalidArgumentError` for no such period."""
    if not 0 <= grace_days <= _LONGEST_DAYS:
        raise InvalidArgumentError(
            f"a grace period of {grace_days:g} days; it can be from 0 to {_LONGEST_DAYS:,}"
        )
    grace = 0 if now else int(grace_days * _DAY)
    return msgspec.convert(archive.collect(dry_run=dry_run, grace=grace), CollectReport)
