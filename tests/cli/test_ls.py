from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import HOSTILE, Run


@pytest.fixture
def family(run: Run, transcripts: Path, tmp_path: Path) -> Path:
    """An archive with a session, a sub-agent with a branch, and the part after a compaction."""
    folder = tmp_path / "family"
    folder.mkdir()
    shutil.copy(transcripts / "claude_code" / "agent-sessions" / "small.jsonl", folder)
    assert run("import", "claude-code", "--root", folder).status == 0
    return folder


def test_a_window_is_listed_with_what_a_person_knows_it_by(run: Run, imported: str) -> None:
    (line,) = run("ls").text.splitlines()
    window, sort, title, repo, items, _size, _updated = line.split("\t")
    assert sort == ""
    assert imported.startswith(window)
    assert title.startswith("Title ␛[2J")
    assert repo == "/home/ada/engine"
    assert int(items) >= 6


def test_a_window_without_a_title_is_listed_by_what_its_user_said_first(
    run: Run, transcript: Path
) -> None:
    (file,) = transcript.rglob("*.jsonl")
    lines = file.read_bytes().splitlines(keepends=True)
    assert lines[0].startswith(b'{"type":"summary"')
    file.write_bytes(b"".join(lines[1:]))
    run("import", "--root", transcript)
    assert run("ls").text.split("\t")[2] == "Why does the build fail?"
    assert run("ls", "--json").answer["windows"][0]["title"] is None


def test_what_is_no_conversation_of_its_own_says_what_it_is(run: Run, family: Path) -> None:
    sorts = {line.split("\t")[1] for line in run("ls").text.splitlines()}
    assert sorts == {"", "sub-agent", "continued", "branch"}


def test_a_tree_has_children_below_their_parents_and_each_window_once(
    run: Run, family: Path
) -> None:
    rows = run("ls", "--tree", "--jsonl").rows
    assert sorted(row["id"] for row in rows) == sorted(
        row["id"] for row in run("ls", "--jsonl").rows
    )
    above: list[str] = []
    for row in rows:
        del above[row["depth"] :]
        assert row["parent"] == (above[-1] if above else None)
        above.append(row["id"])
    assert {row["depth"] for row in rows} == {0, 1, 2}
    titles = [line.split("\t")[2] for line in run("ls", "--tree").text.splitlines()]
    assert [title.startswith("└ ") for title in titles] == [row["depth"] == 1 for row in rows]
    one = run("ls", "--tree", "--jsonl", "-n", "1").rows
    assert len({row["root"] for row in one}) == 1


def test_the_answers_give_the_same_rows(run: Run, imported: str) -> None:
    answer = run("ls", "--json").answer
    assert answer["schema"] == "vox.ls.v1"
    assert answer["windows"] == run("ls", "--jsonl").rows
    (row,) = answer["windows"]
    assert row["id"] == imported
    assert row["title"] == f"Title {HOSTILE}", "programs get the title as it is"
    assert row["updated_at"] == 1769861100000


def test_filters_by_repository_and_time(run: Run, imported: str) -> None:
    def found(*filters: str) -> bool:
        return bool(run("ls", "--jsonl", *filters).rows)

    assert found("--repo", "/home/ada/engine")
    assert not found("--repo", "/home/ada/other")
    assert found("--since", "2026-01-31T12:05:00Z")
    assert not found("--since", "2026-01-31T12:05:00.001Z")
    assert not found("--until", "2026-01-31T12:05:00Z")
    assert found("--until", "2026-01-31T12:05:00.001Z")


def test_without_an_archive_the_message_says_how_to_make_one(run: Run, home: Path) -> None:
    outcome = run("ls")
    assert outcome.status in {3, 10}
    assert str(home / "archive") in outcome.messages
    assert "vox import" in outcome.messages
    assert not home.exists(), "looking makes nothing"


def test_another_archive_can_be_named(
    run: Run, transcript: Path, tmp_path: Path, home: Path
) -> None:
    other = tmp_path / "other"
    run("import", "--root", transcript, "--archive", other)
    assert len(run("ls", "--jsonl", "--archive", other).rows) == 1
    assert not home.exists()


def test_in_a_terminal_nothing_of_a_title_acts(run_in_terminal: Run, imported: str) -> None:
    outcome = run_in_terminal("ls")
    assert outcome.status == 0
    assert "␛[2J" in outcome.text
    for sequence in ("\x1b[2J", "\x1b]52", "\x07", "\u202e"):
        assert sequence not in outcome.text
