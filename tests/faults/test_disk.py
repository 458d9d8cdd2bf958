"""The model of a disk that `test_power_cut.py` relies on."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.faults import disk
from tests.faults.workers import Workers


def after_power_cut(folder: Path, choose: disk.Choice) -> dict[str, bytes]:
    """The files that are there after a power cut at the end of a recording, and their bytes."""
    model = disk.Disk(str(folder / "here"))
    for call in disk.recording(folder / "recorded"):
        model.take(call)
    there = folder / f"there{random.randrange(1 << 30)}"
    model.after_power_cut(there, choose)
    return {str(p.relative_to(there)): p.read_bytes() for p in there.rglob("*") if p.is_file()}


@pytest.fixture
def recorded(interposed: Workers, tmp_path: Path) -> Path:
    """A folder with a recording of what `jobs.some_calls` does."""
    (tmp_path / "here").mkdir()
    done = interposed.run("some_calls", folder=tmp_path / "here", recorded=tmp_path / "recorded")
    assert done.answer == "done"
    return tmp_path


def test_of_what_was_not_synced_nothing_is_sure(recorded: Path) -> None:
    assert after_power_cut(recorded, disk.nothing) == {
        "in folder/synced": b"synced",
        "in folder/not synced": b"",
        "in folder/named": b"new",
        "synced by each write": b"one two",
    }


def test_all_of_it_may_be_there(recorded: Path) -> None:
    there = after_power_cut(recorded, lambda count: [True] * count)
    here = recorded / "here"
    files = {str(p.relative_to(here)): p.read_bytes() for p in here.rglob("*") if p.is_file()}
    assert there == files
    assert files == {
        "in folder/synced": b"synced and more",
        "in folder/not synced": b"not",
        "in folder/renamed": b"new",
        "in folder/of no entry": b"synced, but not its folder",
        "synced by each write": b"one two",
    }


def test_a_part_of_it_may_be_there(recorded: Path) -> None:
    pick = random.Random(1)
    seen = {frozenset(after_power_cut(recorded, disk.some(pick)).items()) for _ in range(60)}
    assert len(seen) > 8
