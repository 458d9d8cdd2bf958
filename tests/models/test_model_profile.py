"""Profiles of models say what fits."""

from __future__ import annotations

import pytest

from vox.errors import InvalidArgumentError
from vox.models import ModelProfile
from vox.tokens import TokenEstimator


def test_a_model_with_a_tokenizer_counts_exactly() -> None:
    profile = ModelProfile("gpt-5", 400_000)
    text = "def f(x):\n    return 'größer'\n"
    assert profile.cap([text, ""]) == [TokenEstimator("gpt-5").exact([text])[0], 0]
    assert profile.counts_by.startswith("exact")


def test_a_model_without_one_is_never_counted_below_the_truth() -> None:
    profile = ModelProfile("claude-opus-4", 200_000, tokenizer_ratio=3.5)
    assert profile.counts_by.startswith("assumed")
    assert profile.cap(["日本語"])[0] >= 3
    assert profile.about(35) == 10


def test_of_a_model_that_nothing_is_known_of_a_token_is_a_byte() -> None:
    profile = ModelProfile("nobody-knows-this", 8_000)
    assert profile.cap(["größer"]) == [8]
    assert "nothing is known" in profile.counts_by
    assert profile.about(100) is None


def test_a_model_may_be_counted_by_the_tokenizer_of_another() -> None:
    profile = ModelProfile("my-own", 8_000, tokenizer="gpt-5")
    assert profile.counts_by.startswith("exact")
    assert profile.cap(["größer"]) == ModelProfile("gpt-5", 8_000).cap(["größer"])


def test_windows_limits_and_ratios_are_positive() -> None:
    with pytest.raises(InvalidArgumentError, match="a window of 0 tokens"):
        ModelProfile("gpt-5", 0)
    for ratio in (0.0, -1.0, float("nan")):
        with pytest.raises(InvalidArgumentError, match="bytes for each token"):
            ModelProfile("gpt-5", 1, tokenizer_ratio=ratio)
    with pytest.raises(InvalidArgumentError, match="answers of at most 0 tokens"):
        ModelProfile("gpt-5", 1, max_output_tokens=0)
    with pytest.raises(InvalidArgumentError, match="requests of at most 0 tokens"):
        ModelProfile("gpt-5", 1, max_input_tokens=0)
