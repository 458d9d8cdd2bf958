"""Purging: what was trimmed or deleted goes for good."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from vox import _native
from vox.archive import gc, generations, indexing
from vox.errors import BusyError


class PurgeReport(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a purge; in a dry run, what would."""

    dry_run: bool
    items: int
    """Items that were purged."""
    bytes: int
    """Their bytes."""
    windows: int
    """Windows that were purged as a whole."""
    kept_shared: int
    """Items that stay because another window keeps them."""
    pinned_items: int
    """Items that stay because they, or their window, are pinned."""
    pinned_windows: int
    """Windows that stay because they are pinned."""
    recent_items: int
    """Items that were trimmed, or whose window was deleted, too recently."""
    recent_windows: int
    """Windows that were deleted too recently."""
    erased: bool = False
    """Whether what nothing used any more was collected and the files written anew."""


def purge(
    archive: _native.Archive,
    windows: Iterable[int],
    *,
    trimmed: bool,
    deleted: bool,
    older: int | None,
    now: bool,
    erase: bool,
    why: str,
    dry_run: bool,
) -> PurgeReport:
    """See `vox.archive.Archive.purge`."""
    options = {
        "windows": list(windows),
        "trimmed": trimmed,
        "deleted": deleted,
        "older": older,
        "now": now,
        "why": why,
        "dry_run": dry_run,
    }
    report = msgspec.convert(archive.purge(options), PurgeReport)
    if not dry_run:
        _forget_vectors(archive)
        if indexing.has_index(archive):
            indexing.keep_up(archive)
    if erase and not dry_run:
        _erase(archive)
        report = msgspec.structs.replace(report, erased=True)
    return report


def _forget_vectors(archive: _native.Archive) -> None:
    """Vectors say something of the texts they were made from. Few have any: numpy is loaded only
    then."""
    if (Path(archive.path) / "vectors").is_dir():
        from vox.archive import retrieval

        retrieval.forget_purged(archive)


def _erase(archive: _native.Archive) -> None:
    """Collects all that nothing uses, and writes the files anew: what was purged is in none."""
    collected = gc.collect(archive, dry_run=False, now=True, grace_days=0)
    if collected.held_back_by:
        holder = collected.held_back_by[0]
        raise BusyError(
            f"process {holder.pid} is importing; what was purged is out of reach, but its bytes go "
            "from the files only when this is run again after the import"
        )
    generations.compact(archive)
