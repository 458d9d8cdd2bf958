"""`vox context show` and `project`: what a model would be given of a window."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import vox
from tests.archive.test_secrets import MASK, TEXTS, TOKEN, items
from tests.cli.conftest import HOSTILE, Run
from vox.sources.base import WindowDraft

CLOUD, LOCAL = "claude-opus-4-7", "qwen3:8b"
FATES = {"included": "in full", "summarized": "in part", "dropped": "left out"}


def show(run: Run, *arguments: str | Path) -> list[list[str]]:
    outcome = run("context", "show", *arguments)
    assert outcome.status == 0, outcome.messages
    return [line.split("\t") for line in outcome.text.splitlines()]


def test_each_item_is_shown_with_its_fate_tokens_and_the_reason(run: Run, imported: str) -> None:
    rows = show(run, imported, "--model", CLOUD)
    assert [row[2] for row in rows] == [
        "user",
        "assistant",
        "user",
        "tool_call Bash",
        "tool_result Bash",
        "assistant",
    ]
    assert {row[3] for row in rows} == {"in full"}
    assert {row[5] for row in rows} == {"all of the window fits"}
    assert all(re.fullmatch(r"≤[\d,]+", row[4]) for row in rows)
    assert rows[0][6] == "Why does the build fail?"


def test_what_has_no_room_is_given_in_part_or_left_out(run: Run, imported: str) -> None:
    rows = show(run, imported, "--model", LOCAL, "--budget", "3000")
    assert rows[4][3] in ("in part", "left out")
    shown = run("context", "show", imported, "--model", LOCAL, "--budget", "3000", "--json").answer
    assert shown["schema"] == "vox.context.show.v1"
    assert [FATES[item["fate"]] for item in shown["items"]] == [row[3] for row in rows]
    assert shown["used"] <= shown["budget"] == 3000
    parts = sum(shown["by_claimant"].values()) + shown["framing"]
    assert parts == shown["used"]
    assert sum(shown["fates"].values()) == shown["total"] == len(rows)


def test_items_are_paged_and_chosen_by_fate(run: Run, imported: str) -> None:
    every = show(run, imported, "--model", CLOUD)
    assert show(run, imported, "--model", CLOUD, "--start", "2", "-n", "2") == every[2:4]
    nothing = run("context", "show", imported, "--model", CLOUD, "--fate", "on_demand")
    assert (nothing.status, nothing.text) == (0, "")
    assert "no such items" in nothing.messages
    behind = run("context", "show", imported, "--model", CLOUD, "--start", "99")
    assert "there are 6 items" in behind.messages


def test_secrets_are_masked_unless_they_are_to_be_revealed(
    run: Run, home: Path, tmp_path: Path
) -> None:
    with vox.open(home / "archive") as archive:
        archive.append("w", items(*TEXTS))
        archive.append("long", items("x " * 4000 + TOKEN + " y" * 4000))
        short, long = archive.window("w").id, archive.window("long").id
    page = tmp_path / "page.html"
    for how in ((), ("--json",), ("--html", page)):
        for window, budget in ((short, "4000"), (long, "6000")):
            asked = ("context", "show", window, "--model", LOCAL, "--budget", budget, *how)
            said = run(*asked)
            assert said.status == 0, said.messages
            assert TOKEN not in said.text
            if window == short:
                assert MASK in (page.read_text() if how[:1] == ("--html",) else said.text)
                text = run(*asked, "--reveal").text
                assert TOKEN in (page.read_text() if how[:1] == ("--html",) else text)
    asked = ("context", "project", short, "--model", CLOUD, "--model", LOCAL)
    for answer in (run(*asked, "--budget", "10"), run(*asked, "--budget", "10", "--json")):
        assert TOKEN not in answer.text


@pytest.mark.parametrize("before", [0, 40, 160, 190])
def test_no_part_of_a_secret_is_shown_where_a_text_is_cut(
    run: Run, home: Path, before: int
) -> None:
    with vox.open(home / "archive") as archive:
        archive.append("w", items("y" * before + f" {TOKEN} " + "a line of text\n" * 900))
        window = archive.window("w").id
    shown = run("context", "show", window, "--model", LOCAL, "--budget", "5000", "--json").answer
    (row,) = shown["items"]
    assert row["fate"] == "summarized"
    assert TOKEN[:12] not in row["begins"]


@pytest.mark.parametrize("columns", [100, 60])
def test_a_terminal_is_given_nothing_that_controls_it(
    run_in_terminal: Run, imported: str, columns: int
) -> None:
    for asked in (("show", "-m", CLOUD), ("project", "-m", CLOUD, "-m", LOCAL)):
        said = run_in_terminal("context", asked[0], imported, *asked[1:], columns=columns)
        assert said.status == 0, said.text
        plain = re.sub(r"\x1b\[[\d;]*m", "", said.text)
        assert not set(HOSTILE) & set(plain) - set(HOSTILE[4:6] + "2J]52;c;ZXZpbA==end[")
        assert "\x1b" not in plain
        assert "\u202e" not in plain
        drawn = [line for line in plain.splitlines() if set("█▓▒░") & set(line)]
        assert bool(drawn) == (asked[0] == "show")
        assert all(len(line) <= columns for line in drawn)


def test_two_models_stand_side_by_side_with_what_differs_and_why(run: Run, imported: str) -> None:
    asked = ("context", "project", imported, "--model", CLOUD, "--model", LOCAL)
    sums, changes, differing = run(*asked).text.split("\n\n")
    assert sums.splitlines()[0] == "model\tclaude-opus-4-7\tQwen3-8B"
    assert dict(line.split("\t", 1) for line in sums.splitlines())["in full"] == "6\t5"
    fates, count, tokens, reason = changes.splitlines()[0].split("\t")
    assert (fates, count) == ("in full → in part", "1")
    assert re.fullmatch(r"[\d,]+ → [\d,]+", tokens)
    assert reason.startswith("its beginning and end")
    (row,) = differing.splitlines()
    assert row.split("\t")[1:3] == ["tool_result Bash", "in full → in part"]


def test_programs_are_given_both_projections_and_what_differs(run: Run, imported: str) -> None:
    answer = run(
        "context", "project", imported, "--model", CLOUD, "--model", LOCAL, "--json"
    ).answer
    assert answer["schema"] == "vox.context.project.v1"
    assert [one["model"] for one in answer["projections"]] == ["claude-opus-4-7", "Qwen3-8B"]
    (change,) = answer["changes"]
    assert (change["fates"], change["items"]) == (["included", "summarized"], 1)
    (item,) = answer["items"]
    assert item["fate"] == ["included", "summarized"]
    assert item["tokens"] == change["tokens"]
    assert answer["total"] == 1


def test_one_model_has_its_sums_and_reasons(run: Run, imported: str) -> None:
    sums, reasons = run("context", "project", imported, "--model", CLOUD).text.split("\n\n")
    assert "in full\t6" in sums.splitlines()
    assert reasons.startswith("in full\t6\t")
    assert reasons.rstrip().endswith("all of the window fits")


def test_models_that_give_the_same_say_so(run: Run, imported: str) -> None:
    said = run("context", "project", imported, "--model", CLOUD, "--model", "claude-opus-4-6")
    assert said.text.endswith("no item has another fate\n")


def test_a_window_has_a_model_by_itself_or_is_given_one(run: Run, imported: str) -> None:
    outcome = run("context", "show", imported, "--json")
    assert outcome.answer["model"] == "claude-x"
    # Nothing is known of that one itself.
    inherited = outcome.answer["inherited_from"]
    assert "claude-" in inherited
    messages = run("context", "project", imported).messages
    assert re.search(f"^claude-x inherits .*: from {re.escape(inherited)}$", messages, re.MULTILINE)


def test_a_window_without_a_model_needs_one_named(run: Run, home: Path) -> None:
    with vox.open(home / "archive") as archive:
        archive.append("w", items("hello"))
        window = archive.window("w").id
    outcome = run("context", "project", window, "--json")
    assert (outcome.status, outcome.answer["code"]) == (2, "invalid_argument")
    assert run("context", "project", window, *("--model", CLOUD) * 3).status == 2
    assert run("context", "show", window, "--model", "no-such-model").status == 3
    assert run("context", "show", window, "--model", CLOUD, "--budget", "99999999").status == 2
    assert run("context", "show", "ffff0000", "--model", CLOUD).status == 3


def test_an_empty_window_and_a_budget_of_nothing_are_answers(run: Run, home: Path) -> None:
    with vox.open(home / "archive") as archive:
        archive.append("w", items("hello"))
        archive.append("empty", [])
        window, empty = archive.window("w").id, archive.window("empty").id
    (row,) = show(run, window, "--model", LOCAL, "--budget", "0")
    assert row[3] == "left out"
    assert run("context", "show", empty, "--model", LOCAL).status == 0
    assert run("context", "project", empty, "--model", LOCAL, "--model", CLOUD).status == 0


class Page(HTMLParser):
    """What stands in a page, and whether what is opened is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.said = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said += data


