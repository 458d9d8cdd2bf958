"""`vox search --model`: references for a model, within a budget."""

from __future__ import annotations

import re

from tests.cli.conftest import Run


def test_a_reference_is_a_row_that_says_where_it_is_what_it_costs_and_how_it_was_found(
    run: Run, imported: str
) -> None:
    outcome = run("search", "why would a build fail", "--model", "gpt-5", "--all")
    assert outcome.status == 0, outcome.messages
    first, *_ = outcome.text.splitlines()
    item, time, what, title, tokens, found_by, shows, text = first.split("\t")
    assert run("cat", item).text == "Why does the build fail?" == text
    assert (what, shows, found_by) == ("user", "snippet", "text 1")
    assert title.startswith("Title ")
    assert time
    assert int(tokens) > 0
    assert "semantic: skipped: no embedding service is attached" in outcome.messages


def test_an_answer_in_json_stays_within_its_budget(run: Run, imported: str) -> None:
    asked = ("search", "build", "--model", "gpt-5", "--all", "--json")
    answer = run(*asked, "--budget", "200").answer
    assert answer["schema"] == "vox.retrieve.v1"
    assert (answer["question"], answer["model"], answer["budget"]) == ("build", "gpt-5", 200)
    assert [lane["name"] for lane in answer["lanes"]] == ["text", "structural", "semantic"]
    references = answer["references"]
    assert sum(one["tokens"] for one in references) == answer["tokens"] <= 200
    for one in references:
        assert re.fullmatch(r"\d+\.\d+", one["item"])
        assert one["window"] == imported
        assert one["lanes"] == {"text": references.index(one) + 1}
    none = run(*asked, "--budget", "0").answer
    assert none["references"] == []
    assert none["left_out"] == len(references) + answer["left_out"] > 0


def test_lanes_filters_and_the_limit_are_chosen(run: Run, imported: str) -> None:
    asked = ("search", "build", "-m", "gpt-5", "--all", "--json")
    answer = run(*asked, "--lane", "semantic").answer
    assert [lane["name"] for lane in answer["lanes"]] == ["semantic"]
    assert answer["references"] == []
    roles = {one["role"] for one in run(*asked, "--role", "user").answer["references"]}
    assert roles == {"user"}
    assert len(run(*asked, "--limit", "1").answer["references"]) == 1
    rows = run("search", "build", "-m", "gpt-5", "--all", "--jsonl").rows
    # Scores fade with every moment.
    items = [one["item"] for one in run(*asked).answer["references"]]
    assert [row["item"] for row in rows] == items


def test_options_that_ask_for_hits_are_refused(run: Run, imported: str) -> None:
    for option in ("-F", "-E", "--facets", "--no-index", "--reveal"):
        outcome = run("search", "build", "-m", "gpt-5", option)
        assert outcome.status == 2
        assert f"{option} doesn't go with --model" in outcome.messages
    outcome = run("search", "build", "--budget", "100")
    assert outcome.status == 2
    assert "need --model" in outcome.messages
