"""A source whose records say exactly which items they are, so that tests decide on every column.

It is handed to `ingest` like any source of the user, through the public protocol.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from blake3 import blake3

from vox.archive import Archive, ImportReport
from vox.sources.base import Batch, Draft, Earlier, Fidelity, ItemKind, Role, WindowDraft


class Entry(msgspec.Struct, kw_only=True, frozen=True):
    """An item, and the record it comes from."""

    window: str
    text: str
    role: Role = Role.USER
    kind: ItemKind = ItemKind.MESSAGE
    at: int = 0
    name: str | None = None
    call_id: str | None = None
    side: bool = False
    fidelity: Fidelity = Fidelity.RECORDED

    @property
    def bytes(self) -> bytes:
        return self.text.encode()


class Opening(msgspec.Struct, kw_only=True, frozen=True):
    """A window, or what became known of it."""

    window: str
    kind: str | None = None
    title: str | None = None
    repo: str | None = None
    parent: str | None = None
    link: str | None = None
    shares: int = 0
    replays: bool = False
    created_at: int | None = None


class _Line(msgspec.Struct, frozen=True):
    entry: Entry | None = None
    opening: Opening | None = None


def key(window: str) -> str:
    """The key that a window of a journal has in the archive."""
    return f"journal:{window}"


class _Reader:
    def __init__(self, state: bytes | None) -> None:
        self.lengths: dict[str, int] = msgspec.json.decode(state) if state else {}

    def read(self, records: Sequence[bytes]) -> Batch:
        batch = Batch()
        for number, record in enumerate(records):
            line = msgspec.json.decode(record, type=_Line)
            if line.opening:
                self._open(batch, line.opening)
            if line.entry:
                self._enter(batch, number, line.entry)
        batch.record_types = {"line": len(records)}
        batch.state = msgspec.json.encode(self.lengths)
        return batch

    def _open(self, batch: Batch, opening: Opening) -> None:
        if opening.window not in self.lengths:
            self.lengths[opening.window] = opening.shares
        fields = msgspec.structs.asdict(opening)
        fields["key"] = key(fields.pop("window"))
        if opening.parent is not None:
            fields["parent"] = key(opening.parent)
        batch.windows.append(WindowDraft(**fields))

    def _enter(self, batch: Batch, number: int, entry: Entry) -> None:
        if entry.window not in self.lengths:
            self._open(batch, Opening(window=entry.window))
        window = key(entry.window)
        batch.at.setdefault(window, self.lengths[entry.window])
        self.lengths[entry.window] += 1
        batch.drafts.append(
            Draft(
                window=window,
                record=number,
                role=entry.role,
                kind=entry.kind,
                body=("entry", "text"),
                created_at=entry.at,
                name=entry.name,
                call_id=entry.call_id,
                side=entry.side,
                fidelity=entry.fidelity,
            )
        )


class JournalSource:
    """Reads what `write` wrote."""

    name = "journal"
    title = "Journal"

    def roots(self) -> list[Path]:
        return []

    def discover(self, root: Path) -> Iterable[Path]:
        return sorted(root.glob("*.journal"))

    def recognises(self, path: Path, head: bytes) -> bool:
        return path.suffix == ".journal"

    def reader(self, path: Path, state: bytes | None, earlier: Earlier) -> _Reader:
        return _Reader(state)


def write(path: Path, lines: Iterable[Entry | Opening]) -> None:
    """Appends `lines` to the journal at `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        for line in lines:
            record = _Line(entry=line) if isinstance(line, Entry) else _Line(opening=line)
            file.write(msgspec.json.encode(record) + b"\n")


def ingest(archive: Archive, folder: Path) -> ImportReport:
    """Imports the journals in `folder`; all of each must be taken."""
    report = archive.ingest([JournalSource()], root=folder)
    assert report.problems == []
    return report


OF_CALLS = (ItemKind.TOOL_CALL, ItemKind.TOOL_RESULT, ItemKind.ATTACHMENT)
NAMES = ("Bash", "Read", "größer", "claude-x")


def entries(window: str, count: int, seed: int) -> Iterator[Entry]:
    """Items of every role and kind, with texts, names and times that a seed decides on."""
    pick = random.Random(seed)
    for number in range(count):
        kind = pick.choice(list(ItemKind))
        yield Entry(
            window=window,
            text=text(pick, number),
            role=pick.choice(list(Role)),
            kind=kind,
            at=1_700_000_000_000 + pick.choice([number * 1000, pick.randrange(10**6), 5]),
            name=pick.choice([None, *NAMES]),
            call_id=f"call {number // 4}" if kind in OF_CALLS and number % 5 else None,
            side=kind is ItemKind.RECORD or pick.random() < 0.05,
            fidelity=pick.choice(list(Fidelity)),
        )


def text(pick: random.Random, number: int) -> str:
    """A text: most are of their own, some occur many times, a few are empty, long or odd."""
    choices = [
        f"item {number} says {pick.random()}",
        pick.choice(["yes", "no", "Done."]),
        f"first line of {number}\n\n\tsecond line\r\nthird",
        "ä漢🙂 " * pick.randrange(60),
        f"{number} <b>&amp; \u0000\u0001\u202e\u00a0 end",
        "",
        f"{number}" * pick.randrange(300),
    ]
    return pick.choices(choices, [8, 4, 2, 2, 1, 0.5, 1])[0]


def call_number(call_id: str | None) -> int:
    """The first four bytes of the hash of a call's id, and 1 if they are 0; 0 without one."""
    if not call_id:
        return 0
    return int.from_bytes(blake3(call_id.encode()).digest()[:4], "little") or 1


def row(entry: Entry) -> dict[str, Any]:
    """What the columns of an item must say of its entry, but for places, previews and hashes."""
    return {
        "role": entry.role.name.lower(),
        "kind": entry.kind.name.lower(),
        "created_at": entry.at,
        "byte_len": len(entry.bytes),
        "name": entry.name,
        "call": call_number(entry.call_id),
        "fidelity": entry.fidelity.name.lower(),
        "side": entry.side or entry.kind is ItemKind.RECORD,
    }
