"""What is known of a model that decides what fits it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from math import ceil
from typing import Literal, TypeAlias

from vox.errors import InvalidArgumentError
from vox.tokens.estimator import TokenEstimator

ReasoningTier: TypeAlias = Literal["none", "some", "low", "medium", "high"]
"""How much a model thinks before it answers; `some`: it does, how much isn't known."""

Locality: TypeAlias = Literal["cloud", "local"]
"""Where a model runs."""


@dataclass(frozen=True, slots=True)
class Caching:
    """What a model's provider keeps of the beginning of a request."""

    supported: bool
    min_prefix_tokens: int | None = None
    """The shortest beginning that is kept; a shorter one isn't, and no error says so. None where
    it isn't known."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in US dollars. None where it isn't known."""

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None


@dataclass(frozen=True)
class ModelProfile:
    """A model, as far as it matters for what it can be given. Contents don't depend on it: only
    what is shown of them does.

    `vox.models.profile` looks one up by its name. Raises `InvalidArgumentError` for a window, a
    ratio or a limit that isn't positive.
    """

    model_id: str
    max_context_tokens: int
    """What its window holds, the answer included."""
    max_output_tokens: int | None = None
    """The longest answer that it gives; None where it isn't known."""
    max_input_tokens: int | None = None
    """What a request may hold at most, where that is less than the window leaves; else None."""
    tokenizer: str | None = None
    """What counts for it: a name or a path, as for `vox.tokens.TokenEstimator`. By default
    `model_id`."""
    tokenizer_ratio: float | None = None
    """Bytes for each token, on average, where nothing better is known. For estimates alone: an
    average is no bound, so no budget is checked by it."""
    tool_capable: bool = True
    """Whether it can call tools, and so open what it was given a reference to."""
    reasoning_tier: ReasoningTier = "none"
    sees_images: bool = False
    """Whether it takes images."""
    caching: Caching | None = None
    """None where nothing is known of it."""
    locality: Locality = "cloud"
    prices: Prices | None = None
    """None where they aren't known."""
    source: str = ""
    """Who says all this."""
    as_of: date | None = None
    """The day from which `source` is."""
    inherited_from: str | None = None
    """The next of kin of whom `inherited` is known, where it isn't of the model itself."""
    inherited: tuple[str, ...] = ()
    """What is taken from there, in the words of `contracts/models/README.md`."""

    def __post_init__(self) -> None:
        if self.max_context_tokens < 1:
            raise InvalidArgumentError(
                f"{self.model_id}: a window of {self.max_context_tokens} tokens; 1 is the least"
            )
        for what, tokens in (
            ("answers", self.max_output_tokens),
            ("requests", self.max_input_tokens),
        ):
            if tokens is not None and tokens < 1:
                raise InvalidArgumentError(
                    f"{self.model_id}: {what} of at most {tokens} tokens; 1 is the least, and None "
                    "says that it isn't known"
                )
        if self.tokenizer_ratio is not None and not self.tokenizer_ratio > 0:
            raise InvalidArgumentError(
                f"{self.model_id}: {self.tokenizer_ratio} bytes for each token; it is more than 0"
            )

    @cached_property
    def estimator(self) -> TokenEstimator:
        """Counts for this model. Raises as `TokenEstimator` for one that nothing is known of."""
        return TokenEstimator(self.tokenizer or self.model_id)

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
