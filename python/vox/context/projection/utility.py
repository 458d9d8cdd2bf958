"""What items are worth to a model that goes on with a window.

Utility is what an item has for being new, more of it the more later items use its names, for how
lately they did, and of relevance, times what it is worth by kind and role, times a power of its
size. All that says how long ago something was falls as a power, so that far back, where a large
budget ends, newer still is worth more. It depends on no budget: a larger one never makes a plan
that was possible worth less.
"""

from __future__ import annotations

import numpy as np

from vox.context.projection.fate import Fate
from vox.context.projection.material import Floats, Integers, Outline, Related
from vox.context.projection.settings import ProjectionSettings
from vox.sources.base import ItemKind, Role


def utility_of(
    outline: Outline,
    tokens: Integers,
    related: Related | None,
    scores: Floats | None,
    settings: ProjectionSettings,
) -> Floats:
    """The utility of each item: finite and at least 0. `tokens` are those of the items that are
    offered, 0 for the others; `scores` say how well each answers a query."""
    behind = np.cumsum(tokens[::-1])[::-1] - tokens
    near = (1.0 + behind / settings.recency_tokens) ** -settings.recency_exponent
    worth = settings.recency * near
    if related is not None:
        many = np.minimum(related.mentions, settings.mentions_full)
        worth *= 1.0 + settings.mentions * np.log1p(many) / np.log1p(settings.mentions_full)
        again = related.last_uses != np.arange(len(outline))
        worth += settings.used_again * np.where(again, near[related.last_uses], 0.0)
    worth += settings.floor
    if scores is not None and len(scores):
        clean = np.nan_to_num(np.maximum(scores, 0.0), nan=0.0, posinf=0.0)
        best = clean.max()
        if best > 0:
            worth += settings.relevance * clean / best
    worth *= _by_number(settings.kind_weights, ItemKind, 0.0)[outline.kinds]
    worth *= _by_number(settings.role_weights, Role, 1.0)[outline.roles]
    worth *= np.maximum(tokens, 1).astype(np.float64) ** settings.size_exponent
    summaries = np.flatnonzero(outline.kinds == ItemKind.SUMMARY)
    if summaries.size:
        worth[: summaries[-1]] *= settings.covered
    return worth


def fidelity_of(outline: Outline, settings: ProjectionSettings) -> Floats:
    """The share of its utility that each item keeps, by fate: a row for each item."""
    table = np.zeros((len(ItemKind), len(Fate)))
    for fate, share in settings.fidelity.items():
        table[:, fate] = share
    for (kind, fate), share in settings.kind_fidelity.items():
        table[kind, fate] = share
    table[:, Fate.DROPPED] = 0.0
    shares: Floats = table[outline.kinds]
    return shares


def _by_number(weights: object, numbers: type[ItemKind] | type[Role], otherwise: float) -> Floats:
    table = np.full(max(numbers) + 1, otherwise)
    for number, weight in dict(weights).items():  # type: ignore[call-overload]
        table[number] = weight
    return table
