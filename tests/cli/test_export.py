"""`vox export --jsonl` and `vox import --jsonl`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run


def test_an_archive_goes_through_a_file_and_comes_back(
    run: Run, transcripts: Path, tmp_path: Path
) -> None:
    assert run("import", "codex", "--root", transcripts / "codex").status == 0
    file = tmp_path / "all.jsonl"
    written = run("export", "--jsonl", "-o", file)
    assert written.status == 0
    assert "written" in written.messages
    assert run("export", "--jsonl").output == file.read_bytes()
    copy = tmp_path / "copy"
    assert " items in a new archive" in run("import", "--jsonl", file, "--archive", copy).text
    assert run("export", "--jsonl", "--archive", copy).output == file.read_bytes()
    again = run("import", "--jsonl", file, "--archive", copy)
    assert again.status == 2
    assert "isn't empty" in again.messages


def test_answers_for_programs_say_how_much(run: Run, transcripts: Path, tmp_path: Path) -> None:
    run("import", "codex", "--root", transcripts / "codex")
    file = tmp_path / "all.jsonl"
    written = run("export", "--jsonl", "-o", file, "--json").answer
    assert written == {
        "schema": "vox.export.jsonl.v1",
        "lines": file.read_bytes().count(b"\n"),
        "bytes": file.stat().st_size,
    }
    read = run("import", "--jsonl", file, "--json", "--archive", tmp_path / "copy").answer
    assert read["schema"] == "vox.import.jsonl.v1"
    assert sum(read["counts"].values()) == written["lines"] - 2


def test_what_makes_no_sense_is_refused(run: Run, tmp_path: Path) -> None:
    assert run("export").status == 2
    assert run("import", "--jsonl", tmp_path / "none").status == 2
    (tmp_path / "cut").write_text('{"type":')
    assert run("import", "--jsonl", tmp_path / "cut", "--dry-run").status == 2
    cut = run("import", "--jsonl", tmp_path / "cut")
    assert cut.status == 12
    assert cut.messages.startswith("vox: line 1: ")
