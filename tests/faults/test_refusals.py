"""What the system refuses in the middle of an operation: room, rights, a working disk, memory.

The error says so, nothing that was acknowledged is lost, and once the trouble is over the archive
goes on: in the process that had it, and in others.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.faults.facts import Told
from tests.faults.operations import OPERATIONS
from tests.faults.workers import Outcome, Workers

SOAK = int(os.environ.get("VOX_SOAK", "1"))

FAILURES = {
    "ENOSPC": "disk_full",
    "EDQUOT": "disk_full",
    "EROFS": "read_only",
    "EACCES": "permission_denied",
    "EIO": "io",
}


OUT_OF_MEMORY = ("MemoryError", "can't start new thread")
"""How Python says that it has no memory left."""


def endure(workers: Workers, folder: Path, **how: Any) -> tuple[Outcome, Told, str | None]:
    """Lets a process get into trouble, and asserts that what it says of the archive is right, each
    time. Gives what it said last, and the error it got."""
    disk, inputs = folder / "disk", folder / "in"
    disk.mkdir(parents=True)
    inputs.mkdir()
    outcome = workers.run("endure", disk=disk, inputs=inputs, **how)
    told = Told({})
    error = None
    for line in outcome.said:
        if "fault" in line and any(sign in line["fault"] for sign in OUT_OF_MEMORY):
            error = "no memory"
        elif "seen" in line:
            where = (how, told.under_way and told.under_way.operation, told.error)
            assert line["seen"]["findings"] == [], where
            assert told.wrong(line["seen"]["facts"]) == [], where
            told = Told(line["seen"]["facts"])
        else:
            told.hear(line)
            error = error or (told.error and told.error["error"])
    return outcome, told, error


def look_again(workers: Workers, folder: Path, told: Told) -> None:
    """Asserts that another process sees what the one in trouble was told."""
    change = told.under_way
    names = sorted(told.facts.keys() | (change.facts.keys() if change else set()))
    seen = workers.run("look", disk=folder / "disk", names=names).answer
    assert seen["findings"] == []
    assert told.wrong(seen["facts"]) == []


@pytest.mark.parametrize("refusal", FAILURES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_call_that_is_refused_is_a_clear_error_and_loses_nothing(
    interposed: Workers, tmp_path: Path, operation: str, refusal: str
) -> None:
    errors: Counter[str | None] = Counter()
    for seed in range(SOAK):
        folder = tmp_path / str(seed)
        first = 1 + (len(operation + refusal) + seed * 3) % 5
        fail = (refusal, first, 10**6, refusal == "EIO")
        outcome, told, error = endure(
            interposed, folder, seed=seed, operation=operation, trouble={"fail": fail}
        )
        assert outcome.ended == 0, outcome.said[-1]
        look_again(interposed, folder, told)
        errors[error] += 1
    assert errors == {FAILURES[refusal]: SOAK}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_disk_that_gets_full_loses_nothing_and_goes_on_once_there_is_room(
    workers: Workers, small_disks: None, tmp_path: Path, operation: str
) -> None:
    for seed in range(SOAK):
        outcome, _, error = endure(
            workers, tmp_path / str(seed), seed=seed, operation=operation, disk_bytes=32 << 20
        )
        assert outcome.ended == 0, outcome.said[-1]
        assert error in (None, "disk_full")


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_disk_that_is_remounted_read_only_is_read_and_says_so(
    workers: Workers, small_disks: None, tmp_path: Path, operation: str
) -> None:
    outcome, _, error = endure(
        workers, tmp_path, seed=1, operation=operation, disk_bytes=64 << 20, read_only=True
    )
    assert outcome.ended == 0, outcome.said[-1]
    assert error == "read_only"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_limit_on_the_size_of_files_is_a_full_disk(
    workers: Workers, tmp_path: Path, operation: str
) -> None:
    for seed, more in enumerate([0, 3000, 40_000, 300_000][: 2 + 2 * (SOAK > 1)]):
        folder = tmp_path / str(seed)
        outcome, told, error = endure(
            workers, folder, seed=seed, operation=operation, trouble={"file_size": more}
        )
        assert outcome.ended == 0, outcome.said[-1]
        assert error in (None, "disk_full")
        look_again(workers, folder, told)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps to RLIMIT_AS")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_where_memory_is_short_nothing_is_lost(
    workers: Workers, tmp_path: Path, operation: str
) -> None:
    """What vox asks the system for ends in an error; where an allocator has nothing left to give,
    the process ends, as any would."""
    for seed, more in enumerate([20, 60, 100, 150, 300][:: 1 if SOAK > 1 else 2]):
        folder = tmp_path / str(seed)
        outcome, told, error = endure(
            workers, folder, seed=seed, operation=operation, trouble={"address_space": more << 20}
        )
        ends = (1,) if error == "no memory" else (0, -signal.SIGABRT)
        assert outcome.ended in ends, outcome.said[-1]
        assert error in (None, "address_space", "map_full", "no memory")
        look_again(workers, folder, told)
