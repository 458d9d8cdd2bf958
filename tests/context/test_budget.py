"""Budgets are read from what is known of a model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vox.context import CLAIMANTS, BudgetSettings, ContextBudget
from vox.errors import InvalidArgumentError
from vox.models import Caching, ModelProfile

CACHING = ModelProfile(
    "cloud-1m", 1_000_000, max_output_tokens=128_000, caching=Caching(True, 1_024)
)
SHARED = ModelProfile(
    "local-8b", 131_072, max_output_tokens=131_072, caching=Caching(False), locality="local"
)
NARROW = ModelProfile("flash", 262_144, max_output_tokens=32_768)


def test_there_are_five_claimants() -> None:
    assert CLAIMANTS == ("system", "tools", "conversation", "tool_results", "reserve")


def test_what_is_held_back_is_the_longest_answer_and_no_share_of_the_window() -> None:
    budgets = [ContextBudget.of(profile) for profile in (CACHING, NARROW)]
    assert [(budget.output_reserve, budget.usable) for budget in budgets] == [
        (128_000, 872_000),
        (32_768, 229_376),
    ]
    assert budgets[0].reserve_says == "the model's longest answer, 128000 tokens"


def test_of_a_model_that_shares_its_window_with_its_answer_a_judged_part_is_held_back() -> None:
    budget = ContextBudget.of(SHARED)
    assert (budget.output_reserve, budget.usable) == (8_192, 122_880)
    assert budget.reserve_says == (
        "judgement: 8192 tokens, since its longest answer is given as 131072, its whole window"
    )
    small = ContextBudget.of(ModelProfile("small", 8_192))
    assert (small.output_reserve, small.usable) == (2_048, 6_144)
    assert small.reserve_says.endswith("since its longest answer isn't known")


def test_a_request_that_limits_its_answer_has_more_room() -> None:
    budget = ContextBudget.of(NARROW, output=4_096)
    assert (budget.output_reserve, budget.usable) == (4_096, 258_048)
    with pytest.raises(InvalidArgumentError, match="at most 32768"):
        ContextBudget.of(NARROW, output=32_769)
    with pytest.raises(InvalidArgumentError, match="at most 131071"):
        ContextBudget.of(SHARED, output=131_072)


def test_a_limit_of_requests_holds_beside_the_window() -> None:
    profile = ModelProfile("gpt", 400_000, max_output_tokens=64_000, max_input_tokens=272_000)
    assert ContextBudget.of(profile).usable == 272_000


def test_system_prompt_and_tools_come_first() -> None:
    budget = ContextBudget.of(NARROW, system=9_376, tools=20_000)
    assert (budget.room, budget.missing) == (200_000, 0)
    crowded = ContextBudget.of(NARROW, system=229_376, tools=5)
    assert (crowded.room, crowded.missing) == (0, 5)


def test_thresholds_are_shares_of_what_is_usable() -> None:
    budget = ContextBudget.of(CACHING)
    assert (budget.compact_at, budget.low_water) == (741_200, 523_200)
    other = ContextBudget.of(CACHING, settings=BudgetSettings(compact_at=0.5, low_water=0.25))
    assert (other.compact_at, other.low_water) == (436_000, 218_000)


def test_caching_is_counted_on_only_where_it_is_known() -> None:
    told = [ContextBudget.of(profile) for profile in (CACHING, SHARED, NARROW)]
    assert [(b.supports_caching, b.min_cacheable_prefix) for b in told] == [
        (True, 1_024),
        (False, None),
        (False, None),
    ]


def test_numbers_that_are_none_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="system is -1 tokens"):
        ContextBudget.of(NARROW, system=-1)
    with pytest.raises(InvalidArgumentError, match=r"low_water is 0\.9"):
        BudgetSettings(low_water=0.9)
    with pytest.raises(InvalidArgumentError, match="compact_at nan"):
        BudgetSettings(compact_at=float("nan"))
    with pytest.raises(InvalidArgumentError, match="unknown_output is 0"):
        BudgetSettings(unknown_output=0)


@given(
    window=st.integers(1, 2**40),
    most=st.none() | st.integers(1, 2**40),
    system=st.integers(0, 2**40),
)
def test_the_parts_of_any_window_add_up_to_it(window: int, most: int | None, system: int) -> None:
    budget = ContextBudget.of(ModelProfile("any", window, max_output_tokens=most), system=system)
    assert budget.output_reserve + budget.usable == window
    assert budget.room - budget.missing == budget.usable - system
    assert 0 <= budget.low_water <= budget.compact_at <= budget.usable
    assert budget.usable > 0
