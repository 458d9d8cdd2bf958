"""`vox search`: what people and programs get of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def test_a_hit_is_a_row_with_its_item_place_and_text(run: Run, imported: str) -> None:
    outcome = run("search", "build", "fail", "--all")
    (line,) = outcome.text.splitlines()
    item, place, time, what, title, text = line.split("\t")
    assert re.fullmatch(r"\d+\.\d+", item)
    window, ordinal = place.split("@")
    assert imported.startswith(window)
    assert run("cat", f"{imported}@{ordinal}").text == "Why does the build fail?"
    assert run("cat", item).text == "Why does the build fail?"
    assert what == "user"
    assert title.startswith("Title ")
    assert text == "Why does the build fail?"
    assert time


def test_an_answer_in_json_has_ids_snippets_and_its_state(run: Run, imported: str) -> None:
    answer = run("search", '"build fail"', "--all", "--json").answer
    assert answer["schema"] == "vox.search.v1"
    assert answer["query"] == '"build fail"'
    assert answer["total"] == 1
    assert answer["cursor"] is None
    assert answer["state"] in {"complete", "not_indexed"}
    (hit,) = answer["hits"]
    assert hit["window"] == imported
    assert re.fullmatch(r"\d+\.\d+", hit["item"])
    marks = [hit["snippet"]["text"][start:end] for start, end in hit["snippet"]["marks"]]
    assert marks == ["build", "fail"] or marks == ["build fail"]


def test_hits_in_lines_are_those_of_the_answer(run: Run, imported: str) -> None:
    hits = run("search", "--all", "--json").answer["hits"]
    assert len(hits) == 6
    assert run("search", "--all", "--jsonl").rows == hits


def test_options_say_what_filters_say(run: Run, imported: str) -> None:
    def found(*arguments: str) -> list[str]:
        return [hit["item"] for hit in run("search", "--all", "--jsonl", *arguments).rows]

    assert len(found("--role", "user")) == 2
    assert found("--role", "user") == found("role:user")
    assert found("--kind", "tool_call") == found("kind:tool_call tool:Bash")
    assert found("--kind", "tool_call", "--tool", "Bash", "--in", imported[:8]) != []
    assert found("--since", "2026-01-31T12:04:30Z") == found("since:2026-01-31T12:04:30Z")
    assert found("--before", "2026-01-31T12:00:30Z") == found("build")
    assert found("--repo", "engine", "build") == found("build")
    assert found("--repo", "other", "build") == []


def test_a_literal_and_an_expression_are_taken_as_they_stand(run: Run, imported: str) -> None:
    assert run("search", "-F", 'fail?"', "--all").text == ""
    assert run("search", "-F", "fail?", "--all").text.count("\n") == 1
    assert run("search", "-F", "uild fai", "--all").text.count("\n") == 1
    assert run("search", "-E", r"^Why.*\?$", "--all").text.count("\n") == 1
    assert run("search", "-F", "-E", "x").status == 2


def test_a_query_that_is_none_is_answered_with_its_column(run: Run, imported: str) -> None:
    outcome = run("search", "build (fail", "--json")
    assert outcome.status == 2
    assert outcome.answer["code"] == "invalid_argument"
    assert outcome.answer["message"].startswith("column 7 of the query: ")


def test_a_folder_that_is_known_is_the_scope(
    run: Run, imported: str, transcript: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, unknown = tmp_path / "known", tmp_path / "unknown"
    known.mkdir()
    unknown.mkdir()
    (file,) = transcript.rglob("*.jsonl")
    text = file.read_text().replace("/home/ada/engine", str(known)).replace("Why does", "Does")
    more = tmp_path / "more" / "-known"
    more.mkdir(parents=True)
    (more / file.name.replace("5e551017", "5e551018")).write_text(
        text.replace("5e551017", "5e551018")
    )
    assert run("import", "claude-code", "--root", tmp_path / "more").status == 0
    monkeypatch.chdir(known)
    (hit,) = run("search", "build", "--jsonl").rows
    assert hit["repo"] == str(known)
    assert run("search", "build", "--json").answer["repos"] == [str(known)]
    assert len(run("search", "build", "--jsonl", "--all").rows) == 2
    assert "--all" in run("search", "nowhere").messages
    assert run("search", "build", "repo:engine").text.count("\n") == 1
    assert "--all" not in run("search", "nowhere", "repo:engine").messages
    assert run("search", "build", "repo:engine", "--json").answer["repos"] == []
    monkeypatch.chdir(unknown)
    assert len(run("search", "build", "--jsonl").rows) == 2


def test_a_cursor_goes_on_behind_the_hits_before(run: Run, imported: str) -> None:
    items: list[str] = []
    cursor: list[str] = []
    while True:
        answer = run(
            "search", "--all", "--json", "--limit", "4", "--sort", "oldest", *cursor
        ).answer
        assert answer["start"] == len(items)
        items += [hit["item"] for hit in answer["hits"]]
        if answer["cursor"] is None:
            break
        cursor = ["--cursor", answer["cursor"]]
    assert len(items) == len(set(items)) == 6
    refused = run("search", "other", "--all", *cursor)
    assert refused.status == 2
    assert "another search" in refused.messages


def test_facets_are_counted_over_all_hits(run: Run, imported: str) -> None:
    rows = [line.split("\t") for line in run("search", "--all", "--facets").text.splitlines()]
    assert ["kind", "message", "4"] in rows
    assert ["repo", "/home/ada/engine", "6"] in rows
    facets = run("search", "--all", "--facets", "--json", "-n", "1").answer["facets"]
    assert facets["month"] == [["2026-01", 6]]


def test_a_hit_can_be_opened(run: Run, imported: str) -> None:
    (hit,) = run("search", "漢字", "--all", "--jsonl").rows
    shown = run("search", "漢字", "--all", "-o", "1")
    assert shown.status == 0
    assert shown.text.split("\t")[:2] == [str(hit["ordinal"]), hit["item"]]
    assert run("search", "漢字", "--all", "-o", "2").status == 3


def test_nothing_found_is_no_error_and_says_so(run: Run, imported: str) -> None:
    outcome = run("search", "zebra", "--all")
    assert (outcome.status, outcome.text) == (0, "")
    assert "no hits" in outcome.messages


def test_no_control_character_of_a_text_reaches_the_output(run: Run, imported: str) -> None:
    for arguments in (["search", "because", "--all"], ["search", "because", "--all", "--json"]):
        output = run(*arguments).text
        assert output
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", output)


def test_a_terminal_shows_what_was_looked_for_and_where(
    run_in_terminal: Run, imported: str
) -> None:
    outcome = run_in_terminal("search", "漢字", "--all")
    assert outcome.status == 0
    assert re.search("\x1b\\[1;31m漢字\x1b\\[0m", outcome.text)
    assert imported[:8] in outcome.text


def test_a_terminal_is_sent_no_sequence_of_a_text(run_in_terminal: Run, imported: str) -> None:
    output = run_in_terminal("search", "because", "--all").text
    assert "Because" in output
    assert "\x1b[2J" not in output
    assert "\x1b]52" not in output
    assert "\u202e" not in output


def test_a_terminal_says_how_to_go_on(run_in_terminal: Run, imported: str) -> None:
    assert "hits 1-2 of 6; next: --cursor" in run_in_terminal("search", "--all", "-n", "2").text


def test_an_import_brings_the_index_up_to_date(run: Run, imported: str, tmp_path: Path) -> None:
    assert run("search", "build", "--all", "--json").answer["state"] == "complete"
    assert run("search", "build", "--all", "--no-index", "--json").answer["state"] == "not_indexed"


def test_an_import_can_leave_the_index_as_it_is(run: Run, transcript: Path) -> None:
    assert run("import", "claude-code", "--root", transcript, "--no-index").status == 0
    outcome = run("search", "build", "--all")
    assert outcome.text.count("\n") == 1
    assert "vox archive reindex" in outcome.messages
    report = run("archive", "reindex", "--json").answer
    assert (report["standing"], report["anew"]) == ("current", True)
    assert run("search", "build", "--all", "--json").answer["state"] == "complete"


def test_lines_around_what_was_found_come_with_their_numbers(run: Run, imported: str) -> None:
    (hit,) = run("search", "lines", "--all", "--jsonl", "-C", "1").rows
    assert [(line["number"], line["text"]) for line in hit["lines"]] == [
        (1, "Zweite Frage: äöü 漢字 🙂"),
        (2, "in two lines"),
    ]
    assert [line["marks"] for line in hit["lines"]] == [[], [[7, 12]]]
    shown = run("search", "lines", "--all", "-C", "1").text
    assert re.search(r"1- Zweite Frage.*\n +2: in two lines", shown)
    assert "Zweite" not in run("search", "lines", "--all", "-C", "0").text


def test_an_option_without_a_value_is_named(run: Run, imported: str) -> None:
    for option in ("--tool", "--in", "--repo", "--since"):
        outcome = run("search", "build", option, "")
        assert outcome.status == 2
        assert f"{option} needs a value" in outcome.messages
    assert "-F needs a QUERY" in run("search", "-F", "").messages


def test_who_asks_for_no_index_is_not_told_to_make_one(run: Run, imported: str) -> None:
    assert "reindex" not in run("search", "build", "--all", "--no-index").messages
