"""A disk as it may be after a power cut, from a recording of all that was done to its files.

What a file system promises is little: the bytes of a file are on disk when the file was synced,
or written through a descriptor that syncs each write; the entries of a folder when the folder was
synced. Of everything else any part may be there or not.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

ENTRY = struct.Struct("<c3xIQQ")


class Call(NamedTuple):
    """One entry of a recording; see `note` in `interposer.c`."""

    what: str
    path: str
    offset: int
    data: bytes

    @property
    def syncs(self) -> bool:
        """Whether something is on disk afterwards that needn't have been before."""
        return self.what in "SP"


END = Call("M", "", 0, b"")
"""What stands behind the last call."""


def recording(path: Path) -> Iterator[Call]:
    """The calls of a recording in their order."""
    data = path.read_bytes()
    at = 0
    while at < len(data):
        what, path_length, offset, length = ENTRY.unpack_from(data, at)
        at += ENTRY.size
        name = data[at : at + path_length].decode()
        at += path_length
        yield Call(what.decode(), name, offset, data[at : at + length])
        at += length


Change: TypeAlias = Callable[[bytearray], None]
Choice: TypeAlias = Callable[[int], list[bool]]
"""Of so many changes that needn't be on disk, which are."""


def nothing(count: int) -> list[bool]:
    """None of them."""
    return [False] * count


def some(pick: random.Random) -> Choice:
    """Those up to some point, or any, or all."""

    def choose(count: int) -> list[bool]:
        first = pick.randrange(count + 1)
        share = pick.random()
        ways = [
            [number < first for number in range(count)],
            [pick.random() < share for _ in range(count)],
            [True] * count,
        ]
        return pick.choice(ways)

    return choose


class File:
    """Bytes on disk, and what was written since."""

    def __init__(self) -> None:
        self.safe = bytearray()
        self.since: list[Change] = []

    def sync(self) -> None:
        for change in self.since:
            change(self.safe)
        self.since = []

    def after_power_cut(self, choose: Choice) -> bytes:
        data = bytearray(self.safe)
        for change, kept in zip(self.since, choose(len(self.since)), strict=True):
            if kept:
                change(data)
        return bytes(data)


def write_of(offset: int, data: bytes) -> Change:
    """Writes `data`; behind the end of the file there are zeros up to it."""

    def change(file: bytearray) -> None:
        file.extend(bytes(max(0, offset - len(file))))
        file[offset : offset + len(data)] = data

    return change


def cut_to(length: int) -> Change:
    """Makes the file so long."""

    def change(file: bytearray) -> None:
        del file[length:]
        file.extend(bytes(length - len(file)))

    return change


class Folder:
    """Entries by name."""

    def __init__(self) -> None:
        self.entries: dict[str, File | Folder] = {}


class Renaming(NamedTuple):
    """A change of entries: what had a name has it no more, and has another."""

    old: tuple[Folder, str] | None
    new: tuple[Folder, str, File | Folder] | None

    def folders(self) -> set[int]:
        return {id(end[0]) for end in (self.old, self.new) if end}


class Disk:
    """What is below one folder: as programs see it, and what of that is safe."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.tree = Folder()
        self._since: list[Renaming] = []
        self._safe: list[Renaming] = []

    def take(self, call: Call) -> None:
        """Does what was done."""
        if call.what == "M":
            return
        folder, name = self._place(call.path)
        match call.what:
            case "C":
                self._rename(Renaming(None, (folder, name, File())))
            case "D":
                self._rename(Renaming(None, (folder, name, Folder())))
            case "U" | "V":
                self._rename(Renaming((folder, name), None))
            case "R":
                there, its_name = self._place(call.data.decode())
                node = folder.entries[name]
                self._rename(Renaming((folder, name), (there, its_name, node)))
            case "S":
                node = folder.entries[name] if name else folder
                if isinstance(node, File):
                    node.sync()
                else:
                    self._sync(node)
            case "W" | "P" | "T":
                file = folder.entries[name]
                assert isinstance(file, File)
                cut = call.what == "T"
                change = cut_to(call.offset) if cut else write_of(call.offset, call.data)
                if call.what == "P":
                    change(file.safe)
                else:
                    file.since.append(change)
            case other:
                raise AssertionError(other)

    def _place(self, path: str) -> tuple[Folder, str]:
        """The folder that a path is in and its name there; the root has an empty name."""
        *folders, name = Path(path).relative_to(self.root).parts or ("",)
        folder = self.tree
        for part in folders:
            inner = folder.entries[part]
            assert isinstance(inner, Folder)
            folder = inner
        return folder, name

    def _rename(self, renaming: Renaming) -> None:
        _apply(renaming, lambda folder: folder.entries)
        self._since.append(renaming)

    def _sync(self, folder: Folder) -> None:
        self._safe += [renaming for renaming in self._since if id(folder) in renaming.folders()]
        self._since = [r for r in self._since if id(folder) not in r.folders()]

    def after_power_cut(self, place: Path, choose: Choice) -> None:
        """Makes the folder `place` what the disk may hold now. Locks are of the running system
        and mean nothing after it: what LMDB keeps in `lock.mdb` is left out."""
        kept = [r for r, there in zip(self._since, choose(len(self._since)), strict=True) if there]
        entries: dict[int, dict[str, File | Folder]] = {}
        for renaming in [*self._safe, *kept]:
            _apply(renaming, lambda folder: entries.setdefault(id(folder), {}))
        self._write(self.tree, place, entries, choose)

    def _write(
        self,
        folder: Folder,
        place: Path,
        entries: dict[int, dict[str, File | Folder]],
        choose: Choice,
    ) -> None:
        place.mkdir()
        for name, node in entries.get(id(folder), {}).items():
            if isinstance(node, Folder):
                self._write(node, place / name, entries, choose)
            elif name != "lock.mdb":
                (place / name).write_bytes(node.after_power_cut(choose))


def _apply(renaming: Renaming, entries: Callable[[Folder], dict[str, File | Folder]]) -> None:
    if renaming.old:
        folder, name = renaming.old
        entries(folder).pop(name, None)
    if renaming.new:
        folder, name, node = renaming.new
        entries(folder)[name] = node
