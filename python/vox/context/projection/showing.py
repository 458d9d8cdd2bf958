"""What is shown in place of items: shorter forms, and lines of what is on demand."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from vox.context.projection.fate import Fate
from vox.context.projection.forms import Wanted, shorten
from vox.context.projection.frames import Frames
from vox.context.projection.material import Integers, Outline, Texts
from vox.context.projection.offers import Offers
from vox.context.projection.settings import ProjectionSettings
from vox.context.projection.solve import Plan, Problem
from vox.context.projection.wording import Wording
from vox.models import ModelProfile
from vox.sources.base import ItemKind


@dataclass(frozen=True, slots=True, eq=False)
class Showing:
    """Fates with what they show."""

    costs: Integers
    """What each offered item costs, as it is shown; of what is dropped 0."""
    forms: dict[int, str] = field(default_factory=dict)
    """What is shown in place of items, by their places in the outline."""
    notes: dict[int, str] = field(default_factory=dict)
    """Reasons of single items, by their places in the outline."""


def show(
    outline: Outline,
    problem: Problem,
    wording: Wording,
    plan: Plan,
    frames: Frames,
    texts: Texts,
    profile: ModelProfile,
    settings: ProjectionSettings,
) -> Showing:
    """What fates show, and what that costs: never more than was offered. Texts are read in one
    go."""
    offers, fates = problem.offers, plan.fates
    costs = problem.costs(fates)
    showing = Showing(costs)
    _shorten(showing, outline, offers, plan, frames, texts, profile, settings)
    for place in np.flatnonzero(fates == Fate.ON_DEMAND).tolist():
        row, same_as = int(offers.rows[place]), int(offers.same_as[place])
        showing.forms[row] = wording.line(place)
        if same_as >= 0:
            showing.notes[row] = f"the same as item:{int(outline.items[same_as])}"
    return showing


def _shorten(
    showing: Showing,
    outline: Outline,
    offers: Offers,
    plan: Plan,
    frames: Frames,
    texts: Texts,
    profile: ModelProfile,
    settings: ProjectionSettings,
) -> None:
    chosen = np.flatnonzero(plan.fates == Fate.SUMMARIZED)
    if not chosen.size:
        return
    rows = offers.rows[chosen]
    items = outline.items[rows].tolist()
    wanted = [
        Wanted(item, limit, kind == ItemKind.TOOL_CALL)
        for item, limit, kind in zip(
            items, plan.limits[chosen].tolist(), outline.kinds[rows].tolist(), strict=True
        )
    ]
    # One that was purged since is an empty text.
    contents = [content or b"" for content in texts(items)]
    found = shorten(wanted, contents, profile.cap, settings.form_head, signed=profile.tool_capable)
    showing.forms.update(zip(rows.tolist(), (text for text, _ in found), strict=True))
    showing.costs[chosen] = [cost for _, cost in found] + frames.items[rows]
