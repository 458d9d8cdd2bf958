"""Models are found by whatever name they are called, and what isn't known is said."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokens import gguf_files
from vox.errors import InvalidArgumentError, NotFoundError, VoxError
from vox.models import Caching, ModelProfile, Prices, profile
from vox.models.catalogue import keep, load_catalogue, shipped
from vox.models.row import Row


def row(name: str, provider: str = "anthropic", window: int = 1_000, **known: object) -> Row:
    about = {"source": "test", "date": date(2026, 11, 30), **known}
    return Row(id=name, provider=provider, window=window, **about)  # type: ignore[arg-type]


def test_a_listed_model_is_given_as_it_is_listed() -> None:
    assert profile("claude-opus-4-7") == ModelProfile(
        model_id="claude-opus-4-7",
        max_context_tokens=1_000_000,
        max_output_tokens=128_000,
        tool_capable=True,
        reasoning_tier="some",
        sees_images=True,
        caching=Caching(True, 2_048),
        prices=Prices(5.0, 25.0, 0.5, 6.25),
        source="models.dev",
        as_of=date(2026, 5, 21),
    )


@pytest.mark.parametrize(
    "name",
    [
        "Claude-Opus-4.7",
        "anthropic/claude-opus-4-7",
        "us.anthropic.claude-opus-4-7-v1:0",
        "claude-opus-4-7-20260416",
        "claude-opus-4-7@20260416",
        "claude-4.7-opus",
        "bedrock/eu.anthropic.claude-opus-4-7",
    ],
)
def test_routes_dates_and_spellings_name_the_same_model(name: str) -> None:
    assert profile(name) == profile("claude-opus-4-7")


def test_the_provider_that_a_name_goes_through_counts_before_the_maker() -> None:
    found = profile("openrouter/anthropic/claude-opus-4.7")
    assert found.model_id == "anthropic/claude-opus-4.7"
    assert profile("claude-opus-4.7").model_id == "claude-opus-4-7"


def test_a_tag_of_ollama_names_a_local_model() -> None:
    for name in ("qwen3:8b", "ollama/qwen3:8b", "ollama_chat/qwen3:8b", "lmstudio/qwen3-8b"):
        found = profile(name)
        assert (found.max_context_tokens, found.locality) == (40_960, "local"), name
        assert (found.max_output_tokens, found.prices, found.caching) == (None, None, None)
    assert profile("qwen/qwen3-8b").locality == "cloud"


def test_an_unlisted_model_inherits_from_the_newest_of_its_family_and_says_so() -> None:
    found = profile("anthropic/claude-opus-9")
    assert found.inherited_from == "claude-opus-5-5"
    assert (found.model_id, found.max_context_tokens) == ("anthropic/claude-opus-9", 1_000_000)
    assert found.caching is not None
    assert found.caching.supported
    assert found.prices is None, "what another costs says nothing"
    assert found.inherited[0] == "window"


def test_a_variant_inherits_from_what_it_is_a_variant_of() -> None:
    found = profile("gpt-4-0613")
    assert (found.inherited_from, found.max_context_tokens) == ("gpt-4", 8_192)


def test_the_gaps_of_a_listed_model_are_filled_and_named() -> None:
    found = profile("claude-sonnet-5")
    assert (found.source, found.inherited_from) == ("genai-prices", "claude-sonnet-4-6")
    assert found.inherited == ("output", "tools", "reasoning", "images")
    assert found.max_output_tokens == 64_000


def test_versions_decide_what_is_newest(home: Path) -> None:
    listed = [
        row("zorg-9", window=9, tools=True, released=date(2030, 1, 1)),
        row("zorg-10", window=10, tools=False),
        row("zorg-10-mini", window=11, tools=True),
        row("zorg-v2-pro", window=2, tools=True),
    ]
    keep(home / "models.jsonl", listed, {})
    assert profile("zorg-11").inherited_from == "zorg-10"
    assert profile("zorg-10-mini-fast").inherited_from == "zorg-10-mini"
    assert profile("zorg-11-mini").inherited_from == "zorg-10-mini"
    assert profile("zorg-v3-pro").inherited_from == "zorg-v2-pro"


def test_an_unknown_model_is_an_error_with_the_nearest_names() -> None:
    with pytest.raises(NotFoundError, match="nearest names are claude-opus-"):
        profile("claud-opus-5")
    with pytest.raises(NotFoundError, match="no such model is known"):
        profile("")


def test_what_a_user_has_fetched_lies_over_what_ships_field_by_field(home: Path) -> None:
    keep(home / "models.jsonl", [row("claude-opus-4-7", window=2_000_000)], {"name": "test"})
    found = profile("claude-opus-4-7")
    assert (found.max_context_tokens, found.max_output_tokens) == (2_000_000, 128_000)
    assert (found.source, found.as_of) == ("test", date(2026, 11, 30))
    keep(home / "models.jsonl", [row("claude-opus-4-7", output=7)], {"name": "test"})
    again = profile("claude-opus-4-7")
    assert (again.max_context_tokens, again.max_output_tokens) == (1_000, 7)


def test_bad_lines_of_a_users_catalogue_are_set_aside(home: Path) -> None:
    keep(home / "models.jsonl", [row("mine-1", window=77)], {})
    lines = [
        b"\xff\xfe",
        b"[" * 5_000,
        b"{}",
        b'{"id":"x","provider":"p","window":-1,"source":"s","date":"2026-01-01"}',
        b'{"id":"x","provider":"p","window":9,"prices":{"input":-1,"output":1},"source":"s",'
        b'"date":"2026-01-01"}',
    ]
    with (home / "models.jsonl").open("ab") as file:
        file.write(b"\n".join(lines))
    assert profile("mine-1").max_context_tokens == 77
    assert [bad.partition(":")[0] for bad in load_catalogue().bad] == [
        f"line {number}" for number in range(3, 8)
    ]


def test_a_gguf_file_is_a_model(tmp_path: Path) -> None:
    path = gguf_files.write(
        tmp_path / "tiny.gguf",
        {
            "general.architecture": "llama",
            "llama.context_length": 8_192,
            "tokenizer.ggml.model": "gpt2",
            "tokenizer.chat_template": "{% if tools %}…{% endif %}",
        },
    )
    found = profile(path)
    assert (found.max_context_tokens, found.locality, found.tool_capable) == (8_192, "local", True)
    assert (found.tokenizer, found.model_id) == (str(path), str(path))


def test_a_tokenizer_json_is_a_model_if_a_file_beside_it_states_the_window(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    with pytest.raises(InvalidArgumentError, match=r"put its config\.json beside it"):
        profile(path)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 10**30}))
    (tmp_path / "config.json").write_text(
        json.dumps({"text_config": {"max_position_embeddings": 4_096}})
    )
    assert profile(tmp_path).max_context_tokens == 4_096


def test_every_shipped_row_is_found_by_its_own_name() -> None:
    catalogue = shipped()
    assert catalogue.bad == ()
    assert len(catalogue.rows) > 500
    for listed in catalogue.rows:
        found = profile(f"{listed.provider}/{listed.id}")
        assert "window" not in found.inherited, f"{listed.id} is listed"
        assert found.source
        assert found.as_of is not None


@given(st.text(max_size=40) | st.from_regex(r"[a-z/:.@~-]{0,20}[0-9]{0,3}", fullmatch=True))
def test_any_text_is_a_model_or_an_error(name: str) -> None:
    with suppress(VoxError):
        assert profile(name).max_context_tokens >= 1
