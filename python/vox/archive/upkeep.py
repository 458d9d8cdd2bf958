"""What keeps an archive sound and small."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from vox.archive.opened import Opened
from vox.archive.window import Window
from vox.config import GRACE_DAYS

if TYPE_CHECKING:
    from vox.archive import (
        gc,
        generations,
        purge,
        soundness,
    )


class Reader(NamedTuple):
    """Another process that reads an archive."""

    process: int
    """Its number."""
    behind: int
    """How many transactions were committed since it began."""


class Upkeep(Opened):
    """What keeps an archive sound and small. Part of `Archive`."""

    def stats(self) -> dict[str, Any]:
        """How many `windows`, `items`, `blobs`, `sources`, `quarantined` stretches and `events`
        there are, and how many live windows each of the `producers` has.

        Bytes: `raw_bytes` of all blobs, uncompressed; what `content_bytes` (blobs and their index),
        `custody_bytes` (source bytes beside them) and `spine_bytes` (all else) take; `file_bytes`
        of the data file; `rows` and `bytes` of each of the `tables`. `kept` says of each tool how
        many of its `source_bytes` are kept and what they take: `item_bytes` of the bodies of items,
        `run_bytes` of all else, `table_bytes` of the tables that find the bodies; `share` of the
        first two, `share_with_tables` of all three.
        """
        from vox.archive import statistics

        return statistics.of(self._native)

    def verify(self, sample: int | None = None, *, repair: bool = False) -> soundness.VerifyReport:
        """Checks pages, hashes, references, order, roll-ups and indexes; see
        `vox.archive.soundness`. With `sample` only so many blobs are decompressed and hashed."""
        from vox.archive import soundness

        return soundness.verify(self._native, sample=sample, repair=repair)

    def compact(self) -> generations.CompactReport:
        """Writes the archive anew without what it no longer needs: emptied pages, slots of blobs
        that are gone. Numbers of windows, items and events stay. The old files are gone on return;
        an index for searches is built anew.

        Others may go on using the archive: readers don't wait, writers wait until it is done, and
        all move over by themselves. Whatever ends it before leaves the archive as it was. Raises
        `ReadOnlyError`, `DiskFullError` if there is no room for both, `DamagedError`.
        """
        from vox.archive import generations

        return generations.compact(self._native)

    def gc(
        self, *, dry_run: bool = False, now: bool = False, grace_days: float = GRACE_DAYS
    ) -> gc.CollectReport:
        """Removes content that nothing uses any more: no item, no stretch that was set aside, no
        name, no service that holds it. What is found unused stays for `grace_days` more; `now` ends
        that at once. With `dry_run` nothing changes, and the report says what would.

        While an import runs nothing is removed; `held_back_by` names it. The room is used again,
        and the file gets smaller with `compact`. Raises `DamagedError` if something refers to
        content that isn't there or counts are wrong, `InvalidArgumentError` for a negative grace
        period, `ReadOnlyError`.
        """
        from vox.archive import gc

        return gc.collect(self._native, dry_run=dry_run, now=now, grace_days=grace_days)

    def purge(
        self,
        windows: Iterable[str | int | Window] = (),
        *,
        trimmed: bool = False,
        deleted: bool = False,
        older: int | None = None,
        now: bool = False,
        erase: bool = False,
        why: str = "",
        dry_run: bool = True,
    ) -> purge.PurgeReport:
        """Purges items that were trimmed, and windows that were deleted, more than 14 days ago, or
        before `older` (UTC milliseconds) if that is earlier; `now` ends the 14 days at once. With
        `windows` only of those. A dry run unless told otherwise.

        This can't be undone. A purged item keeps its place, role, kind, call, times, length and
        hash; reading it raises `PurgedError`. A source that has it still doesn't bring it back,
        unless `ingest` is told to. What is pinned, and rows that another window keeps, stay.
        Content leaves the files with `gc` and `compact`; `erase` does both at once.

        Raises `InvalidArgumentError` if nothing is named, or a window that is pinned or neither
        deleted nor has trimmed items; `NotFoundError`; `BusyError` if an import keeps `erase` from
        its end.
        """
        from vox.archive import purge

        return purge.purge(
            self._native,
            self._numbers(windows),
            trimmed=trimmed,
            deleted=deleted,
            older=older,
            now=now,
            erase=erase,
            why=why,
            dry_run=dry_run,
        )

    def backup(self, to: str | os.PathLike[str]) -> generations.BackupReport:
        """Copies the archive, as its last commit left it, to a folder that is missing or empty; on
        disk on return. The copy is an archive of its own.

        Others may go on writing meanwhile. A copy that is killed leaves a draft beside `to`, which
        the next one to there writes over. Raises `InvalidArgumentError` if the folder holds
        something, `BusyError` while another backup writes there, `DiskFullError`.
        """
        from vox.archive import generations

        return generations.backup(self._native, Path(to))

    def readers(self) -> list[Reader]:
        """Other processes that read it at this moment, the oldest first.

        What was freed since one began isn't used again while it reads. When one lets the file grow
        by more than 1 GiB and a quarter, writes wait for it a while and then raise `BusyError`.
        """
        return [Reader(*reader) for reader in self._native.readers()]
