"""Finding transcripts: which files are to be read, and by which source."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import NamedTuple

from vox.errors import SourceUnreadableError
from vox.sources.base import FileSource

HEAD_BYTES = 64 << 10
"""How much of a file a source sees to recognise it."""


class Transcript(NamedTuple):
    """A file and who reads it."""

    source: FileSource
    path: Path


class Unreadable(NamedTuple):
    """A file that could be a transcript, and why nobody can tell."""

    path: Path
    error: SourceUnreadableError


def in_folder(
    folder: Path, sources: Sequence[FileSource], known: Mapping[Path, str]
) -> Iterator[Transcript | Unreadable]:
    """The transcripts below `folder`, each for the first source that recognises it.

    Files that are `known`, by their path, to be of one of these sources aren't opened.
    """
    names = {source.name for source in sources}
    taken: set[Path] = set()
    for source in sources:
        for path in source.discover(folder):
            if path in taken:
                continue
            owner = known.get(path)
            try:
                if owner in names:
                    mine = owner == source.name
                else:
                    mine = source.recognises(path, _head(path))
            except SourceUnreadableError as error:
                taken.add(path)
                yield Unreadable(path, error)
                continue
            if mine:
                taken.add(path)
                yield Transcript(source, path)


def at_path(
    path: Path, sources: Sequence[FileSource], known: Mapping[Path, str]
) -> Iterator[Transcript | Unreadable]:
    """The transcripts at `path`, a file or a folder."""
    if os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises where it may not look
        yield from in_folder(path, sources, known)
        return
    for source in sources:
        if known.get(path) == source.name:
            yield Transcript(source, path)
            return
    try:
        head = _head(path)
    except SourceUnreadableError as error:
        yield Unreadable(path, error)
        return
    for source in sources:
        if source.recognises(path, head):
            yield Transcript(source, path)
            return
    message = "no transcript of a known tool; `vox import --help` names them"
    yield Unreadable(path, SourceUnreadableError(message))


def _head(path: Path) -> bytes:
    """The first bytes of a file; one that isn't regular is never opened, as that may block."""
    try:
        mode = path.stat().st_mode
        if S_ISDIR(mode):
            os.scandir(path).close()
        if not S_ISREG(mode):
            raise SourceUnreadableError("no regular file; name a transcript file")
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError as error:
        raise SourceUnreadableError(error.strerror or str(error)) from error
