"""`vox window`: what is wide only says what it would do, and --yes does exactly that."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

import vox
from tests.cli.conftest import Run


def state(home: Path) -> str:
    """The bytes of the archive."""
    (file,) = (home / "archive").glob("db/*/data.mdb")
    return hashlib.blake2b(file.read_bytes()).hexdigest()


def places(run: Run, window: str, *options: str) -> list[int]:
    return [row["ordinal"] for row in run("show", window, "--all", "--jsonl", *options).rows]


@pytest.fixture
def fork(run: Run, imported: str) -> str:
    """A second window that shows the first three items of the imported one."""
    return str(run("window", "fork", f"{imported}@2", "--json").answer["window"])


def test_a_few_items_are_trimmed_and_restored_at_once(run: Run, imported: str) -> None:
    before = places(run, imported)
    outcome = run("window", "trim", f"{imported}@{before[1]},{before[3]}-{before[4]}")
    assert outcome.status == 0
    assert outcome.text.startswith("trimmed 3 items: ")
    assert places(run, imported) == [before[0], before[2], *before[5:]]
    assert places(run, imported, "--trimmed", "only") == [before[1], *before[3:5]]
    shown = run("show", imported, "--trimmed", "show").text
    assert [", trimmed" in line.split("\t")[3] for line in shown.splitlines()].count(True) == 3
    assert run("window", "restore", imported).text.startswith("restored 3 items: ")
    assert places(run, imported) == before


def test_a_filter_says_what_it_would_do_and_changes_no_byte(
    run: Run, imported: str, fork: str, home: Path
) -> None:
    before = state(home)
    trim = ("window", "trim", "--all", "--role", "user", "--kind", "message")
    foreseen = run(*trim, "--json").answer
    assert foreseen["schema"] == "vox.trim.v1"
    assert foreseen["dry_run"] is True
    assert foreseen["items"] == sum(row["items"] for row in foreseen["windows"])
    assert {row["window"] for row in foreseen["windows"]} == {imported, fork}
    text = run(*trim).text
    assert text.splitlines()[-1].startswith(f"would trim {foreseen['items']} items in 2 windows")
    assert "--yes" in text
    assert state(home) == before

    done = run(*trim, "--yes", "--json").answer
    assert done == foreseen | {"dry_run": False}
    user = ("--role", "user", "--kind", "message")
    trimmed = [places(run, window, *user, "--trimmed", "only") for window in (imported, fork)]
    counted = {row["window"]: row["items"] for row in foreseen["windows"]}
    assert [len(found) for found in trimmed] == [counted[imported], counted[fork]]
    for window in (imported, fork):
        assert places(run, window, *user) == []
        left = places(run, window, "--trimmed", "only")
        assert len(left) == counted[window], "nothing else went"


WIDE = [
    ["trim", "WINDOW", "FORK"],
    ["trim", "WINDOW", "--kind", "message"],
    ["trim", "WINDOW", "--since", "2020-01-01"],
    ["trim", "--repo", "/home/ada/engine", "--older", "1d"],
    ["trim", "--all"],
    ["pin", "WINDOW", "FORK"],
    ["pin", "WINDOW", "--role", "user"],
    ["delete", "WINDOW", "--tree"],
    ["delete", "WINDOW", "FORK"],
]


@pytest.mark.parametrize("command", WIDE, ids=" ".join)
def test_what_is_wide_waits_for_yes(
    run: Run, imported: str, fork: str, home: Path, command: list[str]
) -> None:
    arguments = [a.replace("WINDOW", imported).replace("FORK", fork) for a in command]
    before = state(home)
    foreseen = run("window", *arguments, "--json").answer
    assert foreseen["dry_run"] is True
    assert foreseen["windows"] != []
    assert state(home) == before
    assert run("window", *arguments, "--yes", "--json").answer == foreseen | {"dry_run": False}
    assert state(home) != before
    again = run("window", *arguments, "--json").answer
    assert again["windows"] == [], "nothing is left to do"


def test_an_item_by_its_id_is_meant_in_every_window_that_shows_it(
    run: Run, imported: str, fork: str
) -> None:
    (item, *_) = [row["item"] for row in run("show", fork, "--jsonl").rows]
    foreseen = run("window", "trim", item, "--json").answer
    assert {row["window"] for row in foreseen["windows"]} == {imported, fork}
    assert foreseen["dry_run"] is True
    run("window", "trim", item, "--yes")
    for window in (imported, fork):
        assert item not in [row["item"] for row in run("show", window, "--jsonl").rows]


def test_pinned_items_and_windows_are_kept_and_counted(run: Run, imported: str) -> None:
    first, second, *_ = places(run, imported)
    assert run("window", "pin", f"{imported}@{first}").text.startswith("pinned 1 item")
    assert "user, pinned" in run("show", imported).text
    outcome = run("window", "trim", f"{imported}@{first}-{second}")
    assert "; 1 kept because of pins" in outcome.text
    assert first in places(run, imported)
    assert (
        run("window", "trim", f"{imported}@{first}", "--pinned-too", "--json").answer["items"] == 1
    )
    run("window", "restore", imported)
    assert run("window", "pin", imported).text == "pinned 1 window\n"
    assert run("window", "pin", imported, "--json").answer == {
        "schema": "vox.pin.windows.v1",
        "dry_run": False,
        "windows": [],
    }
    kept = run("window", "trim", imported, "--yes", "--json").answer
    assert (kept["items"], kept["kept"]) == (0, len(vox.open().window(imported)))
    run("window", "unpin", imported)
    assert run("window", "trim", imported, "--yes", "--json").answer["kept"] == 1


def test_a_fork_begins_like_its_origin(run: Run, imported: str) -> None:
    answer = run("window", "fork", f"{imported}@3", "--title", "Other way", "--json").answer
    assert answer["schema"] == "vox.fork.v1"
    assert (answer["items"], answer["from"]) == (4, imported)
    assert answer["key"].startswith("fork:")
    rows = {row["id"]: row for row in run("ls", "--jsonl").rows}
    made = rows[answer["window"]]
    assert (made["title"], made["parent"], made["link"]) == ("Other way", imported, "forked_from")
    shared = run("show", imported, "--jsonl", "--records", "-n", "4").rows
    assert run("show", answer["window"], "--jsonl", "--records").rows == shared


def test_picked_items_become_a_window_and_torn_pairs_are_told(run: Run, imported: str) -> None:
    rows = run("show", imported, "--jsonl").rows
    call = next(row["ordinal"] for row in rows if row["kind"] == "tool_call")
    result = next(row["ordinal"] for row in rows if row["kind"] == "tool_result")
    first = rows[0]["ordinal"]
    outcome = run("window", "merge", f"{imported}@{result}", f"{imported}@{first}", "--json")
    answer = outcome.answer
    assert answer["schema"] == "vox.merge.v1"
    assert (answer["items"], answer["results_without_call"]) == (2, 1)
    assert outcome.messages == "1 result without its call\n"
    made = run("show", answer["window"], "--jsonl").rows
    assert [row["preview"] for row in made] == [
        next(row["preview"] for row in rows if row["ordinal"] == ordinal)
        for ordinal in (result, first)
    ]
    whole = run("window", "merge", f"{imported}@{call},{result}", "--title", "Pair")
    assert whole.messages == ""
    assert "Pair" in run("ls").text


def test_titles_and_tags_are_the_users(run: Run, imported: str, transcript: Path) -> None:
    assert run("window", "rename", imported, "Mine").text == f"{imported[:8]} Mine\n"
    assert run("window", "tag", imported, "work", "to do").text.endswith(" work, to do\n")
    (file,) = transcript.rglob("*.jsonl")
    summary = b'{"type":"summary","summary":"Newer","leafUuid":"u5"}\n'
    with file.open("ab") as more:
        more.write(summary)
    assert run("import", "claude-code", "--root", transcript).status == 0
    (row,) = run("ls", "--jsonl", "--tag", "work", "--tag", "to do").rows
    assert (row["id"], row["title"], row["tags"]) == (imported, "Mine", ["work", "to do"])
    assert run("ls", "--jsonl", "--tag", "play").rows == []
    assert run("window", "untag", imported, "work", "--json").answer["tags"] == ["to do"]
    assert run("window", "rename", imported, "").text == f"{imported[:8]} Newer\n"


def test_a_deleted_window_is_out_of_lists_until_it_is_brought_back(
    run: Run, imported: str, fork: str
) -> None:
    assert run("window", "delete", imported).text == "deleted 1 window\n"
    assert [row["id"] for row in run("ls", "--jsonl").rows] == [fork]
    (row,) = run("ls", "--jsonl", "--deleted").rows
    assert row["id"] == imported
    assert row["deleted_at"] is not None
    assert run("show", imported).status == 0
    assert run("window", "undelete", imported).text == "undeleted 1 window\n"
    assert {row["id"] for row in run("ls", "--jsonl").rows} == {imported, fork}
    assert run("ls", "--deleted").messages == "no such windows\n"


MISTAKES: list[tuple[list[str], str]] = [
    (["trim"], "say which items"),
    (["trim", "WINDOW", "--all"], "not both"),
    (["trim", "WINDOW", "WINDOW@1"], "not both"),
    (["trim", "WINDOW@5-2"], "names no items"),
    (["trim", "WINDOW@900"], "so no items 900..901"),
    (["trim", "9999.1"], "9999.1"),
    (["fork", "WINDOW@1-3"], "one item of it"),
    (["fork", "WINDOW@900"], "not 901"),
    (["merge", "1.1"], "1.1 says of no window"),
    (["tag", "WINDOW", "a,b"], "is no tag"),
    (["tag", "WINDOW", ""], "is no tag"),
    (["rename", "WINDOW", "x" * 1001], "1000 characters"),
]


@pytest.mark.parametrize(("command", "says"), MISTAKES)
def test_mistakes_are_named_and_change_nothing(
    run: Run, imported: str, home: Path, command: list[str], says: str
) -> None:
    before = state(home)
    outcome = run("window", *(part.replace("WINDOW", imported) for part in command))
    assert outcome.status in {2, 3}
    assert says in outcome.messages
    assert state(home) == before


def test_in_a_terminal_the_header_says_what_was_said_of_a_window(
    run: Run, run_in_terminal: Any, imported: str
) -> None:
    run("window", "tag", imported, "work")
    run("window", "pin", imported)
    run("window", "trim", f"{imported}@1", "--pinned-too")
    text = run_in_terminal("show", imported).text
    assert "pinned · 1 item trimmed · tags: work" in text
