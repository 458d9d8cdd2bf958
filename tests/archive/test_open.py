"""Opening an archive: where it is looked for, what stands in the way, and who shares it."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
from pathlib import Path

import lmdb
import msgspec
import pytest

import vox
from tests.archive import journal
from vox.errors import (
    ClosedError,
    DamagedError,
    NotAnArchiveError,
    NotFoundError,
    ReadOnlyError,
    VoxError,
    WrongVersionError,
)

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork()")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """An archive with one window of three items, closed."""
    place = tmp_path / "place"
    journal.write(tmp_path / "in" / "a.journal", journal.entries("a", 3, seed=1))
    with vox.open(place) as archive:
        journal.ingest(archive, tmp_path / "in")
    return place


def data_file(place: Path) -> Path:
    (data,) = place.glob("db/*/data.mdb")
    return data


# Where.


def test_without_a_path_the_archive_of_the_user_is_opened_and_made(home: Path) -> None:
    assert not home.exists()
    with vox.open() as archive:
        assert archive.path == home / "archive"
        assert archive.count_windows() == 0
    assert (home / "archive" / "CURRENT").read_text() == "vox-archive 2 1\n"


def test_a_path_may_be_relative_or_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with vox.open("here/below") as archive:
        assert archive.path == tmp_path / "here" / "below"
    with vox.open(Path("here/below")) as archive:
        assert archive.path == tmp_path / "here" / "below"


def test_a_name_that_is_no_utf8_is_a_name(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    try:
        (tmp_path / name).mkdir()
    except OSError:
        pytest.skip("this file system wants UTF-8")
    with vox.open(tmp_path / name) as archive:
        assert archive.path == tmp_path / name


# What stands in the way.


@pytest.mark.parametrize("read_only", [False, True])
def test_a_missing_archive_is_made_only_when_asked_for(tmp_path: Path, read_only: bool) -> None:
    missing = tmp_path / "missing"
    with pytest.raises(NotFoundError, match=r"missing holds no archive; `vox import` makes one"):
        vox.open(missing, create=False, read_only=read_only)
    assert not missing.exists()


def test_reading_only_never_makes_an_archive(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="holds no archive"):
        vox.open(tmp_path / "missing", read_only=True)
    assert not (tmp_path / "missing").exists()


def test_an_empty_folder_becomes_an_archive_only_when_asked_for(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(NotAnArchiveError, match="empty holds no archive"):
        vox.open(empty, create=False)
    assert list(empty.iterdir()) == []
    with vox.open(empty) as archive:
        assert archive.count_windows() == 0


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "cat.jpg").write_bytes(b"cat")
    with pytest.raises(NotAnArchiveError, match="holds files but no vox archive"):
        vox.open(folder)
    assert [file.name for file in folder.iterdir()] == ["cat.jpg"]


def test_a_file_is_no_archive(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("notes")
    with pytest.raises(NotAnArchiveError, match=r"notes\.txt is a file, not an archive"):
        vox.open(file)
    assert file.read_text() == "notes"


@pytest.mark.parametrize("text", [b"", b"hello", b"vox-archive 2", b"\xff\xfe", b"vox-archive 2 x"])
def test_a_strange_current_file_is_no_archive(place: Path, text: bytes) -> None:
    (place / "CURRENT").write_bytes(text)
    with pytest.raises(NotAnArchiveError, match="isn't a vox CURRENT file"):
        vox.open(place)


def test_a_newer_format_in_current_asks_for_a_newer_vox(place: Path) -> None:
    (place / "CURRENT").write_text("vox-archive 3 1\n")
    with pytest.raises(WrongVersionError, match=r"archive format 3; .* use a newer vox"):
        vox.open(place)


def test_a_newer_format_in_the_data_is_told_from_damage(place: Path) -> None:
    with lmdb.open(str(data_file(place).parent), max_dbs=1) as env:
        meta = env.open_db(b"meta")
        with env.begin(write=True) as txn:
            assert txn.put(b"format", msgspec.msgpack.encode(7), db=meta)
    with pytest.raises(WrongVersionError, match="archive format 7; this vox reads 2"):
        vox.open(place)


def test_a_generation_that_is_missing_is_damage(place: Path) -> None:
    (place / "CURRENT").write_text("vox-archive 2 9\n")
    with pytest.raises(DamagedError, match=r"data\.mdb is missing"):
        vox.open(place)


def test_a_foreign_data_file_is_no_archive(place: Path) -> None:
    data_file(place).write_bytes(b"SQLite format 3\0" + bytes(1 << 16))
    with pytest.raises(NotAnArchiveError, match="isn't an LMDB file"):
        vox.open(place)


@pytest.mark.parametrize("length", [0, 1, 4096, 8191, 8192, 20_000, -4096, -1])
def test_a_file_that_is_cut_off_is_damage_wherever_it_ends(place: Path, length: int) -> None:
    data = data_file(place)
    size = data.stat().st_size
    os.truncate(data, length % size)
    for read_only in (False, True):
        with pytest.raises(DamagedError, match=r"is cut off: .* run `vox archive verify`"):
            vox.open(place, read_only=read_only)
    assert data.stat().st_size == length % size, "what is left must stay as it is"


def test_every_error_of_opening_has_its_code_and_names_the_place(tmp_path: Path) -> None:
    with pytest.raises(VoxError) as raised:
        vox.open(tmp_path / "missing", create=False)
    assert raised.value.code == "not_found"
    assert str(tmp_path / "missing") in str(raised.value)
    assert isinstance(raised.value, LookupError)


# Reading only.


def test_an_archive_opened_for_reading_shows_all_and_takes_nothing(
    place: Path, tmp_path: Path
) -> None:
    journal.write(tmp_path / "in" / "a.journal", journal.entries("a", 2, seed=2))
    before = data_file(place).read_bytes()
    with vox.open(place, read_only=True) as archive:
        assert len(archive.window("journal:a")) == 3
        report = archive.ingest([journal.JournalSource()], root=tmp_path / "in")
        assert [problem.reason for problem in report.problems] == ["read_only"]
        assert report.added == 0
        assert len(archive.window("journal:a")) == 3
        assert archive.verify().ok
    assert data_file(place).read_bytes() == before
    store = vox.ContentStore(place, read_only=True)
    with pytest.raises(ReadOnlyError, match="was opened for reading only"):
        store.put(b"x")


# Sharing.


def test_an_archive_that_is_opened_twice_is_one(place: Path, tmp_path: Path) -> None:
    journal.write(tmp_path / "in" / "b.journal", journal.entries("b", 4, seed=3))
    with vox.open(place) as first, vox.open(place) as second:
        reader = vox.open(place, read_only=True)
        journal.ingest(first, tmp_path / "in")
        assert len(second.window("journal:b")) == 4
        assert len(reader.window("journal:b")) == 4
        first.close()
        assert len(second.window("journal:b")) == 4, "one lets go, the other goes on"
        reader.close()


def test_another_name_of_the_same_archive_shares_it_too(place: Path, tmp_path: Path) -> None:
    alias = tmp_path / "alias"
    alias.symlink_to(place)
    with vox.open(place) as first, vox.open(alias) as second:
        journal.write(tmp_path / "in" / "b.journal", journal.entries("b", 4, seed=3))
        journal.ingest(second, tmp_path / "in")
        assert len(first.window("journal:b")) == 4


def test_a_content_store_and_an_archive_share_one_file(place: Path) -> None:
    with vox.open(place) as archive:
        item = archive.window("journal:a").items(trimmed="show", records=True).column("item")[0]
        content = archive.read(item)
        store = vox.ContentStore(place)
        (counts,) = store.refs([vox.hash_many([content])])
        assert counts is not None
        assert counts[0] >= 1, "the window names it"
        assert store.get(vox.hash_many([content])) == content


def test_what_was_closed_refuses_everything_but_another_close(place: Path) -> None:
    archive = vox.open(place)
    window = archive.window("journal:a")
    archive.close()
    archive.close()
    uses = [
        archive.count_windows,
        archive.windows,
        archive.timeline,
        archive.stats,
        archive.verify,
        archive.ingest,
        lambda: archive.window("journal:a"),
        lambda: archive.read(0),
        lambda: archive.path,
        lambda: archive.warnings,
        lambda: window.items(trimmed="only"),
    ]
    for use in uses:
        with pytest.raises(ClosedError, match="the archive was closed"):
            use()
    with vox.open(place) as again:
        assert again.count_windows() == 1


def test_leaving_the_block_closes_also_after_an_error(place: Path) -> None:
    with pytest.raises(ZeroDivisionError), vox.open(place) as archive:
        _ = 1 / 0
    with pytest.raises(ClosedError):
        archive.count_windows()


def test_a_closed_archive_leaves_no_file_open(place: Path) -> None:
    folder = Path("/proc/self/fd")
    if not folder.exists():
        pytest.skip("this system doesn't list open files")

    def opened() -> list[str]:
        targets = [str(entry.readlink()) for entry in folder.iterdir() if entry.is_symlink()]
        return [target for target in targets if target.startswith(str(place))]

    archive = vox.open(place)
    archive.count_windows()
    assert opened()
    archive.close()
    assert opened() == []
    shutil.rmtree(place)


# Processes.


@needs_fork
def test_a_forked_child_is_told_to_open_again_and_the_parent_goes_on(place: Path) -> None:
    # In a process of its own: pytest's may have threads, with which fork() is unsafe.
    program = """
