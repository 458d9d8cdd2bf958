"""Counts of texts for a model, many at a time, the way a request needs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

from vox.tokens import TokenEstimator
from vox.tokens.kinds import Kind

RequestWish: TypeAlias = Literal["cap", "best"]
"""What texts are counted by where the model's tokenizer isn't at hand, as
`vox.tokens.estimator.Wish`. `cap`: a bound. `best`: the ratio, unless the bound is proven; it is
nearer and may be too low."""


class Counts(Protocol):
    """Whoever counts texts for a request."""

    kind: Kind
    """What its counts are worth."""
    says: str
    """The same as a sentence."""

    def counts(self, texts: Sequence[str], /) -> list[int]:
        """Tokens of each text, in their order."""


class Counter:
    """Counts texts for one model: exactly if its tokenizer is at hand."""

    def __init__(self, model: str, wish: RequestWish) -> None:
        self._estimator = TokenEstimator(model)
        self._wish: RequestWish = wish
        self.kind: Kind = self._estimator.kind_of(wish)
        """What its counts are worth."""
        self.says = self._estimator.says_of(self.kind)
        """The same as a sentence."""

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in their order."""
        return [int(tokens) for tokens in self._estimator.count(texts, self._wish)]
