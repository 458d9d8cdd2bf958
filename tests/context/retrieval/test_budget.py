"""References within a budget."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tests.context.retrieval.candidates import NOW, FixedShelf, candidate, description
from vox.context.retrieval.budget import Packed, pack
from vox.context.retrieval.fusion import Fused
from vox.context.retrieval.reference import Description, Fate, render


def bytes_of(texts: Sequence[str]) -> list[int]:
    return [len(text.encode()) for text in texts]


def shows(about: Description, fate: Fate) -> str:
    widths = {"snippet": 480, "short": 160}
    if fate == "line":
        return about.line
    (passage,) = FixedShelf().passages("", [about.item], widths[fate])
    return passage or ""


def packed(count: int, budget: int) -> Packed:
    ranked = [(Fused(candidate(n), 1.0 / (n + 1)), description(n)) for n in range(count)]
    return pack(ranked, budget, shows, bytes_of)


def test_with_room_for_all_every_item_shows_a_passage() -> None:
    assert {one.fate for one in packed(5, 100_000).references} == {"snippet"}


def test_with_little_room_the_better_ones_show_more() -> None:
    result = packed(20, 3600)
    fates = [one.fate for one in result.references]
    assert fates[0] == "snippet"
    assert fates[-1] == "handle"
    assert len(fates) == 20


def test_without_room_for_a_handle_there_is_nothing() -> None:
    assert packed(3, 10) == Packed([], 0, 3)
    assert packed(0, 10) == Packed([], 0, 0)


@given(st.integers(0, 30), st.integers(0, 20_000))
def test_a_budget_is_never_exceeded(count: int, budget: int) -> None:
    result = packed(count, budget)
    texts = [one.text for one in result.references]
    assert sum(bytes_of(texts)) == result.tokens <= budget
    assert [one.tokens for one in result.references] == bytes_of(texts)
    assert len(texts) + result.left_out == count


@given(st.integers(1, 20), st.integers(0, 10_000), st.integers(0, 10_000))
def test_a_larger_budget_shows_no_fewer_items(count: int, budget: int, more: int) -> None:
    small, large = packed(count, budget), packed(count, budget + more)
    assert len(small.references) <= len(large.references)


def test_a_reference_says_what_it_is_and_what_opens_it() -> None:
    text = render(description(7, windows=3), "shown")
    assert text == (
        "[item:7] user message, 2026-05-28 20:26, 1007 bytes, window 01234567 'A talk', "
        "in 3 windows\nshown\n"
    )
    assert NOW == 1_780_000_000_000
    assert render(description(7, title=None), "").endswith("window 01234567\n")
