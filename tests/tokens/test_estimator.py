"""What a model is counted by, and how that is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vox
from tests.tokens.texts import random_texts
from vox._native import Ratio, Tokenizer
from vox.errors import InvalidArgumentError, NotFoundError, UnsupportedError
from vox.tokens import KINDS, CountCache, Estimate, TokenEstimator, quick_estimate
from vox.tokens.models import Family, families


def test_a_model_whose_tokenizer_ships_is_counted_exactly_and_bounded_with_proof() -> None:
    estimator = TokenEstimator("openai/gpt-5")
    assert estimator.model == "openai/gpt-5"
    assert estimator.kind == estimator.kind_of("cap") == estimator.kind_of("exact") == "exact"
    assert estimator.kind_of("bound") == "bound"
    assert estimator.says == "exact: o200k_base, the tokenizer of OpenAI from GPT-4o on"
    assert estimator.fingerprint == Tokenizer.shipped("o200k_base").fingerprint
    assert estimator.estimate("one two") == Estimate(2, "exact", estimator.says)


def test_models_of_one_tokenizer_share_it() -> None:
    estimators = [TokenEstimator(model) for model in ("gpt-5", "o3", "gpt-oss:20b")]
    assert len({id(estimator.tokenizer) for estimator in estimators}) == 1
    assert TokenEstimator("gpt-4").fingerprint != estimators[0].fingerprint


def test_bounds_are_never_below_the_count_and_the_tight_one_is_near() -> None:
    estimator = TokenEstimator("gpt-5")
    texts = random_texts(3000, seed=1)
    count, tight = estimator.exact(texts), estimator.bound(texts)
    loose = estimator.bound(texts, tight=False)
    assert (count <= tight).all()
    assert (tight <= loose).all()
    assert tight.sum() < loose.sum()


@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "gemini-2.5-pro", "grok-4"])
def test_a_secret_tokenizer_is_never_said_to_be_known(model: str) -> None:
    estimator = TokenEstimator(model)
    assert estimator.fingerprint is None
    assert estimator.kind_of("cap") == estimator.kind_of("bound") == "assumed"
    assert estimator.says_of("assumed").startswith("assumed: ")
    assert "is not published" in estimator.says_of("assumed")
    with pytest.raises(UnsupportedError, match=r"not published.*tokenizer\.json or \.gguf"):
        estimator.exact(["text"])
    with pytest.raises(UnsupportedError):
        vox.count_tokens(["text"], model, kind="exact")


@pytest.mark.parametrize("family", families(), ids=lambda family: family.name)
def test_every_family_has_measured_ratios(family: Family) -> None:
    assert Ratio(family.ratio).estimate_many([]) == b""


def test_without_a_tokenizer_the_best_is_the_ratio_and_the_cap_is_the_bound() -> None:
    estimator = TokenEstimator("claude-sonnet-4-5")
    texts = [text for text in random_texts(500, seed=9) if text.isascii()]
    assert estimator.kind == "ratio"
    assert estimator.says == "ratio: as measured for the family claude-4"
    assert estimator.count(texts).tolist() == estimator.ratio(texts).tolist()
    assert estimator.count(texts, "cap").tolist() == estimator.bound(texts).tolist()
    assert vox.count_tokens(texts, "claude-sonnet-4-5").tolist() == estimator.ratio(texts).tolist()
    assert estimator.estimate("some words of a sentence").tokens < 24
    assert (
        vox.count_tokens(texts, "gpt-5", kind="ratio").tolist() != estimator.ratio(texts).tolist()
    )


def test_an_open_model_without_its_file_says_what_is_missing() -> None:
    with pytest.raises(UnsupportedError, match="Qwen is not at hand"):
        TokenEstimator("qwen3-coder").exact(["text"])


@given(st.lists(st.text(max_size=30), max_size=5))
def test_an_assumed_bound_over_a_stream_is_that_of_its_text(texts: list[str]) -> None:
    estimator = TokenEstimator("claude-sonnet-4-5")
    stream = estimator.stream_bound()
    for text in texts:
        stream.feed(text)
    assert stream.total == estimator.bound(["".join(texts)])[0]


def test_every_kind_is_worth_less_than_the_one_before() -> None:
    assert KINDS == ("exact", "bound", "assumed", "ratio")


def test_an_estimator_stands_where_a_model_does(tmp_path: Path) -> None:
    cache = CountCache(tmp_path / "counts")
    estimator = TokenEstimator("gpt-5", cache=cache)
    texts = ["one two", "three", ""]
    assert vox.count_tokens(texts, estimator).tolist() == [2, 1, 0]
    assert cache.count_many(texts, estimator.tokenizer)[1] == 3  # all of them were kept
    bounds = vox.count_tokens(texts, estimator, kind="bound").tolist()
    assert bounds == estimator.bound(texts).tolist()
    assert [vox.fits(texts, budget, estimator).fits for budget in (2, 3)] == [False, True]
    for more in ({"threads": 2}, {"cache": cache}):
        with pytest.raises(InvalidArgumentError, match="its own threads and cache"):
            vox.count_tokens(texts, estimator, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("model", ["unheard-of", "", "org/unheard-of"])
def test_an_unknown_model_is_refused_with_what_would_work(model: str) -> None:
    with pytest.raises(InvalidArgumentError, match=r"gpt-4o….*tokenizer\.json.*\.gguf.*org/name"):
        vox.count_tokens(["text"], model)


def test_a_file_that_is_not_there_is_not_looked_for_elsewhere() -> None:
    with pytest.raises(NotFoundError, match="nothing is downloaded"):
        vox.fits(["text"], 3, "./qwen/tokenizer.json")


@pytest.mark.parametrize("model", ["gpt-5", "claude-opus-5"])
@pytest.mark.parametrize("kind", ["exakt", "", "assumed", None])
def test_a_kind_that_there_is_not_is_refused(model: str, kind: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="best, cap, exact, bound, ratio"):
        vox.count_tokens(["text"], model, kind=kind)


@pytest.mark.parametrize("threads", [0, -1])
def test_fewer_threads_than_one_are_refused(threads: int) -> None:
    with pytest.raises(InvalidArgumentError, match="1 is the least"):
        vox.count_tokens(["text"], "gpt-5", threads=threads)


def test_more_threads_than_there_can_be_are_all() -> None:
    assert vox.count_tokens(["text"], "gpt-5", threads=10**30).tolist() == [1]


def test_the_quick_estimate_is_a_quarter_of_the_length_and_one() -> None:
    assert [quick_estimate("x" * length) for length in (0, 1, 4, 5, 8)] == [1, 2, 2, 3, 3]
    assert quick_estimate("漢字".encode()) == 3
