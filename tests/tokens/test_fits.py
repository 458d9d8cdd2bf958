"""Whether texts fit a budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vox
from tests.tokens.texts import PARTS, random_texts
from vox.errors import InvalidArgumentError

TEXTS = st.lists(st.lists(st.sampled_from(PARTS), max_size=12).map("".join), max_size=12)


@given(TEXTS, st.integers(0, 300), st.sampled_from([1, 2, None]))
def test_what_fits_is_what_a_count_says(texts: list[str], budget: int, threads: int | None) -> None:
    total = int(vox.count_tokens(texts, "gpt-5").sum())
    fit = vox.fits(texts, budget, "gpt-5", threads=threads)
    assert bool(fit) == fit.fits == (total <= budget)
    if not fit:
        assert fit.kind == "exact"
        assert budget < fit.tokens <= total
    elif fit.kind == "exact":
        assert fit.tokens == total
    else:
        assert fit.kind == "bound"
        assert total <= fit.tokens <= budget


def test_the_last_token_is_the_one_that_does_not_fit() -> None:
    texts = random_texts(200, seed=5)
    total = int(vox.count_tokens(texts, "gpt-5").sum())
    assert vox.fits(texts, total, "gpt-5")
    assert not vox.fits(texts, total - 1, "gpt-5")


def test_an_answer_that_a_bound_gives_says_so() -> None:
    fit = vox.fits(["one two three"], 13, "gpt-5")
    assert (fit.fits, fit.kind, fit.tokens) == (True, "bound", 13)
    assert fit.says == "bound: never below what is counted by " + (
        "o200k_base, the tokenizer of OpenAI from GPT-4o on"
    )
    assert vox.fits(["one two three"], 12, "gpt-5").kind == "exact"


def test_without_a_tokenizer_the_assumption_decides_and_is_named() -> None:
    fit = vox.fits(["one", "two"], 6, "claude-sonnet-4")
    assert (fit.fits, fit.kind, fit.tokens) == (True, "assumed", 6)
    assert "no token is less than a byte" in fit.says
    assert not vox.fits(["one", "two"], 5, "claude-sonnet-4")


@pytest.mark.parametrize("items", [["word " * 400_000], ["word "] * 400_000])
@pytest.mark.parametrize("threads", [1, 2])
def test_it_stops_as_soon_as_it_is_known(items: list[str], threads: int) -> None:
    fit = vox.fits(items, 1000, "gpt-5", threads=threads)
    assert not fit
    assert 1000 < fit.tokens < 0.1 * vox.count_tokens(items, "gpt-5").sum()


def test_nothing_fits_into_nothing() -> None:
    assert vox.fits([], 0, "gpt-5")
    assert vox.fits(["", b""], 0, "gpt-5")
    assert not vox.fits(["a"], 0, "gpt-5")
    assert vox.fits(iter(["a"]), 1, "gpt-5")


def test_a_budget_below_nothing_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="-1"):
        vox.fits(["a"], -1, "gpt-5")


@pytest.mark.parametrize("model", ["gpt-5", "claude-opus-5"])
def test_a_budget_beyond_all_numbers_is_enough(model: str) -> None:
    assert vox.fits(["text"], 2**64, model)
