"""Pulls: how often, and how much, a sub-agent may fetch."""

from __future__ import annotations

from dataclasses import dataclass, replace

from vox.errors import OverBudgetError


@dataclass(frozen=True, slots=True, kw_only=True)
class PullBudget:
    """What a sub-agent may fetch. It never changes; each pull gives what is left."""

    per_turn: int
    """Pulls between two answers."""
    tokens: int
    """Tokens of all pulls together."""
    this_turn: int = 0
    """Pulls since the last answer."""
    used: int = 0
    """Tokens of all pulls so far."""

    def pull(self, tokens: int) -> PullBudget:
        """What is left after a pull of so many tokens. Raises `OverBudgetError`."""
        if self.this_turn >= self.per_turn:
            raise OverBudgetError(
                f"{self.this_turn} pulls since the last answer, and {self.per_turn} are allowed; "
                "answer first, or search for what is needed"
            )
        if self.used + tokens > self.tokens:
            raise OverBudgetError(
                f"this would be {tokens} tokens, and of the {self.tokens} for all pulls "
                f"{self.tokens - self.used} are left; pull something shorter"
            )
        return replace(self, this_turn=self.this_turn + 1, used=self.used + tokens)

    def next_turn(self) -> PullBudget:
        """What is left after an answer."""
        return replace(self, this_turn=0)
