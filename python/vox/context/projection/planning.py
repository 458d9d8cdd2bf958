"""Which plan is taken: that which was sent, with what is new, or another."""

from __future__ import annotations

from dataclasses import dataclass

from vox.context.projection.freeze import boundary_of, frozen_limits, frozen_pins
from vox.context.projection.limits import Limits
from vox.context.projection.material import Outline
from vox.context.projection.offers import Offers
from vox.context.projection.projection import State
from vox.context.projection.sent import Sent
from vox.context.projection.settings import ProjectionSettings
from vox.context.projection.solve import Plan, Problem
from vox.errors import InfeasibleError
from vox.models import ModelProfile


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """A plan, and how it came about."""

    plan: Plan
    state: State
    staying: Plan | None
    """What was sent, with what is new, where that is possible and something else was chosen."""


def choose(
    problem: Problem,
    outline: Outline,
    profile: ModelProfile,
    limits: Limits,
    previous: Sent | None,
    framing: int,
    settings: ProjectionSettings,
) -> Chosen:
    """The plan for a window. Raises `InfeasibleError`."""
    offers = problem.offers
    if previous is None:
        return Chosen(_fresh(problem, offers, limits, framing, settings), "first", None)
    boundary = boundary_of(previous, outline, profile)
    pins = None if boundary == "model" else frozen_pins(previous, outline, offers)
    if pins is None:
        plan = _fresh(problem, offers, limits, framing, settings)
        return Chosen(plan, boundary or "edit", None)
    fates = problem.fullest(pins)
    stays = problem.whole(fates, frozen_limits(previous, outline, offers))
    cost = problem.cost(fates, stays.limits)
    if boundary is None and cost <= limits.compact_at - framing:
        return Chosen(stays, "frozen", None)
    plan = _at_low_water(problem, offers, limits, framing, settings)
    may_stay = boundary != "edit" and cost <= limits.budget - framing
    return Chosen(plan, boundary or "threshold", stays if may_stay else None)


def _fresh(
    problem: Problem,
    offers: Offers,
    limits: Limits,
    framing: int,
    settings: ProjectionSettings,
) -> Plan:
    """All of a window, if that is below the threshold; else a plan down to low water."""
    everything = problem.fullest(offers.pins)
    if problem.fits(everything, limits.compact_at - framing):
        return problem.whole(everything, offers.limits)
    return _at_low_water(problem, offers, limits, framing, settings)


def _at_low_water(
    problem: Problem,
    offers: Offers,
    limits: Limits,
    framing: int,
    settings: ProjectionSettings,
) -> Plan:
    """The best plan down to low water; if what is pinned has no room there, up to all there is."""
    for room in dict.fromkeys((limits.low_water, limits.compact_at)):
        if room < limits.budget:
            try:
                return problem.solve(room - framing, offers.pins, settings.fill_step)
            except InfeasibleError:
                continue
    return problem.solve(limits.budget - framing, offers.pins, settings.fill_step)
