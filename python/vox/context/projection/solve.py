"""The best fates within a budget, stubs included.

A stub's cost depends on neighbours, which the packer knows nothing of: it is charged to each kept
item, and once more, as if no two stubs could be one, and as if all its numbers were long. That is
much too much where many short items are kept. So plans are also made for larger budgets, and the
last whose true cost is within the real one is taken: with the lines as they are shown, counted.

The larger budgets are the same whatever the real one is. So a larger real one can choose from all
that a smaller one could.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, exp, floor, log

import numpy as np
import numpy.typing as npt

from vox.context.projection.fate import Fate
from vox.context.projection.forms import grown
from vox.context.projection.material import Integers, Outline
from vox.context.projection.offers import FREE, UNAVAILABLE, Offers
from vox.context.projection.wording import Wording
from vox.errors import InfeasibleError
from vox.packing import pack

LINEAR = 256
"""Items up to which budgets are tried one after another; for more of them, true costs are taken to
grow with budgets, and the last that fits is found by halving. Judgement: that holds but for a few
tokens."""

NAMED = 8
"""Items that an error names, those that cost most. Judgement."""

TRIES = 6
"""Plans that are made at most for larger budgets. Judgement: three are the rule."""

SPARE = 0.01
"""The share of a budget that needn't be used up. Judgement."""

MOST_GROWTH = 8.0
"""Budgets are tried up to this factor at once. Judgement."""

Fates = npt.NDArray[np.uint8]
Pins = npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """Fates of what is offered."""

    fates: Fates
    value: float
    bound: float
    """What no plan within the budget is worth more than."""
    limits: Integers
    """Tokens that the shorter form of each may have."""


