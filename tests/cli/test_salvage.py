"""`vox archive salvage`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run


def test_a_sound_archive_is_copied_and_a_damaged_one_in_part(
    run: Run, transcripts: Path, home: Path, tmp_path: Path
) -> None:
    run("import", "codex", "--root", transcripts / "codex")
    whole = run("archive", "salvage", home / "archive", tmp_path / "copy")
    assert whole.status == 0
    assert whole.text.endswith("; nothing is lost\n")
    assert run("archive", "verify", "--archive", tmp_path / "copy").status == 0

    (data,) = (home / "archive").glob("db/*/data.mdb")
    damaged = bytearray(data.read_bytes())
    for at in range(3 * 4096, len(damaged), 40_000):
        damaged[at] ^= 0x40
    data.write_bytes(damaged)
    answer = run("archive", "salvage", data, tmp_path / "saved", "--json")
    assert answer.status == 26
    report = answer.answer
    assert report["schema"] == "vox.salvage.v1"
    assert not report["ok"]
    assert report["source"] == str(data)
    assert report["lost"]
    assert run("archive", "verify", "--archive", tmp_path / "saved").status == 0
    shown = run("archive", "salvage", data, tmp_path / "again")
    assert shown.status == 26
    assert "saved: " in shown.text
    assert run("archive", "salvage", data, tmp_path / "again").status == 2
