"""What was trimmed or deleted goes for good, and nothing else."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

import vox
from tests.archive.transcripts import SESSION, record, session, write
from vox import _native
from vox.archive import Archive
from vox.archive.append import NewItem
from vox.archive.raw import Hole
from vox.archive.session_events import Created, MetaUpdated, Reset
from vox.errors import BusyError, InvalidArgumentError, PurgedError
from vox.sources.base import ItemKind, Role

ITEMS = 6
ITEM = NewItem(role=Role.USER, kind=ItemKind.MESSAGE, content="this stays")


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A folder with one session."""
    write(tmp_path / "sources", session(ITEMS))
    return tmp_path / "sources"


@pytest.fixture
def imported(archive: Archive, sources: Path) -> Archive:
    """An archive of that session."""
    archive.ingest(["claude-code"], root=sources)
    return archive


def trim(archive: Archive, first: int, count: int, at: int = 5) -> None:
    native = _native.Archive(archive.path, create=False, read_only=False)
    native.set_overlay(0, "trimmed", first, count, at)


def rows(archive: Archive, window: int = 0) -> list[dict[str, object]]:
    return archive.window(window).items(0, 99, trimmed="show", records=True).to_pylist()


def purged(archive: Archive, window: int = 0) -> list[int]:
    return [int(str(row["ordinal"])) for row in rows(archive, window) if row["purged"]]


def test_a_purged_item_keeps_its_row_and_loses_its_content(imported: Archive) -> None:
    before = rows(imported)
    trim(imported, 1, 2)
    report = imported.purge(trimmed=True, dry_run=False, why="private")
    assert (report.items, report.windows, report.kept_shared) == (2, 0, 0)
    assert purged(imported) == [1, 2]
    for row, was in zip(rows(imported), before, strict=True):
        kept = ("item", "role", "kind", "created_at", "byte_len", "name")
        assert {name: row[name] for name in kept} == {name: was[name] for name in kept}
    with pytest.raises(PurgedError, match=r"0\.1 was purged"):
        imported.read(int(str(before[1]["item"])))
    assert rows(imported)[1]["preview"] == ""
    assert imported.read(int(str(before[0]["item"])))
    assert imported.verify().ok


def test_it_is_a_dry_run_unless_told_otherwise(imported: Archive) -> None:
    trim(imported, 1, 2)
    planned = imported.purge(trimmed=True)
    assert (planned.dry_run, planned.items) == (True, 2)
    assert purged(imported) == []
    done = imported.purge(trimmed=True, dry_run=False)
    assert (done.items, done.bytes) == (planned.items, planned.bytes)


def test_what_was_trimmed_lately_stays_unless_it_is_to_go_now(imported: Archive) -> None:
    trim(imported, 1, 2, at=_now())
    report = imported.purge(trimmed=True)
    assert (report.items, report.recent_items) == (0, 2)
    assert imported.purge(trimmed=True, now=True).items == 2
    assert imported.purge(trimmed=True, now=True, older=_now() - 1000).items == 0


def _now() -> int:
    import time

    return time.time_ns() // 1_000_000


def test_a_window_has_to_be_named_or_what_is_to_go(imported: Archive) -> None:
    with pytest.raises(InvalidArgumentError, match="say what to purge"):
        imported.purge()
    with pytest.raises(InvalidArgumentError, match="neither deleted nor has trimmed items"):
        imported.purge([0])
    trim(imported, 0, 1)
    assert imported.purge([f"claude-code:{SESSION}"]).items == 1


def test_a_source_brings_nothing_back_unless_it_is_asked_for(
    imported: Archive, sources: Path
) -> None:
    trim(imported, 1, 1)
    imported.purge(trimmed=True, dry_run=False)
    imported.gc(now=True)
    report = imported.ingest(["claude-code"], root=sources, verify_sources=True)
    assert (report.added, report.purged, purged(imported)) == (0, 1, [1])
    report = imported.ingest(["claude-code"], root=sources, restore_purged=True)
    assert (report.restored, report.problems, purged(imported)) == (1, [], [])
    assert imported.read(1) == f"assistant says 1 of {SESSION}".encode()
    assert imported.verify().ok


def test_a_copy_of_the_file_elsewhere_brings_nothing_back(
    imported: Archive, tmp_path: Path
) -> None:
    trim(imported, 1, 1)
    imported.purge(trimmed=True, dry_run=False)
    imported.gc(now=True)
    copy = write(tmp_path / "copy", session(ITEMS))
    report = imported.ingest(paths=[copy])
    assert (report.purged, report.problems) == (1, [])
    assert all(purged(imported, window) == [1] for window in range(imported.count_windows()))
    assert imported.gc(dry_run=True, now=True).unused == 0
    assert imported.verify().ok


def test_a_file_that_grows_goes_on_in_the_window(imported: Archive, sources: Path) -> None:
    trim(imported, 1, 1)
    imported.purge(trimmed=True, dry_run=False)
    (file,) = sources.glob("*.jsonl")
    with file.open("ab") as out:
        out.write(record(ITEMS))
    report = imported.ingest(["claude-code"], root=sources)
    assert (report.added, report.problems) == (1, [])
    assert len(rows(imported)) == ITEMS + 1


