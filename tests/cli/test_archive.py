from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import older
from tests.cli.conftest import Run
from vox.errors import DamagedError, InvalidArgumentError, WrongVersionError


def test_stats_count_what_is_there(run: Run, imported: str) -> None:
    answer = run("archive", "stats", "--json").answer
    assert answer["schema"] == "vox.stats.v1"
    assert answer["windows"] == 1
    assert answer["items"] >= 6
    lines = {
        line.split("\t")[0]: line.split("\t") for line in run("archive", "stats").text.splitlines()
    }
    assert lines["windows"][1] == "1"
    assert lines["content"][2].endswith("% of raw")
    assert lines["spine"][2].endswith("B an item")
    assert "chunks" not in lines


def test_tables_are_listed_when_asked_for(run: Run, imported: str) -> None:
    rows = [line.split("\t") for line in run("archive", "stats", "--tables").text.splitlines()]
    tables = run("archive", "stats", "--json").answer["tables"]
    assert [row[0] for row in rows] == list(tables)
    assert rows[0] == ["meta", f"{tables['meta']['rows']}", f"{tables['meta']['bytes']:,}"]


def test_a_sound_archive_is_told_so(run: Run, imported: str) -> None:
    outcome = run("archive", "verify", "--json")
    assert outcome.status == 0
    assert outcome.answer["schema"] == "vox.verify.v1"
    assert outcome.answer["ok"] is True
    assert outcome.answer["findings"] == []
    checked = outcome.answer["checked"]
    counts = ", ".join(f"{checked[name]} {name}" for name in ("blobs", "items", "windows", "pages"))
    assert run("archive", "verify").text == f"clean: {counts} checked\n"
    assert f"chunks\t{checked['chunks']}\n" in run("archive", "verify", "--verbose").text


def test_repair_of_a_sound_archive_changes_nothing(run: Run, imported: str) -> None:
    before = run("archive", "stats", "--json").answer
    outcome = run("archive", "verify", "--repair")
    assert outcome.status == 0
    assert outcome.text.startswith("rebuilt: nothing")
    assert run("archive", "stats", "--json").answer == before


def test_an_archive_that_cannot_be_opened_is_verified_all_the_same(
    run: Run, imported: str, home: Path
) -> None:
    (data,) = home.glob("archive/db/*/data.mdb")
    os.truncate(data, data.stat().st_size // 2)
    assert run("ls").status == 12
    outcome = run("archive", "verify", "--json")
    assert outcome.status == 13
    assert outcome.answer["total"] > 0
    assert run("archive", "verify").text.splitlines()[-1].startswith("damaged: ")
    repair = run("archive", "verify", "--repair")
    assert repair.status == 12
    assert "cut off" in repair.messages


def test_a_damaged_archive_exits_with_13(run: Run, imported: str, home: Path) -> None:
    (data,) = home.glob("archive/db/*/data.mdb")
    content = bytearray(data.read_bytes())
    at = content.index(b"x" * 8) if b"x" * 8 in content else len(content) // 2
    for i in range(at, at + 4096):
        content[i] ^= 0xFF
    data.write_bytes(content)
    outcome = run("archive", "verify", "--json")
    assert outcome.status == 13
    assert outcome.answer["ok"] is False
    assert outcome.answer["findings"] != []


def test_a_folder_without_an_archive_is_named(run: Run, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    outcome = run("archive", "stats", "--archive", empty)
    assert outcome.status == 10
    assert str(empty) in outcome.messages


@pytest.mark.parametrize("left", [None, 0, 1], ids=["no file", "no byte", "one byte"])
def test_an_archive_of_which_nothing_is_left_is_damaged_to_every_command(
    run: Run, imported: str, home: Path, left: int | None
) -> None:
    (data,) = (home / "archive").glob("db/*/data.mdb")
    if left is None:
        data.unlink()
    else:
        os.truncate(data, left)
    for arguments in (["archive", "verify"], ["ls"], ["archive", "verify", "--repair"]):
        outcome = run(*arguments)
        assert outcome.status == DamagedError.exit_status, arguments
        assert "data.mdb" in outcome.messages


def test_compacting_tells_what_it_came_to(run: Run, imported: str, home: Path) -> None:
    items = run("show", imported, "--json").answer
    report = run("archive", "compact", "--json").answer
    assert report["schema"] == "vox.compact.v1"
    assert report["generation"] == 2
    (data,) = home.glob("archive/db/*/data.mdb")
    assert report["bytes_after"] == data.stat().st_size
    assert run("show", imported, "--json").answer == items
    assert run("archive", "verify").status == 0
    assert run("archive", "compact").text.endswith(" now\n")


def test_a_backup_is_made_where_nothing_is(run: Run, imported: str, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    report = run("archive", "backup", copy, "--json").answer
    assert report == {
        "schema": "vox.backup.v1",
        "path": str(copy),
        "bytes": (copy / "db/1/data.mdb").stat().st_size,
    }
    shown = run("show", imported, "--json").answer
    assert run("show", imported, "--json", "--archive", copy).answer == shown
    refused = run("archive", "backup", copy)
    assert refused.status == InvalidArgumentError.exit_status
    assert "holds something" in refused.messages
    assert run("archive", "backup", tmp_path / "other").text.startswith(str(tmp_path / "other"))


def test_an_older_archive_is_migrated(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "old"
    older.unpack(place)
    refused = run("ls", "--archive", place)
    assert refused.status == WrongVersionError.exit_status
    assert "run `vox archive migrate`" in refused.messages
    answer = run("archive", "migrate", "--json", "--archive", place).answer
    assert answer["schema"] == "vox.migrate.v1"
    assert answer["migrated"] is True
    assert answer["report"]["format_before"] == 1
    assert run("archive", "verify", "--archive", place).status == 0
    again = run("archive", "migrate", "--archive", place)
    assert again.text.startswith("nothing to do")
