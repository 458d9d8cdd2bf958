"""Vectors that are kept beside an archive, by content.

They stand in files of their own, a folder for each service: `part-….npy` holds rows of a content's
number (the first eight bytes of its hash, little-endian) and a vector of half floats; a content has
a row for each of its pieces. A part appears whole or not at all and never changes; parts that
became many are written as one. All of it can be lost: it is made again from the archive.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from vox.context.retrieval.embedding import Contents, Vectors
from vox.whole_files import whole_file, write_whole

MOST_PARTS = 16
"""Parts that may stand beside each other. Judgement."""

_ROWS_AT_ONCE = 1 << 16
"""Rows that are compared at once: 64 MiB of 256 dimensions. Judgement."""


class VectorStore:
    """The vectors of one service, in a folder of their own."""

    def __init__(self, folder: Path, dimensions: int) -> None:
        self.folder = folder
        self._row = np.dtype([("content", "<u8"), ("vector", "<f2", (dimensions,))])

    @classmethod
    def of_service(cls, root: Path, name: str, dimensions: int) -> Self:
        """The store of the service with this name among those below `root`."""
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:60]
        mark = hashlib.sha256(f"{name}\0{dimensions}".encode()).hexdigest()[:12]
        return cls(root / f"{plain}-{mark}-{dimensions}", dimensions)

    @classmethod
    def all_below(cls, root: Path) -> list[Self]:
        """The stores of all services."""
        found = ((path, path.name.rpartition("-")[2]) for path in sorted(root.glob("*-*-*")))
        return [cls(path, int(last)) for path, last in found if last.isdecimal()]

    @property
    def made_of(self) -> int:
        """How many items the archive had when all of them were looked at; 0: never."""
        try:
            return int((self.folder / "made-of").read_text())
        except (OSError, ValueError):
            return 0

    def made(self, items: int) -> None:
        """Notes that all of so many items were looked at. Raises `OSError`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with whole_file(self.folder / "made-of") as file:
            write_whole(file, str(items).encode())

    def contents(self) -> Contents:
        """The contents that have vectors, ascending."""
        found = [part["content"] for _, part in self._parts()]
        return np.unique(np.concatenate(found)) if found else np.zeros(0, np.uint64)

    def add(self, contents: Contents, vectors: Vectors) -> None:
        """Keeps rows: `vectors` has one for each of `contents`. Raises `OSError`."""
        if len(contents):
            self._write(contents, vectors)
        parts = list(self._parts())
        if len(parts) > MOST_PARTS:
            self._merge(parts, None)

    def keep_only(self, contents: Contents) -> int:
        """Takes away what isn't of `contents`: a vector says something of the text it was made
        from. Gives how many contents went. Raises `OSError`."""
        parts = list(self._parts())
        wanted = np.unique(contents)
        gone: set[int] = set()
        for _, part in parts:
            gone.update(part["content"][~np.isin(part["content"], wanted)].tolist())
        if gone:
            self._merge(parts, wanted)
        return len(gone)

    def nearest(self, direction: npt.NDArray[np.float32]) -> tuple[Contents, Vectors]:
        """All contents, those whose best piece is nearest to `direction` first, and how near: the
        cosine."""
        found: list[Contents] = []
        near: list[Vectors] = []
        for _, part in self._parts():
            for at in range(0, len(part), _ROWS_AT_ONCE):
                rows = part[at : at + _ROWS_AT_ONCE]
                found.append(np.asarray(rows["content"], np.uint64))
                near.append(rows["vector"].astype(np.float32) @ direction)
        if not found:
            return np.zeros(0, np.uint64), np.zeros(0, np.float32)
        contents, cosines = np.concatenate(found), np.concatenate(near)
        order = np.lexsort((contents, -cosines))
        contents, cosines = contents[order], cosines[order]
        _, first = np.unique(contents, return_index=True)
        first.sort()
        return contents[first], cosines[first]

    def _parts(self) -> Iterator[tuple[Path, npt.NDArray[np.void]]]:
        """The parts that can be read. One that is damaged counts as lost."""
        for path in sorted(self.folder.glob("part-*.npy")):
            try:
                part = np.load(path, mmap_mode="r", allow_pickle=False)
            except (OSError, ValueError, EOFError):
                continue
            if part.dtype == self._row and part.ndim == 1:
                yield path, part

    def _write(self, contents: Contents, vectors: Vectors) -> None:
        rows = np.zeros(len(contents), self._row)
        rows["content"] = contents
        rows["vector"] = vectors
        self._save(rows)

    def _merge(
        self, parts: Iterable[tuple[Path, npt.NDArray[np.void]]], wanted: Contents | None
    ) -> None:
        """Writes parts as one, and takes them away; with `wanted` without all other contents."""
        paths, kept = [], []
        for path, part in parts:
            rows = np.array(part)
            kept.append(rows if wanted is None else rows[np.isin(rows["content"], wanted)])
            paths.append(path)
        rows = np.concatenate(kept) if kept else np.zeros(0, self._row)
        if len(rows):
            self._save(rows)
        for path in paths:
            path.unlink(missing_ok=True)

    def _save(self, rows: npt.NDArray[np.void]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"part-{uuid4().hex}.npy"
        with whole_file(path) as file:
            np.save(file, rows, allow_pickle=False)
