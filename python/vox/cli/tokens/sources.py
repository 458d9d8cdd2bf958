"""What `vox tokens` counts: files, standard input and windows, in batches that fit into memory."""

from __future__ import annotations

import contextlib
import mmap
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias

from vox.errors import InvalidArgumentError, NotFoundError

if TYPE_CHECKING:
    from vox.archive import Archive, Window

BATCH = 16 << 20
"""Bytes of texts that are held at once, unless one is longer. Judgement."""
MAPPED = 64 << 20
"""Files from this size on are mapped instead of read: they need no memory of their own, but a file
that is cut off meanwhile ends the process. Judgement."""
PAGE = 1_000

Content: TypeAlias = bytes | memoryview
OpenArchive: TypeAlias = "Callable[[], Archive]"
"""Opens the archive when the first window is asked for: counting files needs none."""


@dataclass(frozen=True, slots=True)
class Item:
    """One text, counted by itself."""

    content: Content
    what: str | None = None
    """Role and kind, of an item of a window; of any other its class tells what it is."""
    is_text: bool = True
    """Otherwise it is an image or the like, which has no tokens by itself."""
    number: int | None = None
    """Of an item of a window."""


def batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    """`items` in lists of at most `BATCH` bytes; what is larger stands alone."""
    batch: list[Item] = []
    size = 0
    for item in items:
        if batch and size + len(item.content) > BATCH:
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += len(item.content)
        if size >= BATCH:
            # Before the next is taken: this one may be gone then.
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class Sources:
    """The arguments of the command, each found before any is counted.

    An argument that is a path of this machine is a file, `-` is standard input, and any other
    names a window.
    """

    def __init__(self, arguments: Sequence[str], archive: OpenArchive) -> None:
        self._archive = archive
        self._found: list[Path | Window | None] = []
        for argument in arguments:
            if argument == "-":
                self._found.append(None)
            elif os.path.lexists(argument):
                self._found.append(_file(Path(argument)))
            else:
                self._found.append(_window(argument, archive))
        if self._found.count(None) > 1:
            raise InvalidArgumentError("- stands for standard input, which can be read only once")
        if None in self._found and not sys.stdin:
            raise InvalidArgumentError("standard input is closed")

    def batches(self) -> Iterator[tuple[list[Item], Archive | None]]:
        """All texts, batch by batch, and the archive that those of a window are in. Each batch is
        valid until the next is taken."""
        for of_windows, sources in groupby(
            self._found, lambda source: source is not None and not isinstance(source, Path)
        ):
            archive = self._archive() if of_windows else None
            for batch in batches(self._items(sources)):
                yield batch, archive

    def _items(self, sources: Iterable[Path | Window | None]) -> Iterator[Item]:
        for source in sources:
            if source is None:
                yield from _stream(sys.stdin.buffer)
            elif isinstance(source, Path):
                yield from _content(source)
            else:
                yield from _window_items(self._archive(), source)


def _file(path: Path) -> Path:
    if path.is_dir():
        raise InvalidArgumentError(
            f"{path} is a folder; name its files, such as $(git ls-files {path})"
        )
    if path.is_file():
        # One that can't be read is an error before the others are counted. A pipe can be opened
        # only once.
        path.open("rb").close()
    return path


def _window(name: str, archive: OpenArchive) -> Window:
    try:
        return archive().window(name)
    except NotFoundError as error:
        raise NotFoundError(f"no file {name}, and as a window: {error}") from error


def _content(path: Path) -> Iterator[Item]:
    with path.open("rb") as file:
        if not path.is_file():
            # A pipe has no size to go by.
            yield from _stream(file)
        elif os.fstat(file.fileno()).st_size < MAPPED:
            yield Item(file.read())
        else:
            yield from _mapped(file)


def _stream(stream: IO[bytes]) -> Iterator[Item]:
    """What comes without a known length: through a file without a name, since a text is counted
    as a whole and may be larger than memory."""
    start = stream.read(BATCH)
    if len(start) < BATCH:
        yield Item(start)
        return
    with tempfile.TemporaryFile() as spool:
        spool.write(start)
        shutil.copyfileobj(stream, spool, BATCH)
        spool.flush()
        yield from _mapped(spool)


def _mapped(file: IO[bytes]) -> Iterator[Item]:
    pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    with contextlib.closing(pages), memoryview(pages) as view:
        yield Item(view)


def _window_items(archive: Archive, window: Window) -> Iterator[Item]:
    for start in range(0, window.count(), PAGE):
        for row in window.items(start, PAGE, preview=False).to_pylist():
            if row["redacted"]:
                continue
            content = archive.read(row["item"])
            is_text = row["kind"] != "attachment" or _is_text(content)
            what = f"{row['role']} {row['kind']}"
            yield Item(content, what if is_text else f"{what}, no text", is_text, row["item"])


def _is_text(attachment: bytes) -> bool:
    try:
        attachment.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in attachment
