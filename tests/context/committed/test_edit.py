"""Changing a draft by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.context.committed.sets import draft_of_all, entry_of
from tests.context.projection.windows import call, result, said
from vox.context.committed import edit
from vox.errors import InvalidArgumentError

ONES = [said("a"), call(1), result(1), said("b"), said("c")]
DRAFT = draft_of_all(ONES)


def items(draft):
    return [entry.item for entry in draft.entries]


def test_dropping_a_result_drops_its_call():
    assert items(edit.drop(DRAFT, [102, 104])) == [100, 103]


def test_what_is_added_stands_where_its_window_has_it():
    few = edit.drop(DRAFT, [101, 103])
    back = edit.add(few, [entry_of(ONES, 3), entry_of(ONES, 1), entry_of(ONES, 2)])
    assert items(back) == [100, 101, 102, 103, 104]
    assert items(edit.add(few, [entry_of(ONES, 3)], at=0)) == [103, 100, 104]


def test_what_is_added_again_is_replaced_in_its_place():
    pinned = entry_of(ONES, 3, pinned=True)
    again = edit.add(DRAFT, [pinned])
    assert items(again) == items(DRAFT)
    assert again.entries[3] == pinned


def test_pinned_entries_say_so():
    assert [entry.pinned for entry in edit.pin(DRAFT, [103]).entries] == [
        False,
        False,
        False,
        True,
        False,
    ]


def test_a_call_and_its_result_move_together():
    assert items(edit.reorder(DRAFT, [104, 102], 0)) == [104, 101, 102, 100, 103]


@given(st.permutations([100, 101, 102, 103, 104]), st.integers(0, 5))
def test_moving_loses_nothing(order, many):
    moved = edit.reorder(DRAFT, order[:many], 0)
    assert sorted(items(moved)) == items(DRAFT)
    assert abs(items(moved).index(101) - items(moved).index(102)) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda: edit.drop(DRAFT, [7]),
        lambda: edit.pin(DRAFT, [7]),
        lambda: edit.reorder(DRAFT, [7], 0),
        lambda: edit.reorder(DRAFT, [100], 5),
        lambda: edit.add(DRAFT, [], at=6),
        lambda: edit.add(DRAFT, [], at=-1),
    ],
)
def test_what_there_is_not_is_refused(change):
    with pytest.raises(InvalidArgumentError):
        change()


def test_a_set_that_was_changed_is_not_what_was_sent():
    sent = draft_of_all(ONES, sent={"model": "m"})
    assert edit.drop(sent, [100]).sent is None
