"""Packings of middling size, against a solver of integer programs that knows nothing of them."""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
import numpy.typing as npt
import pytest

import vox

CASES = 40
CLOSE = 1e-6
"""What solvers that add in another order may differ by, as a share."""


@dataclass(frozen=True)
class Case:
    """What `vox.pack` is given."""

    costs: npt.NDArray[np.uint32]
    values: npt.NDArray[np.float64]
    budget: int
    groups: npt.NDArray[np.int32]
    pins: npt.NDArray[np.int8]
    claimants: npt.NDArray[np.uint8]
    caps: list[int]

    def packed(self) -> vox.Packing:
        """As vox chooses."""
        return vox.pack(
            self.costs,
            self.values,
            self.budget,
            groups=self.groups,
            pins=self.pins,
            claimants=self.claimants,
            caps=self.caps,
        )


def case(seed: int, *, capped: bool) -> Case:
    """40 to 120 items of four fates, a third of them in groups, a few pinned."""
    random = np.random.default_rng(seed)
    count = int(random.integers(40, 120))
    full = random.integers(20, 400, count)
    shares = np.array([0.0, 0.08, 0.3, 1.0])
    costs = (np.outer(full, shares) + random.integers(0, 4, (count, 4))).astype(np.uint32)
    costs[random.random((count, 4)) < 0.1] = vox.UNAVAILABLE
    costs[:, 0] = random.integers(0, 3, count)
    worth = full * random.uniform(0.2, 2.0, count) if seed % 2 else random.uniform(0, 400, count)
    values = np.outer(worth, [0.0, 0.3, 0.6, 1.0])
    groups = np.where(random.random(count) < 0.35, np.arange(count) // 4, -1).astype(np.int32)
    pins = np.full(count, -1, np.int8)
    for item in random.choice(count, 3, replace=False):
        fate = int(random.integers(1, 4))
        if groups[item] < 0 and costs[item, fate] != vox.UNAVAILABLE:
            pins[item] = fate
    claimants = random.integers(0, 3, count).astype(np.uint8)
    budget = int(full.sum() * random.uniform(0.2, 0.6))
    share = 0.45 if capped else 1.0
    return Case(costs, values, budget, groups, pins, claimants, [int(budget * share)] * 3)


def best(case: Case) -> float:
    """The value of the best choice, by HiGHS."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", 0.0)
    count, fates = case.costs.shape
    chosen = [[solver.addBinary() for _ in range(fates)] for _ in range(count)]
    spent = [
        sum(int(case.costs[item, fate]) * chosen[item][fate] for fate in fates_of(case, item))
        for item in range(count)
    ]
    for item in range(count):
        solver.addConstr(sum(chosen[item]) == 1)
        for fate in set(range(fates)) - set(fates_of(case, item)):
            solver.addConstr(chosen[item][fate] == 0)
    for group in set(case.groups.tolist()) - {-1}:
        first, *others = np.flatnonzero(case.groups == group).tolist()
        for other in others:
            solver.addConstr(chosen[first][0] == chosen[other][0])
    solver.addConstr(sum(spent) <= case.budget)
    for claimant, cap in enumerate(case.caps):
        of_claimant = np.flatnonzero(case.claimants == claimant).tolist()
        solver.addConstr(sum(spent[item] for item in of_claimant) <= cap)
    solver.maximize(
        sum(
            float(case.values[item, fate]) * chosen[item][fate]
            for item in range(count)
            for fate in range(1, fates)
        )
    )
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return float(solver.getInfo().objective_function_value)


def fates_of(case: Case, item: int) -> list[int]:
    """The fates that an item can have."""
    pin = int(case.pins[item])
    if pin >= 0:
        return [pin]
    return np.flatnonzero(case.costs[item] != vox.UNAVAILABLE).tolist()


def is_allowed(case: Case, fates: npt.NDArray[np.uint8]) -> bool:
    """Whether a choice keeps to budget, caps, pins and groups."""
    spent = case.costs[np.arange(len(fates)), fates].astype(np.int64)
    return (
        all(int(fate) in fates_of(case, item) for item, fate in enumerate(fates))
        and int(spent.sum()) <= case.budget
        and all(
            int(spent[case.claimants == claimant].sum()) <= cap
            for claimant, cap in enumerate(case.caps)
        )
        and all(
            len(set((fates[case.groups == group] > 0).tolist())) == 1
            for group in set(case.groups.tolist()) - {-1}
        )
    )


@pytest.mark.parametrize("capped", [False, True], ids=["budget alone", "caps"])
def test_choices_are_allowed_and_no_choice_is_worth_more_than_the_bound(capped: bool) -> None:
    unproven = 0
    for seed in range(CASES):
        one = case(seed, capped=capped)
        packing, most = one.packed(), best(one)
        assert is_allowed(one, packing.fates), seed
        slack = CLOSE * most
        assert packing.value <= most + slack, seed
        assert packing.bound >= most - slack, seed
        if packing.gap == 0:
            assert packing.value == pytest.approx(most, rel=CLOSE), seed
        else:
            unproven += 1
        assert packing.value >= 0.97 * most, seed
    assert capped or not unproven
