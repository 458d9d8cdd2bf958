"""Counts that are kept while everything goes wrong: none is wrong, and no fault of a disk is one of
whoever counts."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path
from typing import Any

import pytest

import vox
from tests.faults import disk
from tests.faults.workers import Workers
from vox.archive import NewItem
from vox.sources.base import ItemKind, Role

SOAK = int(os.environ.get("VOX_SOAK", "1"))
WINDOWS = 6


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an archive in it."""
    (tmp_path / "disk").mkdir()
    with vox.open(tmp_path / "disk" / "archive") as archive:
        for number in range(WINDOWS):
            pick = random.Random(number)
            texts = [f"{n} " + "größe, tokens; " * pick.randrange(30) for n in range(150)]
            items = [NewItem(content=t, role=Role.USER, kind=ItemKind.MESSAGE) for t in texts]
            archive.append(f"w{number}", items)
    return tmp_path / "disk"


def count(workers: Workers, folder: Path, **how: Any) -> list[bool]:
    """Counts all items; gives of which windows the counts were kept."""
    answer = workers.run("count", disk=folder, **how).answer
    assert answer["wrong"] == []
    kept: list[bool] = answer["kept"]
    return kept


def test_counts_are_kept_where_nothing_goes_wrong(workers: Workers, folder: Path) -> None:
    for _ in range(2):
        assert count(workers, folder) == [True] * WINDOWS
    assert len(list((folder / "archive" / "counts").glob("*/items"))) == 2


def test_who_is_killed_while_counts_are_kept_leaves_none_that_is_wrong(
    interposed: Workers, folder: Path
) -> None:
    killed = 0
    for at in range(1, 60 * SOAK, 2):
        outcome = interposed.run("count", disk=folder, trouble={"kill_at": at})
        killed += outcome.ended == -signal.SIGKILL
        if at % 4 == 1:
            assert count(interposed, folder) == [True] * WINDOWS
            for path in (folder / "archive" / "counts").glob("*/*"):
                path.unlink()
    assert killed > 10
    assert count(interposed, folder) == [True] * WINDOWS


@pytest.mark.parametrize("refusal", ["ENOSPC", "EIO", "EROFS", "EACCES", "EDQUOT"])
def test_a_call_that_is_refused_only_keeps_counts_from_being_kept(
    interposed: Workers, folder: Path, refusal: str
) -> None:
    for first in (1, 2, 5, 9):
        fail = (refusal, first, 10**6, True)
        assert not all(count(interposed, folder, trouble={"fail": fail}))
        for path in (folder / "archive").glob("counts/*/*"):
            path.unlink()
    assert count(interposed, folder) == [True] * WINDOWS


@pytest.mark.parametrize("leave", [0, 4096, 9000, 20_000, 70_000])
def test_a_full_disk_only_keeps_counts_from_being_kept(
    workers: Workers, small_disks: None, tmp_path: Path, leave: int
) -> None:
    outcome = workers.run("count_on_a_small_disk", disk=tmp_path, leave=leave)
    assert outcome.ended == 0, outcome.said
    full, empty = outcome.said
    assert full["wrong"] == empty["wrong"] == []
    assert leave >= 20_000 or not all(full["kept"])
    assert all(empty["kept"])


def test_after_a_power_cut_no_count_is_wrong(interposed: Workers, folder: Path) -> None:
    data = next((folder / "archive" / "db").glob("*/data.mdb")).read_bytes()
    record = folder.parent / "recorded"
    count(interposed, folder, trouble={"record": str(record)})
    pick = random.Random(SOAK)
    calls = list(disk.recording(record))
    for moment in sorted(pick.sample(range(1, len(calls)), min(12 * SOAK, len(calls) - 1))):
        model = disk.Disk(str(folder))
        for path in ("archive", "archive/counts"):
            model.take(disk.Call("D", str(folder / path), 0, b""))
        for call in calls[:moment]:
            if "/counts/" in call.path or call.path.endswith("/counts"):
                model.take(call)
        after = folder.parent / f"after{moment}"
        model.after_power_cut(after, disk.some(pick))
        whole = after / "archive"
        (whole / "db" / "1").mkdir(parents=True)
        (whole / "db" / "1" / "data.mdb").write_bytes(data)
        (whole / "CURRENT").write_text("vox-archive 2 1\n")
        assert count(interposed, after) == [True] * WINDOWS


def test_a_disk_that_cant_be_written_uses_the_counts_that_are_there(
    workers: Workers, folder: Path
) -> None:
    assert count(workers, folder) == [True] * WINDOWS
    with vox.open(folder / "archive", read_only=True) as archive:
        counted = archive.window("w0").count_tokens("gpt-4o")
        assert counted.known == len(counted.tokens)
