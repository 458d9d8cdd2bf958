"""`vox model`: what is known of models."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run


def test_local_models_are_listed_whatever_the_count(run: Run) -> None:
    some, every = run("model", "list", "-n", "1"), run("model", "list", "-n", "10000")
    local = [line for line in every.text.splitlines() if "\tlocal\t" in line]
    assert len(local) > 20
    assert [line for line in some.text.splitlines() if "\tlocal\t" in line] == local
    assert len(some.text.splitlines()) < len(every.text.splitlines())
    only = run("model", "list", "--local").text.splitlines()
    assert set(local) <= set(only)
    assert not [line for line in only if "\topenai\t" in line]


def test_a_list_can_be_narrowed_and_read_by_programs(run: Run) -> None:
    listed = run("model", "list", "claude-opus-4-7", "--json").answer
    assert listed["schema"] == "vox.model.list.v1"
    assert [row["id"] for row in listed["models"]] == ["claude-opus-4-7"]
    assert listed["models"][0]["window"] == 1_000_000
    nothing = run("model", "list", "no-such-model")
    assert (nothing.status, nothing.text) == (0, "")
    assert "no such model" in nothing.messages


def test_one_model_is_shown_with_what_its_window_leaves(run: Run) -> None:
    shown = run("model", "show", "claude-opus-4-7", "--json").answer
    assert (shown["model"]["max_output_tokens"], shown["budget"]["usable"]) == (128_000, 872_000)
    lines = dict(
        line.split("\t") for line in run("model", "show", "claude-opus-9").text.splitlines()
    )
    assert lines["inherits"].endswith("from claude-opus-5-5")
    assert lines["held back"] == "the model's longest answer, 128000 tokens"


def test_an_unknown_model_is_an_error_with_the_nearest_names(run: Run) -> None:
    outcome = run("model", "show", "claud-opus-5")
    assert outcome.status == 3
    assert "claude-opus-5" in outcome.messages


def test_a_newer_catalogue_is_read_and_what_is_bad_in_it_is_told(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "models.json"
    path.write_text(
        json.dumps({"data": [{"id": "zorg/zorg-1", "context_length": 77}, {"id": "zorg/\x1b[2J"}]})
    )
    outcome = run("model", "refresh", path)
    assert outcome.status == 0
    assert outcome.text == "1 model of openrouter, 1 of them new, 0 of other kinds left out\n"
    assert "set aside: openrouter/zorg/" in outcome.messages
    assert "\x1b" not in outcome.messages
    assert run("model", "show", "zorg-1", "--json").answer["model"]["max_context_tokens"] == 77


def test_only_https_is_asked_for(run: Run) -> None:
    outcome = run("model", "refresh", "http://models.dev/api.json", "--json")
    assert (outcome.status, outcome.answer["code"]) == (2, "invalid_argument")
