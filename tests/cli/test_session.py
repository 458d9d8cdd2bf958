from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run


def lines(tmp_path: Path, *events: dict[str, object]) -> Path:
    file = tmp_path / "events.jsonl"
    file.write_text("".join(json.dumps(event) + "\n" for event in events))
    return file


CREATED: dict[str, object] = {
    "event": "created",
    "session": "s",
    "sequence": 0,
    "at": 1_700_000_000_000,
    "title": "Repair",
}
SAID: dict[str, object] = {
    "event": "turn_added",
    "session": "s",
    "sequence": 1,
    "at": 1_700_000_001_000,
    "role": "user",
    "items": [{"content": "hi"}],
}


def test_lines_become_a_session_and_lines_again(run: Run, tmp_path: Path) -> None:
    place = ("--archive", tmp_path / "archive")
    file = lines(tmp_path, CREATED, SAID)
    appended = run("session", "append", file, "--json", *place)
    assert appended.answer == {
        "schema": "vox.session.append.v1",
        "appended": 2,
        "known": 0,
        "problems": [],
    }
    assert run("session", "append", file, *place).text == "0 appended, 2 known before\n"
    assert run("session", "events", "s", *place).rows == [CREATED, SAID]
    assert run("session", "ls", "--jsonl", *place).rows == [
        {"id": "s", "events": 2, "items": 1, "window": "vox-session:s"}
    ]
    assert run("session", "ls", *place).text == "s\t2\t1\n"
    assert "hi" in run("show", "vox-session:s", *place).text


def test_a_bad_line_is_named_and_the_status_says_so(run: Run, tmp_path: Path) -> None:
    place = ("--archive", tmp_path / "archive")
    file = lines(tmp_path, CREATED, {**SAID, "role": "boss"}, SAID)
    outcome = run("session", "append", file, *place)
    assert outcome.status == 26
    assert outcome.text == "2 appended\n"
    assert outcome.messages.startswith("line 2: Invalid enum value 'boss'")
    again = run("session", "append", file, "--json", *place)
    assert again.status == 26
    (problem,) = again.answer["problems"]
    assert (problem["line"], problem["code"]) == (2, "invalid_argument")


def test_refold_of_a_sound_archive_changes_nothing(run: Run, tmp_path: Path) -> None:
    place = ("--archive", tmp_path / "archive")
    run("session", "append", lines(tmp_path, CREATED, SAID), *place)
    assert run("archive", "refold", *place).text == "0 changes\n"
    answer = run("archive", "refold", "--session", "s", "--json", *place).answer
    assert answer == {
        "schema": "vox.refold.v1",
        **{"windows": 0, "added": 0, "shared": 0, "usage": 0, "changed": 0},
    }
    assert run("archive", "refold", "--session", "x", *place).status == 3
