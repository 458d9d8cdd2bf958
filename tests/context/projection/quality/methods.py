"""What is kept of what stands before a cut: by the simple ways, and by vox.

The simple ways pay for texts alone. Projections also pay for the frames of messages and for stubs,
and keep calls together with their results: neither is asked of the simple ways.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tests.context.projection.quality.cuts import Cut
from tests.context.projection.quality.material import Material
from vox.context.projection import Fate, Projection, ProjectionSettings


@dataclass(frozen=True)
class Kept:
    """What of a cut's pieces reaches the model, by their places."""

    included: frozenset[int]
    on_demand: frozenset[int] = frozenset()
    shown: dict[int, str] = field(default_factory=dict)
    """What stands in the place of summarized ones."""
    used: int = 0
    """Tokens of all that, handles and stubs among them."""


Method = Callable[[Material, Cut, int], Kept]


def newest_until_full(material: Material, cut: Cut, budget: int) -> Kept:
    """The newest, back to the first that no longer fits."""
    used, kept = 0, []
    for place in reversed(range(len(cut.before))):
        if used + cut.before[place].tokens > budget:
            break
        used += cut.before[place].tokens
        kept.append(place)
    return Kept(frozenset(kept), used=used)


def newest_that_fit(material: Material, cut: Cut, budget: int) -> Kept:
    """The newest, passing over what doesn't fit."""
    used, kept = 0, []
    for place in reversed(range(len(cut.before))):
        if used + cut.before[place].tokens <= budget:
            used += cut.before[place].tokens
            kept.append(place)
    return Kept(frozenset(kept), used=used)


def projected(settings: ProjectionSettings) -> Method:
    """As vox projects, with all fates."""
    return lambda material, cut, budget: _kept(material.project(budget, settings), budget)


def full_only(settings: ProjectionSettings) -> Method:
    """As vox projects where items are included or dropped, and nothing else."""
    settings = settings_without_forms(settings)

    def method(material: Material, cut: Cut, budget: int) -> Kept:
        return _kept(material.without_tools().project(budget, settings), budget)

    return method


NO_ITEM = 2**31 - 1
"""Tokens that no item has."""


def settings_without_forms(settings: ProjectionSettings) -> ProjectionSettings:
    """The same, but nothing has a shorter form or points to a copy."""
    return replace(settings, form_from=NO_ITEM, same_from=NO_ITEM)


def _kept(projection: Projection, budget: int) -> Kept:
    if projection.used > budget:
        raise ValueError(f"a projection for {budget} tokens uses {projection.used}")
    places: dict[Fate, list[int]] = {fate: [] for fate in Fate}
    shown = {}
    for entry in projection.shown:
        places[entry.fate].append(entry.ordinal)
        if entry.fate == Fate.SUMMARIZED and entry.form is not None:
            shown[entry.ordinal] = entry.form
    included, on_demand = frozenset(places[Fate.INCLUDED]), frozenset(places[Fate.ON_DEMAND])
    return Kept(included, on_demand, shown, projection.used)


def methods(settings: ProjectionSettings) -> dict[str, Method]:
    """All that are compared, by what results call them."""
    return {
        "newest until full": newest_until_full,
        "newest that fit": newest_that_fit,
        "projection, full only": full_only(settings),
        "projection": projected(settings),
    }
