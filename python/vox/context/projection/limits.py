"""How much a plan may cost, and when there is to be another."""

from __future__ import annotations

from dataclasses import dataclass

from vox.errors import InvalidArgumentError


@dataclass(frozen=True, slots=True)
class Limits:
    """Tokens for what is shown of a window, stubs and frames included; the system prompt, tools and
    the reserve for the answer are no part of it."""

    budget: int
    """What a plan never costs more than."""
    compact_at: int
    """As long as all is below this, what was sent stays, and what is new is added in full."""
    low_water: int
    """What is planned for when it isn't."""

    def __post_init__(self) -> None:
        if not 0 <= self.low_water <= self.compact_at <= self.budget:
            raise InvalidArgumentError(
                f"a budget of {self.budget} tokens, planned anew at {self.compact_at} down to "
                f"{self.low_water}: each is at least 0 and none is above the one before"
            )

    @classmethod
    def exactly(cls, budget: int) -> Limits:
        """One number for all. Raises `InvalidArgumentError` below 0."""
        return cls(budget, budget, budget)
