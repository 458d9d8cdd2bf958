"""The search index while everything goes wrong: no search gives other hits than the texts do, and
no fault of the index is one of the archive."""

from __future__ import annotations

import os
import random
import shutil
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import vox
from tests.faults import jobs
from tests.faults.workers import Workers
from vox.archive import NewItem, verify_path
from vox.sources.base import ItemKind, Role

SOAK = int(os.environ.get("VOX_SOAK", "1"))
WINDOWS = 6


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an archive in it that has no index yet."""
    (tmp_path / "disk").mkdir()
    with vox.open(tmp_path / "disk" / "archive") as archive:
        jobs.texts_to_index(archive, WINDOWS)
    return tmp_path / "disk"


def current(folder: Path) -> Path:
    """The folder of the index in use."""
    search = folder / "archive" / "search"
    return search / (search / "CURRENT").read_text().strip()


def assert_right(answer: dict[str, Any], states: set[str]) -> None:
    """The hits are those that the texts give, and the states of the answers are as expected."""
    assert answer["wrong"] == []
    assert set(answer["states"]) <= states, answer


def assert_whole(workers: Workers, folder: Path) -> None:
    """Whatever was before: the index can be brought up to date, and is used then."""
    answer = workers.run("index", disk=folder).answer
    assert answer["error"] is None
    assert_right(answer, {"complete"})


def test_who_is_killed_while_indexing_leaves_no_wrong_hits(
    interposed: Workers, folder: Path
) -> None:
    killed = 0
    for at in range(1, 120 * SOAK, 7):
        outcome = interposed.run("index", disk=folder, trouble={"kill_at": at})
        killed += outcome.ended == -signal.SIGKILL
        with vox.open(folder / "archive") as archive:
            assert_right(jobs.searched(archive), {"complete", "not_indexed"})
        if at % 2:
            assert_whole(interposed, folder)
            shutil.rmtree(folder / "archive" / "search")
    assert killed > 10
    assert_whole(interposed, folder)
    assert verify_path(folder / "archive").ok


def test_who_is_killed_while_catching_up_leaves_the_index_as_it_was(
    interposed: Workers, folder: Path
) -> None:
    assert_whole(interposed, folder)
    for at in range(1, 60 * SOAK, 7):
        with vox.open(folder / "archive") as archive:
            item = NewItem(content=f"{at} größe, tokens", role=Role.USER, kind=ItemKind.MESSAGE)
            archive.append("more", [item])
        interposed.run("index", disk=folder, trouble={"kill_at": at})
        with vox.open(folder / "archive") as archive:
            assert_right(jobs.searched(archive), {"complete"})
    assert_whole(interposed, folder)


@pytest.mark.parametrize("refusal", ["ENOSPC", "EIO", "EROFS", "EACCES", "EDQUOT"])
def test_a_call_that_is_refused_only_keeps_the_index_from_being_made(
    interposed: Workers, folder: Path, refusal: str
) -> None:
    for first in (1, 2, 5, 9, 20):
        fail = (refusal, first, 10**6, True)
        answer = interposed.run("index", disk=folder, trouble={"fail": fail}).answer
        assert answer["error"] is not None
        assert_right(answer, {"not_indexed"})
    assert_whole(interposed, folder)
    assert verify_path(folder / "archive").ok


@pytest.mark.parametrize("leave", [0, 4096, 20_000, 70_000, 300_000])
def test_a_full_disk_only_keeps_the_index_from_being_made(
    workers: Workers, small_disks: None, tmp_path: Path, leave: int
) -> None:
    outcome = workers.run("index_on_a_small_disk", disk=tmp_path, leave=leave)
    assert outcome.ended == 0, outcome.said
    full, empty = outcome.said
    # What a thread of the indexer met isn't told apart.
    assert full["error"] in {"disk_full", "io", None}, full
    assert full["error"] or leave >= 70_000
    assert_right(full, {"not_indexed"} if full["error"] else {"complete"})
    assert_right(empty, {"complete"})


def test_several_who_index_at_once_leave_one_index(folder: Path) -> None:
    with Workers(None) as one, Workers(None) as two, ThreadPoolExecutor() as pool:
        for _ in range(3 * SOAK):
            done = [pool.submit(who.run, "index", disk=folder) for who in (one, two)]
            for answer in (each.result().answer for each in done):
                assert answer["error"] is None
                assert_right(answer, {"complete", "not_indexed"})
            assert_whole(one, folder)
            shutil.rmtree(folder / "archive" / "search")


def test_searches_stay_right_while_the_index_is_removed_cut_off_or_made_anew(
    workers: Workers, folder: Path
) -> None:
    pick = random.Random(SOAK)
    with vox.open(folder / "archive") as archive:
        for _ in range(2 * SOAK):
            archive.update_index()
            assert_right(jobs.searched(archive), {"complete"})
            archive.reindex()
            assert_right(jobs.searched(archive), {"complete"})
            path = pick.choice(sorted(current(folder).glob("[0-9a-f]*")))
            # What maps the file keeps what it mapped; whoever opens it sees the rest.
            whole = path.read_bytes()
            path.unlink()
            path.write_bytes(whole[: len(whole) // 2])
            with vox.open(folder / "archive") as other:
                assert_right(jobs.searched(other), {"not_indexed"})
            assert_right(jobs.searched(archive), {"complete", "not_indexed"})
            shutil.rmtree(current(folder))
            assert_right(jobs.searched(archive), {"not_indexed"})
    assert_whole(workers, folder)


def test_a_copied_archive_has_an_index_that_can_be_used(workers: Workers, folder: Path) -> None:
    assert_whole(workers, folder)
    elsewhere = folder.parent / "elsewhere"
    shutil.copytree(folder, elsewhere)
    with vox.open(elsewhere / "archive") as archive:
        assert_right(jobs.searched(archive), {"complete"})
        jobs.texts_to_index(archive, WINDOWS + 1)
        assert_right(jobs.searched(archive), {"complete"})


def test_searches_while_an_index_is_built_use_the_one_before(folder: Path) -> None:
    with (
        vox.open(folder / "archive") as archive,
        vox.open(folder / "archive") as builder,
        ThreadPoolExecutor() as pool,
    ):
        archive.update_index()
        for _ in range(2 * SOAK):
            done = pool.submit(builder.reindex)
            finished = False
            while not finished:
                finished = done.done()
                assert_right(jobs.searched(archive), {"complete"})
            assert done.result().anew
