"""Choosing fates under a budget. What is the best choice is checked in `rust/vox-pack/tests`."""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np
import pytest

import vox
from vox.errors import InfeasibleError, InvalidArgumentError

MIX = {
    "costs": [[0, 5, 20], [0, 5, 60], [0, vox.UNAVAILABLE, 30]],
    "values": [[0, 2, 10], [0, 4, 6], [0, 0, 9]],
}


def packed(budget: int = 60, **more: Any) -> vox.Packing:
    return vox.pack(**(MIX | more), budget=budget)


def test_what_is_worth_most_within_the_budget_is_chosen() -> None:
    packing = packed()
    assert packing.fates.tolist() == [2, 1, 2]
    assert packing.fates.dtype == np.uint8
    assert (packing.used, packing.value, packing.bound, packing.gap) == (55, 23, 23, 0)
    assert packing.by_claimant.tolist() == []


def test_pins_groups_and_caps_are_kept() -> None:
    assert packed(pins=[-1, 2, -1], budget=66).fates.tolist() == [1, 2, 0]
    assert packed(groups=[7, -1, 7], budget=34).fates.tolist() == [0, 1, 0]
    capped = packed(claimants=[0, 0, 1], caps=[15, 29])
    assert capped.fates.tolist() == [1, 1, 0]
    assert capped.by_claimant.tolist() == [10, 0]


def test_claimants_without_caps_are_only_counted() -> None:
    assert packed(claimants=[3, 0, 1]).by_claimant.tolist() == [5, 30, 0, 20]


def test_dropping_may_cost_tokens() -> None:
    packing = vox.pack([[4, 3], [4, 9]], [[0, 0], [0, 1]], 7)
    assert packing.fates.tolist() == [1, 0]
    with pytest.raises(InfeasibleError, match=r"^2 tokens are missing: nothing is pinned"):
        vox.pack([[4, 9], [4, 9]], [[0, 0], [0, 1]], 6)


def test_pins_that_do_not_fit_are_named_with_the_missing_tokens() -> None:
    with pytest.raises(
        InfeasibleError, match=r"^35 tokens are missing: the pinned items 1, 2 cost"
    ):
        packed(pins=[-1, 2, 2], budget=55)
    with pytest.raises(InfeasibleError, match="item 2: pinned to fate 1"):
        packed(pins=[-1, -1, 1])
    with pytest.raises(InfeasibleError, match="items 0 and 2 are of one group"):
        packed(pins=[1, -1, 0], groups=[0, -1, 0])
    with pytest.raises(InfeasibleError, match=r"^1 tokens are missing.*cap of claimant 1 is 59"):
        packed(pins=[-1, 2, -1], claimants=[0, 1, 0], caps=[99, 59], budget=99)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"values": [[0, 2, 10], [0, float("nan"), 6], [0, 0, 9]]}, "item 1: fate 1 is worth NaN"),
        ({"values": [[0, 2, 10], [0, 4, -6], [0, 0, 9]]}, "item 1: fate 2 is worth -6"),
        ({"values": [[0, 2, 10], [0, 4, float("inf")], [0, 0, 9]]}, "item 1: fate 2 is worth inf"),
        ({"values": [[0, 2, 10], [0, 4, 6], [1, 0, 9]]}, "item 2: being dropped .* is worth 1"),
        ({"values": [[0, 2, 1e308], [0, 4, 1e308], [0, 0, 9]]}, "add up to more than a float"),
        ({"values": [[0, 2], [0, 4], [0, 0]]}, r"values: shape \(3, 2\)"),
        ({"values": [["a"]]}, "values: .* instead of numbers"),
        ({"costs": [[0, 5, 20], [0, 5, -1], [0, 1, 30]]}, "costs: -1 is not in 0 to 4294967295"),
        ({"costs": [[0.5, 5, 20]] * 3}, "costs: float64 instead of whole numbers"),
        ({"costs": [1, 2, 3]}, "costs: 1 dimensions instead of 2"),
        ({"costs": [[1, 2], [3]]}, "costs: "),
        ({"budget": -1}, "a budget of -1 tokens"),
        ({"pins": [0, 0]}, "2 pins for 3 items"),
        ({"pins": [-1, -2, 0]}, "item 1: pin -2"),
        ({"pins": [-1, 3, 0]}, "item 1: pinned to fate 3, and there are 3"),
        ({"groups": [0, -7, 0]}, "item 1: group -7"),
        ({"caps": [1]}, "caps without claimants"),
        ({"caps": [1], "claimants": [0, 0, 1]}, "item 2: claimant 1, and there are 1 caps"),
        ({"caps": [-1], "claimants": [0, 0, 0]}, "caps: -1"),
    ],
)
def test_what_makes_no_sense_is_named(wrong: dict[str, Any], says: str) -> None:
    arguments = {**MIX, "budget": 60, **wrong}
    with pytest.raises(InvalidArgumentError, match=says):
        vox.pack(**arguments)


def test_nothing_to_pack_and_nothing_to_spend_are_fine() -> None:
    empty = vox.pack(np.zeros((0, 4), np.uint32), np.zeros((0, 4)), 10)
    assert (empty.fates.tolist(), empty.used, empty.value, empty.gap) == ([], 0, 0, 0)
    broke = packed(budget=0)
    assert (broke.fates.tolist(), broke.used, broke.value, broke.gap) == ([0, 0, 0], 0, 0, 0)
    rich = packed(budget=10**30)
    assert (rich.fates.tolist(), rich.value, rich.gap) == ([2, 2, 2], 25, 0)


def test_any_layout_of_the_columns_will_do() -> None:
    costs = np.asfortranarray(np.array(MIX["costs"], np.int64))
    values = np.array(MIX["values"], np.float32)[::-1][::-1]
    assert packed(costs=costs, values=values).fates.tolist() == [2, 1, 2]


def test_of_equal_items_the_newer_are_kept_and_of_equal_steps_the_cheaper() -> None:
    costs, values = np.tile([0, 10], (100_000, 1)), np.tile([0.0, 5.0], (100_000, 1))
    fates = vox.pack(costs, values, 250_005).fates
    assert fates.nonzero()[0].tolist() == list(range(75_000, 100_000))
    costs[60_000], values[60_000] = (0, 8), (0, 4)
    assert vox.pack(costs, values, 8).fates.nonzero()[0].tolist() == [60_000]


def test_the_same_input_gives_the_same_bytes_on_any_number_of_threads() -> None:
    draw = np.random.default_rng(6)
    costs = draw.integers(1, 900, (60_000, 4), np.uint32)
    values = draw.random((60_000, 4))
    costs[:, 0] = values[:, 0] = 0
    groups = draw.integers(-1, 40_000, 60_000, np.int32)
    found: list[vox.Packing] = []

    def run() -> None:
        found.append(vox.pack(costs, values, 6_000_000, groups=groups))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run()
    assert len(found) == 5
    assert {packing.fates.tobytes() for packing in found} == {found[0].fates.tobytes()}
    assert {(p.value, p.bound, p.used) for p in found} == {
        (found[0].value, found[0].bound, found[0].used)
    }


def test_packing_is_loaded_when_it_is_used() -> None:
    assert "vox.packing" in sys.modules
    assert vox.pack is sys.modules["vox.packing"].pack
