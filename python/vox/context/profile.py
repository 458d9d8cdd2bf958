"""What is known of a model that decides what fits it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Literal, TypeAlias

from vox.errors import InvalidArgumentError
from vox.tokens.estimator import TokenEstimator

ReasoningTier: TypeAlias = Literal["none", "low", "medium", "high"]
"""How much a model thinks before it answers."""


@dataclass(frozen=True)
class ModelProfile:
    """A model, as far as it matters for what it can be given. Contents don't depend on it: only
    what is shown of them does.

    `model_id` names the model, or the path of its tokenizer, as for `vox.tokens.TokenEstimator`.
    Raises `InvalidArgumentError` for a window or a ratio that isn't positive.
    """

    model_id: str
    max_context_tokens: int
    """What its window holds, the answer included."""
    tokenizer_ratio: float | None = None
    """Bytes for each token, on average, where nothing better is known. For estimates alone: an
    average is no bound, so no budget is checked by it."""
    tool_capable: bool = True
    """Whether it can call tools, and so open what it was given a reference to."""
    reasoning_tier: ReasoningTier = "none"

    def __post_init__(self) -> None:
        if self.max_context_tokens < 1:
            raise InvalidArgumentError(
                f"{self.model_id}: a window of {self.max_context_tokens} tokens; 1 is the least"
            )
        if self.tokenizer_ratio is not None and not self.tokenizer_ratio > 0:
            raise InvalidArgumentError(
                f"{self.model_id}: {self.tokenizer_ratio} bytes for each token; it is more than 0"
            )

    @cached_property
    def estimator(self) -> TokenEstimator:
        """Counts for this model. Raises as `TokenEstimator` for one that nothing is known of."""
        return TokenEstimator(self.model_id)

    def cap(self, texts: Sequence[str]) -> list[int]:
        """For each text a number of tokens that it isn't above: exact, or a bound. Of a model that
        nothing is known of, only that no token is less than a byte."""
        try:
            counts = self.estimator.count(texts, "cap")
        except InvalidArgumentError:
            return [len(text.encode("utf-8", "surrogatepass")) for text in texts]
        return [int(count) for count in counts]

    @property
    def counts_by(self) -> str:
        """What `cap` counts by, as a sentence."""
        try:
            return self.estimator.says_of(self.estimator.kind_of("cap"))
        except InvalidArgumentError:
            return (
                "assumed: no token is less than a byte of the text; nothing is known of the model"
            )

    def about(self, size: int) -> int | None:
        """About how many tokens `size` bytes are; None without a ratio."""
        if self.tokenizer_ratio is None:
            return None
        return ceil(size / self.tokenizer_ratio)
