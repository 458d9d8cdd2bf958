from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run


def test_entries_are_added_listed_pinned_and_removed(run: Run, tmp_path: Path) -> None:
    place = ("--archive", tmp_path / "archive")
    added = run("history", "add", "make all", "--kind", "command", "--repo", "r", "--json", *place)
    assert added.answer == {"schema": "vox.history.add.v1", "number": 0}
    assert run("history", "add", "a clip", *place).text == "1\n"
    pinned = run("history", "pin", "0", "--json", *place).answer
    assert pinned == {"schema": "vox.history.pin.v1", "numbers": [0], "changed": 1}
    rows = [line.split("\t")[:5] for line in run("history", "ls", *place).text.splitlines()]
    assert rows == [
        ["1", "clip", "", "a clip", ""],
        ["0", "command", "pinned", "make all", "r"],
    ]
    listed = run("history", "ls", "--kind", "clip", "--json", *place).answer
    assert listed["schema"] == "vox.history.ls.v1"
    assert [entry["content"] for entry in listed["entries"]] == ["a clip"]
    unpinned = run("history", "unpin", "0", "1", "--json", *place).answer
    assert unpinned == {"schema": "vox.history.unpin.v1", "numbers": [0, 1], "changed": 1}
    removed = run("history", "rm", "0", "1", "--json", *place).answer
    assert removed == {"schema": "vox.history.rm.v1", "numbers": [0, 1]}
    assert run("history", "ls", *place).text == ""
    assert run("history", "rm", "0", *place).status == 3


def test_caps_come_from_the_settings(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = ("--archive", tmp_path / "archive")
    monkeypatch.setenv("VOX_HISTORY_ENTRIES", "2")
    for text in ("a", "b", "c"):
        run("history", "add", text, *place)
    assert [row.split("\t")[3] for row in run("history", "ls", *place).text.splitlines()] == [
        *("c", "b"),
    ]
    monkeypatch.setenv("VOX_HISTORY_ENTRIES", "many")
    refused = run("history", "add", "d", *place)
    assert refused.status == 2
    assert "VOX_HISTORY_ENTRIES is 'many'" in refused.messages


@pytest.mark.parametrize("command", ["pin", "unpin", "rm"])
def test_a_number_of_any_size_is_one_that_isnt_there(
    run: Run, tmp_path: Path, command: str
) -> None:
    place = ("--archive", tmp_path / "archive")
    run("history", "add", "make all", *place)
    assert run("history", command, str(2**80), *place).status == 3
    assert run("history", "ls", "--before", str(2**80), *place).text.startswith("0\t")
