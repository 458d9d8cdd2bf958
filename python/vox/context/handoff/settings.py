"""How much of a sub-agent's window its seed and its pulls may take. Judgement, all of it."""

from __future__ import annotations

from dataclasses import dataclass

from vox.errors import InvalidArgumentError


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffSettings:
    """Shares are of what the sub-agent's model has room for. What neither takes is headroom for its
    own work. Raises `InvalidArgumentError` if there would be none."""

    seed_share: float = 0.25
    """What a seed may take at most."""
    pull_share: float = 0.25
    """What all pulls together may take."""
    pulls_per_turn: int = 8
    """Pulls between two answers."""

    def __post_init__(self) -> None:
        if not (self.seed_share > 0 and self.pull_share >= 0):
            raise InvalidArgumentError(
                f"seed_share is {self.seed_share} and pull_share {self.pull_share}; a seed needs "
                "more than 0, and pulls not less"
            )
        if not self.seed_share + self.pull_share < 1:
            raise InvalidArgumentError(
                f"a seed of {self.seed_share} and pulls of {self.pull_share} leave a sub-agent no "
                "room for its work; together they are less than 1"
            )
        if self.pulls_per_turn < 0:
            raise InvalidArgumentError(f"pulls_per_turn is {self.pulls_per_turn}; 0 is the least")
