"""Archives of older formats, as the builds that wrote them left them."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

import vox
from tests import older
from tests.archive.contents import EVERYTHING, contents, items, set_aside
from vox.archive import migrate
from vox.errors import NotFoundError, WrongVersionError

SESSIONS = Path(__file__).parents[1] / "data"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """An archive of format 1."""
    older.unpack(tmp_path / "old")
    return tmp_path / "old"


AS_IT_IS = ("item", "role", "kind", "name", "created_at")


def said(archive: vox.Archive) -> list[dict[str, Any]]:
    """What `format-1.json` says, of an archive."""
    found = []
    for row in archive.windows(count=EVERYTHING).to_pylist():
        window = archive.window(row["id"])
        kept = {name: row[name] for name in ("id", "key", "title", "revision", "model_route")}
        kept["items"] = [
            {
                **{name: item[name] for name in AS_IT_IS},
                "content_hash": item["content_hash"].hex(),
                "chain_hash": item["chain_hash"].hex(),
                "trimmed": item["trimmed_at"] is not None,
                "pinned": item["pinned"],
            }
            for item in items(window)
        ]
        found.append(kept)
    return found


def by_id(windows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {window["id"]: window for window in windows}


def test_an_older_archive_says_what_to_do(old: Path) -> None:
    for read_only in (False, True):
        with pytest.raises(WrongVersionError, match=r"format 1; .* run `vox archive migrate`"):
            vox.open(old, read_only=read_only)


def test_all_of_an_older_archive_is_there_after_migrating(old: Path) -> None:
    report = migrate(old)
    assert report is not None
    assert (report.format_before, report.generation) == (1, 2)
    assert (old / "CURRENT").read_text() == "vox-archive 2 2\n"
    assert [folder.name for folder in (old / "db").iterdir()] == ["2"]
    with vox.open(old, create=False) as archive:
        assert archive.verify().ok
        assert by_id(said(archive)) == by_id(older.contents()["windows"])
        quarantined = {path: set_aside(archive, path) for path, *_ in archive._native.sources()}
        assert sum(map(len, quarantined.values())) == 2
        assert archive.stats()["events"] == 36
        assert archive.stats()["blobs"] == 148
    assert migrate(old) is None


def test_imports_go_on_in_a_migrated_archive(old: Path, tmp_path: Path) -> None:
    migrate(old)
    with vox.open(old, create=False) as archive:
        before = contents(archive)
        report = archive.ingest(paths=[SESSIONS / "claude_code", SESSIONS / "codex"])
        assert report.shared
        after = contents(archive)
        assert archive.verify().ok
    assert before.keys() <= after.keys()


def test_two_that_migrate_at_once_do_it_once(old: Path) -> None:
    reports = []
    threads = [threading.Thread(target=lambda: reports.append(migrate(old))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(report is None for report in reports) == [False, True, True, True]
    with vox.open(old, create=False) as archive:
        assert archive.verify().ok


def test_a_migration_that_stopped_before_current_was_written_is_completed(old: Path) -> None:
    kept = (old / "db/1/data.mdb").read_bytes()
    migrate(old)
    (old / "CURRENT").write_text("vox-archive 1 1\n")
    (old / "db/1").mkdir()
    (old / "db/1/data.mdb").write_bytes(kept)
    # Not superseded: what was migrated is a draft, and is made anew.
    with pytest.raises(WrongVersionError):
        vox.open(old)
    assert migrate(old) is not None
    with vox.open(old, create=False) as archive:
        assert by_id(said(archive)) == by_id(older.contents()["windows"])


def test_a_lost_current_of_an_older_archive_is_no_loss(old: Path) -> None:
    (old / "CURRENT").unlink()
    with pytest.raises(WrongVersionError, match="vox archive migrate"):
        vox.open(old)
    assert migrate(old) is not None
    with vox.open(old, create=False) as archive:
        assert len(archive.windows()) == len(older.contents()["windows"])


def test_there_must_be_an_archive_to_migrate(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        migrate(tmp_path / "nothing")
    (tmp_path / "newer").mkdir()
    (tmp_path / "newer/CURRENT").write_text("vox-archive 3 1\n")
    (tmp_path / "newer/db/1").mkdir(parents=True)
    with vox.open(tmp_path / "newest") as archive:
        kept = (archive.path / "db/1/data.mdb").read_bytes()
    (tmp_path / "newer/db/1/data.mdb").write_bytes(kept)
    with pytest.raises(WrongVersionError, match="newer vox"):
        migrate(tmp_path / "newer")
