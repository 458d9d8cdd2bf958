"""Which family a name belongs to: the table of contracts/models.toml."""

from __future__ import annotations

from itertools import chain

import pytest
import tiktoken.model

from vox._native import AssumedBound
from vox.tokens.models import bare_name, families, family_of

# Those of tiktoken's encodings that differ in control tokens only; r50k_base doesn't ship.
SHIPPED = {
    "cl100k_base": "cl100k_base",
    "gpt2": None,
    "o200k_base": "o200k_base",
    "o200k_harmony": "o200k_base",
    "p50k_base": "p50k_base",
    "p50k_edit": "p50k_base",
    "r50k_base": None,
}


def test_every_row_has_a_name_of_its_own_and_says_where_it_is_from() -> None:
    names = [family.name for family in families()]
    beginnings = list(chain.from_iterable(family.models for family in families()))
    assert len(set(names)) == len(names) > 20
    assert len(set(beginnings)) == len(beginnings) > 80
    for family in families():
        assert AssumedBound(family.form).bound_many([]) == b""
        assert family.status in {"researched", "secondary"}
        assert family.source
        assert family.encoding in {None, *SHIPPED.values()}
        assert all(beginning == bare_name(beginning) for beginning in family.models)
        assert all(family_of(beginning) is family for beginning in family.models)


@pytest.mark.parametrize("model", sorted(tiktoken.model.MODEL_TO_ENCODING))
def test_models_that_tiktoken_knows_have_its_encoding(model: str) -> None:
    family = family_of(model)
    assert family
    assert family.encoding == SHIPPED[tiktoken.model.MODEL_TO_ENCODING[model]]


@pytest.mark.parametrize("prefix", sorted(tiktoken.model.MODEL_PREFIX_TO_ENCODING))
def test_beginnings_that_tiktoken_knows_have_its_encoding(prefix: str) -> None:
    family = family_of(f"{prefix.removesuffix('-')}-2030-01-01")
    assert family
    assert family.encoding == SHIPPED[tiktoken.model.MODEL_PREFIX_TO_ENCODING[prefix]]


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-5", "o200k"),
        ("GPT-5.1-Codex-Mini", "o200k"),
        ("codex-mini-latest", "o200k-unlisted"),
        ("o4-mini-high", "o200k"),
        ("openai/gpt-5", "o200k"),
        ("openrouter/openai/gpt-5:free", "o200k"),
        ("azure/gpt-35-turbo", "cl100k"),
        ("gpt-oss:20b", "o200k"),
        ("ft:gpt-4o-2024-08-06:org::id", "o200k"),
        ("ft:gpt-4:org::id", "cl100k"),
        ("gpt-4-turbo-2024-04-09", "cl100k"),
        ("gpt-4.1-nano", "o200k"),
        ("claude-3-5-sonnet-20241022", "claude-4"),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-4"),
        ("claude-sonnet-4-5@20250929", "claude-4"),
        ("claude-opus-4-6", "claude-4"),
        ("claude-opus-4-7", "claude"),
        ("anthropic/claude-opus-4.8", "claude"),
        ("claude-of-another-day-9", "claude"),
        ("models/gemini-2.5-flash", "gemini"),
        ("vertex_ai/gemini-3-pro-preview", "gemini"),
        ("qwen3:8b", "qwen"),
        ("Qwen/Qwen2.5-Coder-7B-Instruct", "qwen"),
        ("deepseek-r1-distill-qwen-32b", "qwen"),
        ("deepseek/deepseek-chat-v3-0324:free", "deepseek"),
        ("meta.llama3-70b-instruct-v1:0", "llama3"),
        ("llama2:13b", "llama2"),
        ("accounts/fireworks/models/llama-v3p1-8b-instruct", "llama3"),
        ("mistralai/Devstral-Small-2507", "mistral"),
        ("google/gemma-3-27b-it", "gemma"),
        ("z-ai/glm-4.6", "glm"),
        ("moonshotai/kimi-k2", "kimi"),
        ("x-ai/grok-4", "grok"),
    ],
)
def test_names_are_known_as_providers_write_them(model: str, family: str) -> None:
    known = family_of(model)
    assert known
    assert known.name == family


@pytest.mark.parametrize(
    "model", ["", "/", ":free", "gpt-4om", "gpt-4x", "o1js", "gpt", "my-gpt-4", "unheard-of"]
)
def test_names_that_only_look_alike_are_not_known(model: str) -> None:
    assert family_of(model) is None
