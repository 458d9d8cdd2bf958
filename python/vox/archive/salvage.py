"""Saving what is readable of a damaged archive."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from vox import _native


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """Something that could not be saved."""

    table: str
    key: str | None
    """The row's key in hex."""
    message: str

    def __str__(self) -> str:
        place = f"{self.table} {self.key or ''}".strip()
        return f"{place}: {self.message}"


class LostItems(msgspec.Struct, frozen=True, kw_only=True):
    """Items that a window had and has no longer."""

    window: int
    """Its number."""
    ordinal: int
    """The ordinal of the first one, as it was."""
    count: int


class SalvageReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was saved and what wasn't."""

    ok: bool
    """Whether nothing is lost."""
    source: str
    """The data file that was read."""
    archive: str
    """Where the new archive is."""
    saved: dict[str, int]
    """How many blobs, items and rows of each table were saved."""
    lost: dict[str, int]
    """How many places are known to be lost, by the same names; of pages that can't be read nobody
    knows how many rows they had."""
    items: list[LostItems]
    """The items that are lost, by window."""
    made_up: list[int]
    """Windows whose names were lost: what is known of them has a key that begins `salvaged:`."""
    left_out: list[str]
    """Tables without which the copy is sound."""
    losses: list[Loss]
    """The first losses, one by one."""


def salvage(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> SalvageReport:
    """Copies all that is readable of a damaged archive into a new one.

    `source` is an archive, or one of its data files alone; it is only read, and nobody may write to
    it meanwhile. `target` is a folder that is missing or empty. Items behind a lost one follow on,
    so their ids change; a source file of which items are lost is read again by the next import.
    The new archive is verified. Raises `NotFoundError` if nothing is there,
    `NotAnArchiveError` or `DamagedError` if nothing of it can be read, `InvalidArgumentError` if
    `target` isn't empty, `DiskFullError`.
    """
    place = Path(target)
    done = _native.salvage_archive(Path(source), place)
    return SalvageReport(
        ok=done["whole"],
        source=str(done["source"]),
        archive=str(place),
        saved=done["saved"],
        lost=done["lost"],
        items=[
            LostItems(window=window, ordinal=first, count=count)
            for window, ranges in done["ordinals"].items()
            for first, count in ranges
        ],
        made_up=done["made_up"],
        left_out=done["left_out"],
        losses=[Loss(table=t, key=key, message=message) for t, key, message in done["losses"]],
    )
