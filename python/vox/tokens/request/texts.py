"""Counts of texts for a model, many at a time, the way a request needs them."""

from __future__ import annotations

from collections.abc import Sequence

from vox.tokens import TokenEstimator
from vox.tokens.kinds import Kind


class Counter:
    """Counts texts for one model: exact if its tokenizer is there, else by the bound."""

    def __init__(self, model: str) -> None:
        self._estimator = TokenEstimator(model)
        self.kind: Kind = self._estimator.kind
        """What its counts are worth."""
        self.says = self._estimator.says
        """Where they come from."""

    def counts(self, texts: Sequence[str | bytes]) -> list[int]:
        """Tokens of each text, in their order."""
        return [int(tokens) for tokens in self._estimator.count(texts)]
