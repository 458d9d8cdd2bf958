"""`vox export --raw`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run


def test_a_file_is_written_to_standard_output_or_a_file(
    run: Run, transcript: Path, tmp_path: Path
) -> None:
    run("import", "--root", transcript)
    (file,) = transcript.rglob("*.jsonl")
    assert run("export", "--raw", file).output == file.read_bytes()
    outcome = run("export", "--raw", file.name, "-o", tmp_path / "back.jsonl", "--json")
    assert (tmp_path / "back.jsonl").read_bytes() == file.read_bytes()
    (answer,) = outcome.answer["files"]
    assert (answer["path"], answer["length"]) == (str(file), file.stat().st_size)
    (tmp_path / "folder").mkdir()
    run("export", "--raw", file, "-o", tmp_path / "folder")
    assert (tmp_path / "folder" / file.name).read_bytes() == file.read_bytes()


def test_a_window_names_the_file_that_it_was_read_from(run: Run, transcript: Path) -> None:
    run("import", "--root", transcript)
    (file,) = transcript.rglob("*.jsonl")
    (window,) = run("ls", "--json").answer["windows"]
    assert run("export", "--raw", window["id"]).output == file.read_bytes()


def test_holes_are_named_and_make_the_export_partial(run: Run, transcript: Path) -> None:
    run("import", "--root", transcript, "--no-raw")
    (file,) = transcript.rglob("*.jsonl")
    before = file.stat().st_size
    assert run("export", "--raw", file).status == 3
    last = file.read_bytes().splitlines(keepends=True)[-1]
    with file.open("ab") as end:
        end.write(last)
    run("import", "--root", transcript)
    outcome = run("export", "--raw", file)
    assert outcome.status == 26
    assert f"{before} bytes from byte 0 on were never kept" in outcome.messages
    assert outcome.output == b" " * before + last


def test_what_to_export_must_be_said_once(run: Run) -> None:
    assert run("export").status == 2
    assert run("export", "--jsonl", "--raw", "x").status == 2


def test_a_file_that_is_there_stays_and_one_that_fails_leaves_nothing(
    run: Run, transcript: Path, tmp_path: Path
) -> None:
    run("import", "--root", transcript)
    (file,) = transcript.rglob("*.jsonl")
    before, there = file.read_bytes(), sorted(file.parent.iterdir())
    taken = run("export", "--raw", file, "-o", file)
    assert taken.status == 2
    assert taken.messages == f"vox: {file} is there already; name a file that isn't\n"
    assert run("export", "--raw", file, "--reading", "9", "-o", file.parent / "new").status == 3
    assert sorted(file.parent.iterdir()) == there
    assert file.read_bytes() == before
