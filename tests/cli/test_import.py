from __future__ import annotations

import re
from pathlib import Path

from tests.cli.conftest import Run

NUMBERS = ["files", "windows", "items", "added", "shared", "quarantined"]


def test_the_answer_has_the_promised_names(run: Run, transcript: Path) -> None:
    answer = run("import", "--root", transcript, "--json").answer
    assert answer["schema"] == "vox.import.v1"
    assert answer["problems"] == []
    assert all(type(answer[name]) is int for name in NUMBERS)
    assert answer["files"] == 1
    assert answer["windows"] == 1
    assert answer["items"] >= 6


def test_a_second_import_adds_nothing_and_says_so(run: Run, transcript: Path) -> None:
    first = run("import", "--root", transcript)
    assert first.status == 0
    assert re.fullmatch(
        r"Claude Code: 1 file read; 1 new window; 7 items added, 0 shared; 3 responses; "
        r"202 kB kept in \d+ B \(0\.\d %\)\n",
        first.text,
    )
    assert run("import", "--root", transcript).text == "Claude Code: nothing new in 1 file\n"
    again = run("import", "--root", transcript, "--json").answer
    assert again["added"] == again["items"] == 0


def test_a_dry_run_makes_no_archive(run: Run, transcript: Path, home: Path) -> None:
    outcome = run("import", "--root", transcript, "--dry-run")
    assert outcome.status == 0
    assert outcome.text == "Claude Code: would read 7 items from 1 file\n"
    assert not home.exists()


def test_a_file_is_imported_as_whichever_tools_it_is(run: Run, transcript: Path) -> None:
    (file,) = transcript.rglob("*.jsonl")
    assert run("import", file, "--json").answer["windows"] == 1


def test_a_broken_line_is_set_aside_and_the_rest_goes_on(run: Run, transcript: Path) -> None:
    (file,) = transcript.rglob("*.jsonl")
    whole = file.read_bytes()
    lines = whole.splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:3], b'{"type": "user", oops\n', *lines[3:]]))
    outcome = run("import", "--root", transcript, "--json")
    assert outcome.status == 0
    assert outcome.answer["quarantined"] == 1
    (problem,) = outcome.answer["problems"]
    assert problem["path"] == str(file)
    assert problem["offset"] == len(b"".join(lines[:3]))
    assert problem["reason"] == "malformed"
    (window,) = run("ls", "--json").answer["windows"]
    assert len(run("show", window["id"], "--jsonl").rows) == 6


def test_problems_of_one_kind_in_a_file_are_one_line(run: Run, transcript: Path) -> None:
    (file,) = transcript.rglob("*.jsonl")
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(line + b"oops\n" for line in lines[:3]) + b"".join(lines[3:]))
    outcome = run("import", "--root", transcript)
    assert outcome.text.endswith("; 3 set aside\n")
    assert outcome.messages == f"  {file}, bytes {len(lines[0])}+4 and 2 more places: malformed\n"


def test_each_tool_is_counted_by_itself(run: Run, transcripts: Path, transcript: Path) -> None:
    codex = transcripts / "codex" / "agent-sessions" / "session_simple.jsonl"
    outcome = run("import", codex, *transcript.rglob("*.jsonl"), "--json")
    counts = outcome.answer["sources"]
    assert sorted(counts) == ["claude-code", "codex"]
    for name in NUMBERS:
        assert sum(tool[name] for tool in counts.values()) == outcome.answer[name]
    lines = run("import", codex, *transcript.rglob("*.jsonl")).text.splitlines()
    assert lines == [
        "Codex: nothing new in 1 file",
        "Claude Code: nothing new in 1 file",
        "in all: nothing new in 2 files",
    ]


def test_a_source_that_vox_does_not_know_is_a_usage_error(run: Run) -> None:
    outcome = run("import", "notepad")
    assert outcome.status == 2
    assert "notepad" in outcome.messages
    assert "claude-code" in outcome.messages


def test_a_file_that_is_no_transcript_is_named_and_the_rest_is_imported(
    run: Run, transcript: Path, tmp_path: Path
) -> None:
    (good,) = transcript.rglob("*.jsonl")
    bad = tmp_path / "notes.jsonl"
    bad.write_text("dear diary\n")
    outcome = run("import", bad, good, "--json")
    assert outcome.status == 26
    assert outcome.answer["windows"] == 1
    assert [problem["path"] for problem in outcome.answer["problems"]] == [str(bad)]


def test_the_sources_stay_as_they_are(run: Run, transcript: Path) -> None:
    before = {path: (path.stat(), path.read_bytes()) for path in transcript.rglob("*.jsonl")}
    run("import", "--root", transcript)
    for path, (stat, content) in before.items():
        after = path.stat()
        assert path.read_bytes() == content
        assert (after.st_mtime_ns, after.st_ino, after.st_mode) == (
            stat.st_mtime_ns,
            stat.st_ino,
            stat.st_mode,
        )


def test_where_no_transcript_is_found_the_message_says_where_to_look(
    run: Run, tmp_path: Path
) -> None:
    outcome = run("import", "--root", tmp_path)
    assert (outcome.status, outcome.text) == (
        0,
        "no transcripts found; `vox doctor` says where vox looks\n",
    )
