"""Calls and their results, against pairing them one after another."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.context.projection.windows import Made, One, call, result, said
from vox.context.projection.pairs import groups_of, unpaired
from vox.sources.base import ItemKind

items = st.one_of(
    st.builds(call, st.integers(0, 3)), st.builds(result, st.integers(0, 3)), st.just(said("x"))
)


def one_after_another(ones: list[One]) -> list[int]:
    """For each item the place of the first item of its pair, or of itself; −1 for messages."""
    found = [-1] * len(ones)
    last: dict[int, int] = {}
    calls: list[int] = []
    answered = 0
    results_began = False
    for place, one in enumerate(ones):
        if one.kind == ItemKind.MESSAGE:
            calls, answered, results_began = [], 0, False
        elif one.call:
            if one.kind == ItemKind.TOOL_CALL or one.call not in last:
                last[one.call] = place
            found[place] = last[one.call]
        elif one.kind == ItemKind.TOOL_CALL:
            if results_began:
                calls, answered, results_began = [], 0, False
            calls.append(place)
            found[place] = place
        else:
            found[place] = calls[answered] if answered < len(calls) else place
            answered += 1
            results_began = True
    return found


@given(st.lists(items, max_size=30))
def test_pairs_are_those_found_one_after_another(ones: list[One]) -> None:
    made = Made(ones)
    outline = made.outline
    groups = groups_of(outline, np.ones(len(ones), dtype=bool))
    expected = one_after_another(ones)
    firsts: dict[int, int] = {}
    for place, group in enumerate(groups.tolist()):
        assert (group < 0) == (expected[place] < 0)
        if group >= 0:
            assert firsts.setdefault(group, expected[place]) == expected[place]
    assert len(set(firsts.values())) == len(firsts)
    alone = unpaired(outline, groups)
    for place, one in enumerate(ones):
        members = [other for at, other in enumerate(ones) if expected[at] == expected[place]]
        kinds = {other.kind for other in members}
        assert alone[place] == (one.kind != ItemKind.MESSAGE and len(kinds) == 1)


def test_items_that_are_not_offered_are_nobodys_pair() -> None:
    made = Made([call(1), result(1)])
    assert groups_of(made.outline, np.array([True, False])).tolist() == [0, -1]