import os, sys, vox
from vox.errors import ForkedError
archive = vox.open(sys.argv[1])
store = vox.ContentStore(sys.argv[1])
window = archive.window("journal:a")
child = os.fork()
if child == 0:
    refused = 0
    uses = [archive.count_windows, window.items, lambda: store.put(b"x"),
            lambda: vox.open(sys.argv[1])]
    for use in uses:
        try:
            use()
        except ForkedError as error:
            assert "fork()" in str(error), error
            refused += 1
    os._exit(refused)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 4, status
assert len(archive.window("journal:a")) == 3
store.put(b"after")
child = os.fork()
if child == 0:
    archive.close()
    del store, archive, window
    with vox.open(sys.argv[1]) as again:
        assert len(again.window("journal:a")) == 3
        vox.ContentStore(sys.argv[1]).put(b"from the child")
    os._exit(0)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0, status
store.put(b"from the parent")
assert store.refs([vox.hash_many([b"from the child"])]) == [(0, 1)]
assert archive.verify().ok
"""
    ran = subprocess.run(
        [sys.executable, "-c", program, str(place)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr


def _count(place: Path) -> int:
    with vox.open(place) as archive:
        vox.ContentStore(place).put(b"from a child")
        return len(archive.window("journal:a"))


def test_spawned_processes_open_the_archive_that_the_parent_has_open(place: Path) -> None:
    with vox.open(place) as archive:
        context = multiprocessing.get_context("spawn")
        with context.Pool(2) as pool:
            assert pool.map(_count, [place] * 4) == [3] * 4
        assert vox.ContentStore(place).refs([vox.hash_many([b"from a child"])]) == [(0, 4)]
        assert len(archive.window("journal:a")) == 3
