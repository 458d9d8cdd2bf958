"""Giving source files back as they were read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from vox import _native
from vox.errors import InvalidArgumentError


class Hole(msgspec.Struct, frozen=True):
    """Bytes that the archive doesn't have; spaces stand for them."""

    offset: int
    """Where in the file, in bytes."""
    length: int
    """How many bytes."""
    reason: str
    """`purged`, or `not_kept`: they were read without being kept."""


class RawExport(msgspec.Struct, kw_only=True):
    """A source file that was given back."""

    path: str
    """Where it was read."""
    reading: int
    """Which reading of it, counted from 0; the file was rewritten between two."""
    readings: list[int]
    """All readings that are kept."""
    length: int = 0
    """How many bytes were written."""
    holes: list[Hole] = []
    unread: int = 0
    """How many bytes the file has now behind those that were read; 0 if it is gone."""
    whole: bool = True
    """Whether the file had been read to its end."""

    @property
    def is_whole(self) -> bool:
        """Whether the bytes are all that the file had when it was last read."""
        return self.whole and not self.holes


def export(
    archive: _native.Archive, path: Path, reading: int | None, write: Callable[[bytes], object]
) -> RawExport:
    """See `vox.archive.Archive.export_raw`."""
    number, readings, whole, stretches = archive.raw_file(path, reading)
    done = RawExport(path=str(path), reading=number, readings=readings, whole=whole)
    for offset, length, run in stretches:
        if offset > done.length:
            _fill(done, offset, write)
        piece, holes = archive.raw_piece(run)
        done.holes += [Hole(offset + start, size, "purged") for start, size in holes]
        # Of bytes that two stretches hold those of the first count.
        write(piece[done.length - offset : length])
        done.length = max(done.length, offset + length)
    if not readings or number == readings[-1]:
        done.unread = _grown(path, done.length)
    return done


SPACES = b" " * (1 << 16)
"""What stands for bytes that aren't there, a piece at a time."""


def _fill(done: RawExport, end: int, write: Callable[[bytes], object]) -> None:
    done.holes.append(Hole(done.length, end - done.length, "not_kept"))
    while done.length < end:
        piece = SPACES[: end - done.length]
        write(piece)
        done.length += len(piece)


def _grown(path: Path, length: int) -> int:
    try:
        return max(0, path.stat().st_size - length)
    except OSError:
        return 0


def one_source(archive: _native.Archive, ref: str) -> Path:
    """The one source file that `ref` names. Raises `InvalidArgumentError` if it is several."""
    sources = archive.raw_sources(ref)
    if len(sources) > 1:
        listed = ", ".join(str(source) for source in sources)
        raise InvalidArgumentError(f"{ref} was read from several files; name one of: {listed}")
    return sources[0]
