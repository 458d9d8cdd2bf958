"""Seeds: what a sub-agent is given at the start, within a share of its window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vox.context.committed import Entry
from vox.errors import OverBudgetError


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that a seed may give."""

    whole: Entry
    """As it is."""
    tokens: int
    """What that costs, its frame included."""
    line: Entry | None
    """As a line that names it; None for a model that can't open one."""
    line_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Seed:
    """Entries whose hashes are fixed: what they show stays, whatever the parent does."""

    entries: tuple[Entry, ...]
    tokens: int
    """What they and the brief cost."""
    budget: int
    """What they might cost."""
    left_out: tuple[Entry, ...]
    """What there was no room for, not even for its line."""


def seed_of(brief: int, pins: Sequence[Candidate], summary: Candidate | None, budget: int) -> Seed:
    """The seed of a task whose brief costs so many tokens: what is pinned, in its order, and the
    summary, if there is one, as far as there is room.

    First all get their lines, the newest pins before older ones and the summary before all; then
    each, in the same order, is given whole while there is room. So none is unknown because another
    is long.

    Raises `OverBudgetError` if the brief alone is too long.
    """
    if brief > budget:
        raise OverBudgetError(
            f"the brief is {brief} tokens, and the seed may be {budget}; shorten it, or take a "
            "larger share or window"
        )
    ranked = ([summary] if summary is not None else []) + list(reversed(pins))
    tokens = brief
    given: dict[int, tuple[Entry, int]] = {}
    for candidate in ranked:
        line = candidate.line
        # What is shorter than the line that names it needs none.
        if line is not None and candidate.line_tokens < candidate.tokens:
            least = line, candidate.line_tokens
        else:
            least = candidate.whole, candidate.tokens
        if line is not None and tokens + least[1] <= budget:
            given[id(candidate)] = least
            tokens += least[1]
    for candidate in ranked:
        named = given[id(candidate)][1] if id(candidate) in given else 0
        if tokens - named + candidate.tokens <= budget:
            given[id(candidate)] = candidate.whole, candidate.tokens
            tokens += candidate.tokens - named
    in_order = ([summary] if summary is not None else []) + list(pins)
    entries = tuple(given[id(one)][0] for one in in_order if id(one) in given)
    left_out = tuple(one.whole for one in in_order if id(one) not in given)
    return Seed(entries, tokens, budget, left_out)
