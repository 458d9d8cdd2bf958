"""What a seed gives, for any pins, summary and budget."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.context.committed.sets import entry_of
from tests.context.projection.windows import said
from vox.context.handoff import Candidate, seed_of
from vox.context.projection import Fate
from vox.errors import OverBudgetError

ONES = [said(str(number)) for number in range(9)]


def candidate(place: int, tokens: int, line: int | None) -> Candidate:
    whole = entry_of(ONES, place)
    named = None if line is None else replace(whole, fate=Fate.ON_DEMAND, form="line")
    return Candidate(whole, tokens, named, line or 0)


sizes = st.tuples(st.integers(1, 300), st.none() | st.integers(1, 20))


@given(st.integers(0, 60), st.lists(sizes, max_size=8), st.none() | sizes, st.integers(60, 900))
def test_a_seed_costs_what_it_says_and_never_more_than_it_may(brief, pins, summary, budget):
    pinned = [candidate(place, *size) for place, size in enumerate(pins)]
    short = None if summary is None else candidate(8, *summary)
    seed = seed_of(brief, pinned, short, budget)
    offered = {one.whole.item: one for one in [*pinned, *([short] if short else [])]}
    cost = brief + sum(
        offered[entry.item].tokens
        if entry.fate == Fate.INCLUDED
        else offered[entry.item].line_tokens
        for entry in seed.entries
    )
    assert cost == seed.tokens <= budget
    assert sorted(one.item for one in [*seed.entries, *seed.left_out]) == sorted(offered)
    order = [one.item for one in seed.entries if one.item != 108]
    assert order == sorted(order)
    # What isn't given whole had no room left.
    for entry in seed.entries:
        one = offered[entry.item]
        if entry.fate == Fate.ON_DEMAND:
            assert seed.tokens - one.line_tokens + one.tokens > budget
    for entry in seed.left_out:
        assert seed.tokens + offered[entry.item].tokens > budget


def test_a_brief_longer_than_the_seed_is_refused():
    with pytest.raises(OverBudgetError, match="the brief is 61 tokens"):
        seed_of(61, [], None, 60)
