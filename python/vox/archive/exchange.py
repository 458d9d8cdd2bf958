"""Whole archives as lines of JSON, and back: `contracts/jsonl-export.md` describes the lines."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import BinaryIO

import msgspec

from vox import _native
from vox.whole_files import whole_file, write_whole

SCHEMA = "vox.export.v1"
"""What the first line of an export says it is."""


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """What was written."""

    lines: int
    bytes: int


class ImportedLines(msgspec.Struct, frozen=True, kw_only=True):
    """What was read."""

    archive: str
    """Where the new archive is."""
    counts: dict[str, int]
    """How many lines there were of each type."""


def export_jsonl(archive: _native.Archive, to: Path | BinaryIO, *, mask: bool = False) -> Exported:
    """Writes all of the archive, as it was at one moment, as lines of JSON.

    A file gets its name when it is whole, in place of one that has the name already. Raises
    `DamagedError` where the archive is, `DiskFullError`, and what the file raises.
    """
    if isinstance(to, Path):
        with whole_file(to) as file:
            return export_jsonl(archive, file, mask=mask)
    lines, size = _native.export_jsonl(archive, _whole(to), mask)
    to.flush()
    return Exported(lines=lines, bytes=size)


def _whole(file: BinaryIO) -> Callable[[bytes], object]:
    if not isinstance(file, io.RawIOBase):
        return file.write
    return partial(write_whole, file)


def import_jsonl(source: Path | BinaryIO, target: str | os.PathLike[str]) -> ImportedLines:
    """Reads an export into a new archive at `target`: a folder that is missing or empty, or an
    archive without any content.

    The new archive equals the exported one: numbers, ids, events, times, cursors. Every hash is
    checked, and the whole is verified before it becomes an archive; after an error nothing is
    left. Raises `DamagedError` with the number of the line, `InvalidArgumentError` if `target`
    isn't empty, `DiskFullError`.
    """
    if isinstance(source, Path):
        with source.open("rb") as file:
            return import_jsonl(file, target)
    place = Path(target)
    return ImportedLines(archive=str(place), counts=_native.import_jsonl(source.read, place))