def test_a_picture_is_one_file_that_fetches_and_runs_nothing(
    run: Run, home: Path, tmp_path: Path
) -> None:
    evil = '<script>alert(1)</script> <img src="https://example.org/x"> \x1b[2J "quoted" & \u202e'
    with vox.open(home / "archive") as archive:
        archive.append(WindowDraft(key="w", title=f"<b>{evil}"), items(evil, "plain"))
        window = archive.window("w").id
    file = tmp_path / "page.html"
    outcome = run("context", "show", window, "--model", LOCAL, "--html", file)
    assert (outcome.status, outcome.text) == (0, f"drawn: {file}\n")
    assert file.stat().st_mode & 0o077 == 0
    text = file.read_text()
    page = Page(text)
    assert page.open == []
    names = {tag for tag, _ in page.tags}
    known = "html head meta title style body h1 h2 p strong code div i a ul li table tr th td"
    assert names <= {*known.split()}
    for _, attributes in page.tags:
        assert not {"src", "srcset", "data", "action"} & set(attributes)
        assert not [name for name in attributes if name.startswith("on")]
        assert (attributes.get("href") or "#").startswith("#")
    assert "url(" not in text
    assert "@import" not in text
    assert "prefers-color-scheme: dark" in text
    assert "<script>alert(1)</script>" in page.said
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_picture_can_be_written_beside_an_answer_and_nowhere_else(
    run: Run, imported: str, tmp_path: Path
) -> None:
    file = tmp_path / "page.html"
    asked = ("context", "show", imported, "--model", CLOUD, "--html")
    answer = run(*asked, file, "--json").answer
    assert answer["total"] == 6
    assert file.exists()
    failed = run(*asked, tmp_path / "no" / "folder.html")
    assert failed.status != 0
    assert "no/folder.html" in failed.messages
