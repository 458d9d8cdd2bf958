from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run


def test_stats_count_what_is_there(run: Run, imported: str) -> None:
    answer = run("archive", "stats", "--json").answer
    assert answer["schema"] == "vox.stats.v1"
    assert answer["windows"] == 1
    assert answer["items"] >= 6
    assert "windows\t1" in run("archive", "stats").text.splitlines()


def test_a_sound_archive_is_told_so(run: Run, imported: str) -> None:
    outcome = run("archive", "verify", "--json")
    assert outcome.status == 0
    assert outcome.answer["schema"] == "vox.verify.v1"
    assert outcome.answer["ok"] is True
    assert outcome.answer["findings"] == []


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
