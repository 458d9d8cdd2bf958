"""The files that were touched last, which a model is likely to need again."""

from __future__ import annotations

import numpy as np

from vox.context.projection.material import Bools, Integers, Related
from vox.context.projection.settings import ProjectionSettings


def touched_last(
    related: Related,
    groups: Integers,
    costs: Integers,
    budget: int,
    settings: ProjectionSettings,
) -> Bools:
    """The calls that touched the last few files last, with their results, as far as each fits its
    part of the budget for files. `costs` are those of whole items; those that aren't offered have
    no group."""
    chosen = np.zeros(len(groups), dtype=bool)
    calls = np.flatnonzero((related.touched >= 0) & (groups >= 0))
    if not calls.size or settings.touched_files < 1:
        return chosen
    backwards = calls[::-1]
    _, first = np.unique(related.touched[backwards], return_index=True)
    last = backwards[np.sort(first)[: settings.touched_files]]
    grouped = np.flatnonzero(groups >= 0)
    cost = np.bincount(groups[grouped], weights=costs[grouped])
    part = settings.touched_share * budget / settings.touched_files
    fitting = groups[last][cost[groups[last]] <= part]
    chosen[grouped] = np.isin(groups[grouped], fitting)
    return chosen
