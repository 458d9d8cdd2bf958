"""An archive that is compacted while it is used."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import vox
from tests.archive.contents import contents, every_item, items
from tests.archive.test_import_processes import go, importing
from tests.archive.transcripts import SESSION, record, session, write
from vox.archive import Archive
from vox.errors import ReadOnlyError

NewArchive = Callable[[], Archive]


def test_what_was_there_is_there_after_compacting(archive: Archive, tmp_path: Path) -> None:
    write(tmp_path, session(300))
    archive.ingest(paths=[tmp_path])
    before, ids = contents(archive), list(every_item(archive))
    numbers = archive.stats()
    report = archive.compact()
    assert report.generation == 2
    assert report.bytes_after < report.bytes_before
    assert contents(archive) == before
    assert list(every_item(archive)) == ids
    assert archive.verify().ok
    after = archive.stats()
    assert after["events"] == numbers.pop("events") + 1
    assert {name: after[name] for name in ("windows", "items", "blobs", "raw_bytes")} == {
        name: numbers[name] for name in ("windows", "items", "blobs", "raw_bytes")
    }
    assert after["file_bytes"] == report.bytes_after
    assert [folder.name for folder in (archive.path / "db").iterdir()] == ["2"]


def test_views_and_other_archives_of_this_process_go_on(archive: Archive, tmp_path: Path) -> None:
    write(tmp_path, session(100))
    archive.ingest(paths=[tmp_path])
    other = vox.open(archive.path)
    reader = vox.open(archive.path, read_only=True)
    store = vox.ContentStore(archive.path)
    (key,) = store.put_many([b"held"])
    window = other.window(f"claude-code:{SESSION}")
    shown = items(window)
    for _ in range(3):
        archive.compact()
        assert items(window) == shown
        assert len(reader.windows()) == 1
        assert store.get(key) == b"held"
    (added,) = store.put_many([b"after"])
    assert archive.verify().ok
    assert vox.ContentStore(archive.path, read_only=True).get(added) == b"after"


def test_imports_of_other_processes_lose_nothing_while_the_archive_is_compacted(
    archive: Archive, new_archive: NewArchive, tmp_path: Path
) -> None:
    folders = [tmp_path / name for name in "ab"]
    for number, folder in enumerate(folders):
        folder.mkdir()
        for file in range(40):
            name = f"{number}{file:07x}-0000-4000-8000-000000000000"
            # Responses of their own: one that several files tell belongs to whoever comes first.
            lines = b"".join(record(item, session=name, prefix=name) for item in range(60))
            (folder / f"{name}.jsonl").write_bytes(lines)
    children = [importing(archive.path, folder) for folder in folders]
    for child in children:
        go(child)
    done = threading.Event()

    def read() -> None:
        reader = vox.open(archive.path, read_only=True)
        seen = 0
        while not done.is_set():
            count = reader.count_windows()
            assert count >= seen
            seen = count

    readers = [threading.Thread(target=read) for _ in range(2)]
    for thread in readers:
        thread.start()
    compacted = 0
    while any(child.poll() is None for child in children) or compacted < 3:
        archive.compact()
        compacted += 1
    done.set()
    for thread in readers:
        thread.join()
    for child in children:
        output, _ = child.communicate()
        assert "problem" not in output
        assert child.returncode == 0
    alone = new_archive()
    alone.ingest(paths=folders)
    assert contents(archive) == contents(alone)
    assert archive.verify().ok


def test_an_archive_opened_for_reading_only_is_not_compacted(archive: Archive) -> None:
    with (
        vox.open(archive.path, read_only=True) as reader,
        pytest.raises(ReadOnlyError, match="reading only"),
    ):
        reader.compact()


def test_a_lost_current_is_written_again(archive: Archive) -> None:
    (key,) = vox.ContentStore(archive.path).put_many([b"held"])
    archive.compact()
    current = archive.path / "CURRENT"
    said = current.read_text()
    path = archive.path
    archive.close()
    current.unlink()
    assert vox.ContentStore(path).get(key) == b"held"
    assert current.read_text() == said