SECRET_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"


def secret(seed: int) -> str:
    """Forty letters that nothing compresses."""
    return "".join(Random(seed).choices(SECRET_ALPHABET, k=40))


def test_erase_leaves_no_byte_of_it_in_any_file(
    new_archive: Callable[[], Archive], tmp_path: Path
) -> None:
    secrets = [secret(n) for n in range(4)]
    said, output, title, broken = secrets
    lines = [
        record(0),
        record(1, message={"role": "assistant", "content": f"the key is {said}"}),
        record(
            2,
            message={
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t", "content": output}],
            },
            toolUseResult={"stdout": output},
        ),
        f'{{"type": "user", "broken {broken}\n'.encode(),
        json.dumps({"type": "summary", "summary": title, "leafUuid": "u2"}).encode() + b"\n",
    ]
    write(tmp_path / "sources", b"".join(lines))
    archive = new_archive()
    archive.ingest(["claude-code"], root=tmp_path / "sources")
    kept = archive.append("kept", [ITEM])
    assert kept["added"] == 1
    _delete(archive, 0)
    with pytest.raises(BusyError):
        _while_importing(archive, lambda: archive.purge([0], now=True, erase=True, dry_run=False))
    report = archive.purge([0], now=True, erase=True, dry_run=False)
    assert report.erased
    archive.gc(now=True)
    assert archive.verify().ok
    archive.close()
    for file in archive_files(tmp_path):
        data = file.read_bytes()
        for each in secrets:
            assert each.encode() not in data, file
    reopened = vox.open(archive_files(tmp_path)[0].parents[2], create=False)
    assert reopened.read(reopened.window("kept").items().column("item")[0]) == b"this stays"
    contents = _contents(reopened.path)
    assert not [each for each in secrets if each.encode() in contents]


def test_a_title_that_another_took_the_place_of_is_erased_with_its_window(
    archive: Archive, tmp_path: Path
) -> None:
    title = {"type": "custom-title", "customTitle": secret(9), "sessionId": SESSION}
    write(tmp_path / "titled", session(4) + json.dumps(title).encode() + b"\n")
    archive.ingest(paths=[tmp_path / "titled"])
    archive.window(0).rename("Mine")
    _delete(archive, 0)
    archive.purge(deleted=True, now=True, erase=True, dry_run=False)
    assert archive.verify().ok
    files = [file for file in (tmp_path / "archive").rglob("*") if file.is_file()]
    assert not any(secret(9).encode() in file.read_bytes() for file in files)


def test_what_events_of_a_session_said_of_it_is_erased_with_its_window(
    archive: Archive, tmp_path: Path
) -> None:
    texts = [secret(seed) for seed in range(5)]
    archive.sessions.append_many(
        [
            Created(session="s", title=texts[0], workspace=texts[1]),
            MetaUpdated(session="s", git_branch=texts[2], workspace=texts[3]),
            Reset(session="s", reason=texts[4]),
        ]
    )
    _delete(archive, 0)
    archive.purge(deleted=True, now=True, erase=True, dry_run=False)
    assert archive.verify().ok
    files = [file for file in (tmp_path / "archive").rglob("*") if file.is_file()]
    assert not any(text.encode() in file.read_bytes() for file in files for text in texts)


def test_raw_export_reports_the_hole_of_what_was_erased(imported: Archive, sources: Path) -> None:
    trim(imported, 1, 1)
    imported.purge(trimmed=True, erase=True, dry_run=False)
    (file,) = sources.glob("*.jsonl")
    written = io.BytesIO()
    report = imported.export_raw(str(file), written)
    (hole,) = report.holes
    source = file.read_bytes()
    assert hole == Hole(len(record(0)), len(record(1)) - 1, "purged")
    end = hole.offset + hole.length
    assert written.getvalue() == source[: hole.offset] + b" " * hole.length + source[end:]
    assert b"says 1 of" not in _contents(imported.path)
    report = imported.export_raw(str(file), io.BytesIO())
    again = imported.ingest(["claude-code"], root=sources, verify_sources=True)
    assert again.purged == 1
    assert b"says 1 of" not in _contents(imported.path)
    imported.ingest(["claude-code"], root=sources, restore_purged=True)
    written = io.BytesIO()
    assert imported.export_raw(str(file), written).holes == []
    assert written.getvalue() == source
    assert imported.verify().ok


def archive_files(tmp_path: Path) -> list[Path]:
    return [
        file for file in tmp_path.glob("archive-*/**/*") if file.is_file() and "db" in str(file)
    ]


def _delete(archive: Archive, window: int) -> None:
    archive.window(window).delete()


def _while_importing(archive: Archive, work: Callable[[], object]) -> None:
    native = _native.Archive(archive.path, create=False, read_only=False)
    lease = native.begin_lease("import")
    try:
        work()
    finally:
        native.end_lease(lease)


def _contents(path: Path) -> bytes:
    """Every blob of an archive and all source bytes, decompressed, without vox."""
    from tests.archive.plain_reader import Plain

    (folder,) = (path / "db").iterdir()
    plain = Plain(folder, Path(__file__).parents[2] / "contracts" / "dictionaries")
    return b"\n".join([*plain.blobs.values(), *plain.sources.values()])
