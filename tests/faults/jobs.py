"""What the processes of `workers.py` do."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any

import msgspec

import vox
from tests.faults import facts, interposing
from tests.faults.facts import Change, Facts
from tests.faults.operations import OPERATIONS, Bench
from tests.faults.workers import Say
from vox.archive import verify_path
from vox.errors import VoxError


class Trouble(msgspec.Struct, frozen=True):
    """What the interposer does to a process once it works."""

    kill_at: int | None = None
    fail: tuple[str, int, int, bool] | None = None
    """Error, first call, how many calls, whether syncs fail too."""
    room: int | None = None
    record: str | None = None
    """A file for the journal of calls."""


def work(
    say: Say,
    disk: str,
    inputs: str,
    seed: int,
    known: Facts,
    operations: list[str],
    steps: int | None = None,
    trouble: dict[str, Any] | None = None,
) -> None:
    """Does random ones of `operations` to the archive below the folder `disk`, so many or without
    end. Says what each is about to make true, and when it is; the error if there is one."""
    if trouble is not None:
        make(disk, msgspec.convert(trouble, Trouble))
    marked = trouble is not None and trouble.get("record") is not None
    bench = Bench(Path(disk) / "archive", Path(inputs), seed, known)

    def tell(line: Any) -> None:
        if marked:
            interposing.mark(msgspec.json.encode(line).decode())
        say(line)

    try:
        for _ in itertools.count() if steps is None else range(steps):
            name = bench.pick.choice(operations)
            operation = OPERATIONS[name]
            under_way = operation.steps(bench)
            coming = next(under_way, None)
            while coming is not None:
                tell({"begin": Change(name, coming, operation.piecewise)})
                after = next(under_way, None)
                tell({"done": name})
                bench.facts |= coming
                coming = after
    except VoxError as error:
        tell({"error": error.code, "message": str(error)})


def make(disk: str, trouble: Trouble) -> None:
    """Lets the interposer make trouble from now on."""
    interposing.watch(disk)
    if trouble.kill_at is not None:
        interposing.kill_at(trouble.kill_at)
    if trouble.fail is not None:
        code, first, count, syncs = trouble.fail
        interposing.fail(code, first, count, syncs=syncs)
    if trouble.room is not None:
        interposing.room(trouble.room)
    if trouble.record is not None:
        interposing.record(os.open(trouble.record, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600))


def look(say: Say, disk: str, names: list[str], writes: bool = True) -> None:
    """Says the facts of an archive, and what verify finds; then it must take a write."""
    place = Path(disk) / "archive"
    with vox.open(place):  # makes it where it was never finished
        pass
    report = verify_path(place)
    findings = [str(finding) for finding in report.findings]
    actual = facts.of(place, names)
    if writes:
        vox.ContentStore(place).put(b"written after it was looked at")
    say({"findings": findings, "facts": actual})


def again(say: Say, disk: str, inputs: str, operation: str, known: Facts) -> None:
    """Completes an operation that was cut off."""
    complete = OPERATIONS[operation].again
    assert complete
    complete(Bench(Path(disk) / "archive", Path(inputs), 0, known))
    say("completed")


def some_calls(say: Say, folder: str, recorded: str) -> None:
    """Writes, syncs and renames some files below `folder`, for tests of what is made of it."""
    make(folder, Trouble(record=recorded))
    inside = Path(folder) / "in folder"
    inside.mkdir()
    for name in ("synced", "not synced", "draft"):
        (inside / name).touch()
    each = os.open(Path(folder) / "synced by each write", os.O_CREAT | os.O_WRONLY | os.O_DSYNC)
    os.write(each, b"one ")
    os.pwrite(each, b"two", 4)
    file = os.open(inside / "synced", os.O_WRONLY)
    os.write(file, b"synced but this")
    os.ftruncate(file, 6)
    os.fsync(file)
    os.pwrite(file, b" and more", 6)
    (inside / "not synced").write_bytes(b"not")
    draft = os.open(inside / "draft", os.O_WRONLY)
    os.write(draft, b"new")
    os.fdatasync(draft)
    (inside / "draft").rename(inside / "named")
    for place in (inside, folder):
        entries = os.open(place, os.O_RDONLY)
        os.fsync(entries)
    (inside / "named").rename(inside / "renamed")
    unknown = os.open(inside / "of no entry", os.O_CREAT | os.O_WRONLY)
    os.write(unknown, b"synced, but not its folder")
    os.fsync(unknown)
    say("done")
