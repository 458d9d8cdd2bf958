"""Knapsacks of the kinds that solvers find easy and hard, drawn with a fixed seed.

Four fates: dropped, a stub of some tokens, a summary, the whole; costs like those of transcripts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SHARE = 0.1
"""Of all tokens, what may be spent."""


class PackProblem(NamedTuple):
    """What `vox.pack` takes."""

    costs: NDArray[np.uint32]
    values: NDArray[np.float64]
    budget: int


def problem(kind: str, items: int, seed: int = 1) -> PackProblem:
    """A problem of one of `KINDS`."""
    draw = np.random.default_rng(seed)
    whole = np.clip(draw.lognormal(5, 1.3, items), 4, 500_000).astype(np.int64)
    costs = np.zeros((items, 4), np.uint32)
    costs[:, 1] = draw.integers(8, 30, items)
    costs[:, 2] = np.maximum(costs[:, 1] + 1, whole * draw.uniform(0.08, 0.3, items))
    costs[:, 3] = np.maximum(whole, costs[:, 2] + 1)
    values = np.zeros((items, 4))
    if kind == "uncorrelated":
        values[:, 3] = (draw.pareto(1.5, items) + 0.05) * np.sqrt(whole)
        values[:, 1] = values[:, 3] * draw.uniform(0.05, 0.3, items)
        values[:, 2] = values[:, 3] * draw.uniform(0.3, 0.75, items)
    elif kind == "strongly correlated":
        values[:, 1:] = costs[:, 1:] * 0.37 + 31.7
    elif kind == "weakly correlated":
        values[:, 1:] = np.maximum(1, costs[:, 1:] + draw.integers(-5, 6, (items, 3)))
    elif kind == "subset sum":
        costs[:, 1:] *= 6  # no sum of these is an odd budget
        values[:, 1:] = costs[:, 1:]
    elif kind == "few huge":
        values[:, 1:] = draw.random((items, 3)).cumsum(1)
        huge = draw.choice(items, min(items, 12), replace=False)
        costs[huge, 1] = whole.sum() * 0.03 * draw.uniform(0.3, 1.5, len(huge))
        costs[huge, 2], costs[huge, 3] = costs[huge, 1] * 1.2 + 3, costs[huge, 1] * 1.7 + 9
        values[huge, 1:] *= items * 0.1
    elif kind == "all tied":
        costs[:, 1:] = values[:, 1:] = (7, 21, 90)
    budget = int(SHARE * costs[:, 3].sum(dtype=np.float64)) | 1
    return PackProblem(costs, values, budget)


KINDS = (
    "uncorrelated",
    "weakly correlated",
    "strongly correlated",
    "subset sum",
    "few huge",
    "all tied",
)
