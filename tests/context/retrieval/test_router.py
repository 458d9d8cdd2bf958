"""Lanes are asked, and what they find is cut to a budget."""

from __future__ import annotations

import pytest

from tests.context.retrieval.candidates import NOW, FixedLane, FixedShelf, candidate
from vox.context.retrieval import RetrievalRouter, RetrievalSettings
from vox.errors import InvalidArgumentError
from vox.models import ModelProfile

PROFILE = ModelProfile("gpt-5", 100_000)


def router(*lanes: FixedLane, shelf: FixedShelf | None = None) -> RetrievalRouter:
    return RetrievalRouter(lanes, shelf or FixedShelf())


def test_the_answer_is_references_in_order_within_the_budget() -> None:
    words = FixedLane("text", [candidate(n) for n in range(50)], covered=1.0)
    answer = router(words).retrieve("what?", PROFILE, 900, now=NOW)
    assert [one.about.item for one in answer.references] == list(range(len(answer.references)))
    assert 0 < answer.tokens <= 900 == answer.budget
    (counted,) = PROFILE.cap([answer.text])
    assert counted <= 900
    assert answer.counted.startswith("exact")
    assert [one.handle for one in answer.references[:2]] == ["item:0", "item:1"]


def test_a_lane_that_fails_is_a_note_and_the_others_answer() -> None:
    broken = FixedLane("semantic", fails=RuntimeError("the service is down"), by_meaning=True)
    answer = router(FixedLane("text", [candidate(1)]), broken).retrieve("what?", PROFILE, 500)
    assert [one.about.item for one in answer.references] == [1]
    assert [(lane.name, lane.note) for lane in answer.lanes] == [
        ("text", None),
        ("semantic", "failed: the service is down"),
    ]


def test_only_lanes_that_are_named_are_asked() -> None:
    lanes = FixedLane("text", [candidate(1)]), FixedLane("structural", [candidate(2)])
    assert router(*lanes).rank("what?", lanes=["structural"]) == [2]
    assert set(router(*lanes).rank("what?")) == {1, 2}
    with pytest.raises(InvalidArgumentError, match="there is no lane 'graph'"):
        router(*lanes).rank("what?", lanes=["graph"])


def test_an_item_that_went_meanwhile_is_left_out() -> None:
    shelf = FixedShelf(gone={2})
    lane = FixedLane("text", [candidate(1), candidate(2), candidate(3)])
    answer = router(lane, shelf=shelf).retrieve("what?", PROFILE, 5000)
    assert [one.about.item for one in answer.references] == [1, 3]


def test_an_item_without_a_text_shows_its_first_line() -> None:
    shelf = FixedShelf(without_text={1})
    answer = router(FixedLane("text", [candidate(1)]), shelf=shelf).retrieve("?", PROFILE, 5000)
    (reference,) = answer.references
    assert (reference.fate, reference.shown) == ("line", "first line of 1")


def test_without_a_budget_a_share_of_the_window_is_taken() -> None:
    settings = RetrievalSettings(budget_share=0.01)
    answer = RetrievalRouter([FixedLane("text")], FixedShelf(), settings).retrieve("?", PROFILE)
    assert answer.budget == 1000


def test_a_budget_beyond_the_window_is_refused() -> None:
    for budget in (-1, 100_001):
        with pytest.raises(InvalidArgumentError, match="between 0 and the 100000"):
            router(FixedLane("text")).retrieve("?", PROFILE, budget)


def test_no_more_than_the_limit_is_shown() -> None:
    lane = FixedLane("text", [candidate(n) for n in range(50)])
    assert len(router(lane).retrieve("?", PROFILE, 50_000, limit=3).references) == 3
    assert len(router(lane).retrieve("?", PROFILE, 50_000).references) == 20
