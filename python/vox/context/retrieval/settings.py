"""What retrieval weighs by. Each number is a judgement unless it says otherwise; all of them were
looked at on the judged queries in `tests/data/retrieval`, none was fitted to a hundredth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


def _weights() -> Mapping[str, float]:
    return MappingProxyType({"text": 1.0, "structural": 0.5, "semantic": 1.0})


def _kinds() -> Mapping[str, float]:
    # What was said is worth a little more than what a tool printed, which is longer and repeats,
    # and than what it was called with, whose results and answers say more.
    kinds = {"message": 1.0, "tool_result": 0.99, "tool_call": 0.98, "summary": 0.97}
    return MappingProxyType(kinds)


def _roles() -> Mapping[str, float]:
    return MappingProxyType({"system": 0.9})


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSettings:
    """Numbers that the router goes by."""

    pool: int = 100
    """Candidates that each lane is asked for."""
    rank_offset: int = 60
    """What is added to ranks before they are inverted: Cormack, Clarke and Büttcher, "Reciprocal
    rank fusion outperforms Condorcet and individual rank learning methods", SIGIR 2009."""
    lane_weights: Mapping[str, float] = field(default_factory=_weights)
    """What the ranks of a lane count, by its name; 1 for one that isn't named."""
    covered_from: float = 0.5
    """If words find no more than this share of the question, lanes that go by meaning count fully
    …"""
    covered_to: float = 0.8
    """… and if they find this share or more, not at all: what was found word for word isn't
    overruled by what is only like it."""
    named_from: float = 1 / 3
    """If words find more than `covered_from`, and names are no more than this share of the
    question's words, lanes that go by names don't count at all …"""
    named_to: float = 2 / 3
    """… and if they are this share or more, fully: a sentence that stands somewhere as it is asked
    is found there, not at the files that it mentions."""
    kind_priors: Mapping[str, float] = field(default_factory=_kinds)
    """Factors by kind of item; 1 for one that isn't named."""
    role_priors: Mapping[str, float] = field(default_factory=_roles)
    """Factors by role; 1 for one that isn't named."""
    recency: float = 0.02
    """How much more than an old item one of this moment is worth, as a share of its score."""
    half_life_days: float = 30.0
    """Days until half of that is left."""
    budget_share: float = 0.02
    """The share of a model's window that is taken where no budget is named."""
    limit: int = 20
    """References at most."""
    snippet_bytes: int = 480
    """How long a passage is, about."""
    short_snippet_bytes: int = 160
    """How long it is where the budget has no room for more."""
