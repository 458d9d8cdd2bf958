"""Copies of an archive while it is in use."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import vox
from tests.archive.contents import contents
from tests.archive.transcripts import session, write
from vox.archive import Archive
from vox.archive.append import NewItem
from vox.errors import BusyError, InvalidArgumentError
from vox.sources.base import ItemKind, Role


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_a_backup_is_an_archive_that_holds_the_same(archive: Archive, tmp_path: Path) -> None:
    write(tmp_path / "sessions", session(400))
    archive.ingest(paths=[tmp_path / "sessions"])
    (key,) = vox.ContentStore(archive.path).put_many([b"held"])
    report = archive.backup(tmp_path / "below" / "copy")
    assert report.path == str(tmp_path / "below" / "copy")
    assert names(tmp_path / "below") == ["copy"]
    with vox.open(report.path, create=False) as copy:
        assert copy.verify().ok
        assert contents(copy) == contents(archive)
        numbers, before = copy.stats(), archive.stats()
        assert numbers["file_bytes"] == report.bytes
        assert numbers["events"] == before["events"]
        assert vox.ContentStore(report.path).refs([key]) == [(0, 1)]
        # It goes on by itself.
        assert copy.ingest(paths=[tmp_path / "sessions"]).unchanged == 1
        copy.compact()
        assert copy.verify().ok


def test_an_archive_that_is_opened_for_reading_only_can_be_copied(
    archive: Archive, tmp_path: Path
) -> None:
    write(tmp_path / "sessions", session(20))
    archive.ingest(paths=[tmp_path / "sessions"])
    (tmp_path / "copy").mkdir()
    with vox.open(archive.path, read_only=True) as reader:
        reader.backup(tmp_path / "copy")
    with vox.open(tmp_path / "copy", create=False) as copy:
        assert contents(copy) == contents(archive)


def test_what_is_there_is_never_written_over(archive: Archive, tmp_path: Path) -> None:
    archive.backup(tmp_path / "copy")
    before = (tmp_path / "copy/db/1/data.mdb").read_bytes()
    file = tmp_path / "file"
    file.write_text("mine")
    for taken in (tmp_path / "copy", file, archive.path):
        with pytest.raises(InvalidArgumentError, match="holds something"):
            archive.backup(taken)
    assert (tmp_path / "copy/db/1/data.mdb").read_bytes() == before
    assert file.read_text() == "mine"
    assert names(tmp_path) == ["archive", "copy", "file"]


def test_a_backup_that_finds_no_room_leaves_nothing(archive: Archive, tmp_path: Path) -> None:
    write(tmp_path / "sessions", session(400))
    archive.ingest(paths=[tmp_path / "sessions"])
    before = names(tmp_path)
    resource = pytest.importorskip("resource", reason="this system has no limits of files")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        with pytest.raises((vox.VoxError, OSError)):
            archive.backup(tmp_path / "copy")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert names(tmp_path) == before
    archive.backup(tmp_path / "copy")


def test_a_backup_is_one_moment_of_an_archive_that_is_written_and_compacted(
    archive: Archive, tmp_path: Path
) -> None:
    done = threading.Event()

    def say() -> None:
        number = 0
        while not done.is_set():
            # Two windows in one transaction each: both are as long, or the first is longer by one.
            for key in ("first", "second"):
                item = NewItem(content=f"{number}", role=Role.USER, kind=ItemKind.MESSAGE)
                archive.append(key, [item])
            number += 1

    def compact() -> None:
        while not done.is_set():
            archive.compact()

    threads = [threading.Thread(target=say), threading.Thread(target=compact)]
    for thread in threads:
        thread.start()
    lengths = []
    for number in range(8):
        report = archive.backup(tmp_path / f"copy-{number}")
        with vox.open(report.path, create=False) as copy:
            assert copy.verify().ok
            both = {row["key"]: row["items"] for row in copy.windows().to_pylist()}
            assert both.get("first", 0) - both.get("second", 0) in (0, 1)
            lengths.append(both.get("first", 0))
    done.set()
    for thread in threads:
        thread.join()
    assert lengths == sorted(lengths)


def test_what_a_killed_backup_left_is_written_over_by_the_next(
    archive: Archive, tmp_path: Path
) -> None:
    write(tmp_path / "sessions", session(100))
    archive.ingest(paths=[tmp_path / "sessions"])
    copies = tmp_path / "copies"
    draft = copies / ".copy.draft"
    (draft / "db/1").mkdir(parents=True)
    (draft / "db/1/data.mdb").write_bytes(b"half a copy " * 500_000)
    (draft / "CURRENT").write_text("vox-archive 2 1\n")
    archive.backup(copies / "copy")
    assert names(copies) == ["copy"]
    with vox.open(copies / "copy", create=False) as copy:
        assert copy.verify().ok
        assert contents(copy) == contents(archive)


def test_two_backups_to_one_place_do_not_write_the_same_draft(
    archive: Archive, tmp_path: Path
) -> None:
    fcntl = pytest.importorskip("fcntl", reason="this system has no flock")
    draft = tmp_path / ".copy.draft/db/1/data.mdb"
    draft.parent.mkdir(parents=True)
    with draft.open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(BusyError, match="another backup"):
            archive.backup(tmp_path / "copy")
    archive.backup(tmp_path / "copy")
    assert (tmp_path / "copy/CURRENT").exists()