class Problem:
    """Offers, what stands for what isn't shown, and what a stub is charged at."""

    def __init__(self, outline: Outline, offers: Offers, wording: Wording, stub: int) -> None:
        self._outline = outline
        self.offers = offers
        self._wording = wording
        self._stub = stub
        free = offers.costs != UNAVAILABLE
        self._charged = np.where(free, offers.costs + stub, UNAVAILABLE)
        self._charged[:, Fate.DROPPED] = offers.costs[:, Fate.DROPPED]
        self._charged = np.minimum(self._charged, UNAVAILABLE).astype(np.uint32)

    def cost(self, fates: Fates, limits: Integers | None = None) -> int:
        """What fates cost together with one stub for each run of dropped items; of shorter forms
        the most that they may."""
        stubs = self._wording.stub_costs(fates != Fate.DROPPED)
        return int(self.costs(fates, limits).sum()) + stubs

    def costs(self, fates: Fates, limits: Integers | None = None) -> Integers:
        """What each item costs; `limits` of shorter forms are those of the offers if they aren't
        given."""
        costs = np.take_along_axis(self.offers.costs, fates[:, None].astype(np.int64), axis=1)[:, 0]
        on_demand = np.flatnonzero(fates == Fate.ON_DEMAND)
        costs[on_demand] = self._wording.line_costs(on_demand)
        if limits is not None:
            shorter = np.flatnonzero(fates == Fate.SUMMARIZED)
            costs[shorter] += limits[shorter] - self.offers.limits[shorter]
        return costs

    def fits(self, fates: Fates, budget: int) -> bool:
        """Whether fates cost at most `budget`. Lines are made only if that depends on them."""
        kept = (fates != Fate.DROPPED) & (fates != Fate.ON_DEMAND)
        costs = np.take_along_axis(self.offers.costs, fates[:, None].astype(np.int64), axis=1)[:, 0]
        return int(costs[kept].sum()) <= budget and self.cost(fates) <= budget

    def value(self, fates: Fates) -> float:
        """What fates are worth."""
        return float(np.take_along_axis(self.offers.values, fates[:, None], axis=1).sum())

    def whole(self, fates: Fates, limits: Integers) -> Plan:
        """The plan of fates that leave nothing to choose."""
        value = self.value(fates)
        return Plan(fates, value, value, limits)

    def fullest(self, pins: Pins) -> Fates:
        """For each item the fate that is worth most; of a group, all or none."""
        offers = self.offers
        fates = np.where(pins == FREE, np.argmax(offers.values, axis=1), pins).astype(np.uint8)
        held = (pins == Fate.DROPPED) & (offers.groups >= 0)
        if held.any():
            fates[np.isin(offers.groups, offers.groups[held])] = Fate.DROPPED
        return fates

    def solve(self, budget: int, pins: Pins, step: float) -> Plan:
        """The best plan that costs at most `budget`. Without room even for one stub all is dropped,
        and nothing stands for it. Raises `InfeasibleError` if what is pinned costs more."""
        everything = self.fullest(pins)
        if self.fits(everything, budget):
            return self.whole(everything, self.offers.limits)
        best = self._least(budget, pins)
        if best is None:
            nothing = np.zeros(len(pins), dtype=np.uint8)
            return Plan(nothing, 0.0, 0.0, self.offers.limits)
        value = self.value(best)
        for fates in self._within(budget, pins, step):
            worth = self.value(fates)
            if worth > value:
                best, value = fates, worth
        costs = self.offers.costs.astype(np.uint32)
        relaxed = pack(costs, self.offers.values, budget, groups=self.offers.groups, pins=pins)
        return Plan(best, value, max(value, relaxed.bound), self._grown(best, budget))

    def _grown(self, fates: Fates, budget: int) -> Integers:
        """Limits of shorter forms with what the rest leaves of the budget."""
        limits = self.offers.limits.copy()
        shorter = np.flatnonzero(fates == Fate.SUMMARIZED)
        spare = budget - self.cost(fates)
        limits[shorter] = grown(self.offers.own[shorter], limits[shorter], spare)
        return limits

    def _within(self, budget: int, pins: Pins, step: float) -> Iterator[Fates]:
        """Plans that cost at most `budget`."""
        first = self._pack(budget, pins)
        if first is not None and self.cost(first) <= budget:
            yield first
        grid = Grid(step, budget, self._items(self.fullest(pins), charged=True))
        if len(pins) > LINEAR:
            yield from self._nearing(first, budget, pins, grid)
            return
        for place in grid.places():
            fates = self._pack(grid[place], pins)
            if fates is None:
                continue
            if self.cost(fates) > budget:
                return
            yield fates

    def _nearing(self, first: Fates | None, budget: int, pins: Pins, grid: Grid) -> Iterator[Fates]:
        """Plans for larger budgets, each nearer to the largest whose true cost is within
        `budget`."""
        low, high = grid.start, grid.end
        low_cost = 0 if first is None else self.cost(first)
        high_cost = 0
        for _ in range(TRIES):
            if high - low < 2 or low_cost > budget * (1 - SPARE):
                return
            if high_cost:
                share = (budget - low_cost) / (high_cost - low_cost)
                place = low + int(share * (high - low))
            else:
                # As if the true cost grew in proportion.
                place = low + grid.steps(min(budget / max(low_cost, 1), MOST_GROWTH))
            place = min(max(place, low + 1), high - 1)
            fates = self._pack(grid[place], pins)
            cost = 0 if fates is None else self.cost(fates)
            if cost > budget:
                high, high_cost = place, cost
            else:
                low, low_cost = place, cost
                if fates is not None:
                    yield fates

    def _least(self, budget: int, pins: Pins) -> Fates | None:
        """What is pinned, with its pairs, and nothing else; None if nothing is and there is no room
        for a stub. Raises `InfeasibleError`."""
        offers = self.offers
        fates = np.maximum(pins, 0).astype(np.uint8)
        kept = offers.groups[(fates > 0) & (offers.groups >= 0)]
        if kept.size:
            mates = np.flatnonzero(np.isin(offers.groups, kept) & (fates == 0))
            fates[mates] = np.argmin(offers.costs[mates, 1:], axis=1) + 1
        cost = self.cost(fates)
        if cost <= budget:
            return fates
        if not fates.any():
            return None
        raise InfeasibleError(self._too_much(fates, cost, budget))

    def _too_much(self, fates: Fates, cost: int, budget: int) -> str:
        costs = self.costs(fates)
        kept = np.flatnonzero(fates)
        dearest = kept[np.argsort(-costs[kept], kind="stable")]
        items = self._outline.items[self.offers.rows[dearest]].tolist()
        named = ", ".join(
            f"item:{item} ({tokens})"
            for item, tokens in zip(items[:NAMED], costs[dearest[:NAMED]].tolist(), strict=True)
        )
        more = f" and {len(items) - NAMED} more" if len(items) > NAMED else ""
        return (
            f"what is pinned or set by hand costs {cost} tokens, {cost - budget} more than the "
            f"{max(budget, 0)} there are room for: {named}{more}; unpin some, or take a larger "
            "budget"
        )

    def _pack(self, budget: int, pins: Pins) -> Fates | None:
        """The best that costs at most `budget` with a stub for each kept item; None if what is
        pinned costs more."""
        room = budget - self._stub
        if room < 0:
            return None
        offers = self.offers
        try:
            packed = pack(self._charged, offers.values, room, groups=offers.groups, pins=pins)
        except InfeasibleError:
            return None
        return np.asarray(packed.fates, dtype=np.uint8)

    def _items(self, fates: Fates, *, charged: bool = False) -> int:
        costs = self._charged if charged else self.offers.costs
        return int(np.take_along_axis(costs, fates[:, None], axis=1).sum(dtype=np.int64))


class Grid:
    """Budgets above `budget` that grow by a factor, up to the first that leaves nothing out. Which
    there are depends on the factor alone."""

    def __init__(self, step: float, budget: int, enough: int) -> None:
        self._log = log(step)
        self.start = self._place(budget)
        """The place below the first of them."""
        self.end = self._place(max(enough, budget)) + 2
        """The place above the last of them."""
        self._above = budget

    def _place(self, budget: int) -> int:
        return floor(log(max(budget, 1)) / self._log)

    def __getitem__(self, place: int) -> int:
        return max(self._above, ceil(exp(place * self._log)))

    def places(self) -> Iterator[int]:
        """All of them, without those that round to the same number."""
        last = self._above
        for place in range(self.start + 1, self.end):
            if self[place] > last:
                last = self[place]
                yield place

    def steps(self, factor: float) -> int:
        """How many steps grow by a factor."""
        return floor(log(max(factor, 1.0)) / self._log)
