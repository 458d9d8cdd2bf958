"""What each item of a window can be shown as, what that costs, and what it is worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vox.context.projection.duplicates import canonical_of
from vox.context.projection.fate import Fate
from vox.context.projection.files import touched_last
from vox.context.projection.frames import Cap, Frames
from vox.context.projection.images import is_image
from vox.context.projection.lines import line_tokens, same_tokens
from vox.context.projection.material import (
    PINNED,
    PURGED,
    RECORD,
    SIDE,
    TAKEN_OUT,
    TRIMMED,
    Bools,
    Counted,
    Floats,
    Integers,
    Outline,
    Related,
)
from vox.context.projection.pairs import groups_of, unpaired
from vox.context.projection.reasons import Reason
from vox.context.projection.settings import ProjectionSettings
from vox.context.projection.utility import fidelity_of, utility_of
from vox.models import ModelProfile
from vox.sources.base import ItemKind, Role

UNAVAILABLE = 2**32 - 1
"""The cost of what isn't offered."""

FREE = -1
"""In `Offers.pins`: any fate."""


@dataclass(frozen=True, slots=True, eq=False)
class Offers:
    """What items are offered as. Arrays have a row for each item that is offered anything, in the
    order of their ordinals."""

    rows: Integers
    """Their places in the outline."""
    costs: Integers
    """By fate, frames included, stubs not; `UNAVAILABLE`."""
    values: Floats
    """By fate."""
    groups: npt.NDArray[np.int32]
    """Members are all dropped or all kept; −1 none."""
    pins: npt.NDArray[np.int8]
    """A fate, or `FREE`."""
    own: Integers
    """Tokens of each by itself, without a frame."""
    limits: Integers
    """Tokens that the shorter form of each may have."""
    same_as: Integers
    """The place, in the outline, of the item that is shown for this one; −1 if it is itself."""
    alone: Bools
    """Of calls and results: whether the other is missing."""
    refused: npt.NDArray[np.uint8]
    """For all items of the outline: why one isn't offered, or isn't in full (`Reason`); 0 if it
    is."""
    unmet: Integers
    """Places, in the outline, of pins and fates set by hand that the model can't have."""


def offers_of(
    outline: Outline,
    counted: Counted,
    related: Related | None,
    scores: Floats | None,
    frames: Frames,
    profile: ModelProfile,
    cap: Cap,
    budget: int,
    sent: Bools,
    settings: ProjectionSettings,
) -> Offers:
    """What the items of a window can be for a model. `sent` are those that it was shown before."""
    refused = _refused(outline, counted, frames, profile)
    offered = ~np.isin(refused, _GONE)
    groups = groups_of(outline, offered)
    single = unpaired(outline, groups)
    refused[single] = Reason.UNPAIRED
    groups[single] = -1
    tokens = np.where(offered, counted.tokens, 0).astype(np.int64)
    whole = np.where(offered, tokens + frames.items, 0)

    worth = utility_of(outline, tokens, related, scores, settings)
    if related is not None:
        worth[touched_last(related, groups, whole, budget, settings)] *= settings.touched_factor

    rows = np.flatnonzero(offered)
    asked = _asked(outline, rows)
    forced = np.zeros(len(outline), dtype=bool)
    forced[rows] = asked == Fate.INCLUDED
    same_as = np.full(len(rows), -1, dtype=np.int64)
    long = np.flatnonzero((tokens[rows] >= settings.same_from) & (refused[rows] == 0))
    canonical = canonical_of(outline, rows[long], forced, sent)
    copies = long[(canonical != rows[long]) & ~forced[rows[long]]]
    same_as[copies] = canonical[(canonical != rows[long]) & ~forced[rows[long]]]
    refused[rows[copies]] = Reason.COPY

    costs, limits = _costs(
        outline, rows, tokens, counted, frames, refused, same_as, asked, profile, cap, settings
    )
    pins, unmet = _pins(costs, asked, groups[rows])
    values = worth[rows, None] * fidelity_of(outline, settings)[rows]
    values[costs == UNAVAILABLE] = 0.0
    return Offers(
        rows=rows,
        costs=costs,
        values=values,
        groups=groups[rows].astype(np.int32),
        pins=pins,
        own=tokens[rows],
        limits=limits,
        same_as=same_as,
        alone=single[rows],
        refused=refused,
        unmet=rows[unmet],
    )


_GONE = [Reason.RECORD, Reason.SIDE, Reason.TRIMMED, Reason.PURGED, Reason.NOT_SENT_BACK]


def _refused(
    outline: Outline, counted: Counted, frames: Frames, profile: ModelProfile
) -> npt.NDArray[np.uint8]:
    """Why items can't be shown in full, the gravest reason of each."""
    refused = np.zeros(len(outline), dtype=np.uint8)
    reasoning = outline.kinds == ItemKind.REASONING
    if frames.reasoning == "never":
        refused[reasoning] = Reason.NOT_SENT_BACK
    elif frames.reasoning == "last_turn":
        user = (outline.roles == Role.USER) & (outline.kinds == ItemKind.MESSAGE)
        (asked,) = np.nonzero(user)
        refused[reasoning & (np.arange(len(outline)) < (asked[-1] if asked.size else 0))] = (
            Reason.NOT_SENT_BACK
        )
    refused[counted.no_text] = Reason.NO_TEXT
    image = counted.no_text & is_image(outline)
    refused[image] = 0 if profile.sees_images else Reason.NO_IMAGES
    for flag, reason in (
        (SIDE, Reason.SIDE),
        (RECORD, Reason.RECORD),
        (TRIMMED, Reason.TRIMMED),
        (PURGED, Reason.PURGED),
    ):
        refused[outline.has(flag)] = reason
    refused[outline.kinds == ItemKind.RECORD] = Reason.RECORD
    return refused


def _asked(outline: Outline, rows: Integers) -> npt.NDArray[np.int8]:
    """The fates that users ask for: set by hand, else that of what is pinned or taken out."""
    asked = np.full(len(rows), FREE, dtype=np.int8)
    asked[outline.has(PINNED)[rows]] = Fate.INCLUDED
    asked[outline.committed[rows] == TAKEN_OUT] = Fate.DROPPED
    by_hand = outline.fates[rows]
    return np.where(by_hand >= 0, by_hand, asked).astype(np.int8)


def _costs(
    outline: Outline,
    rows: Integers,
    tokens: Integers,
    counted: Counted,
    frames: Frames,
    refused: npt.NDArray[np.uint8],
    same_as: Integers,
    asked: npt.NDArray[np.int8],
    profile: ModelProfile,
    cap: Cap,
    settings: ProjectionSettings,
) -> tuple[Integers, Integers]:
    own, frame, why = tokens[rows], frames.items[rows], refused[rows]
    copy = same_as >= 0
    costs = np.full((len(rows), len(Fate)), UNAVAILABLE, dtype=np.int64)
    costs[:, Fate.DROPPED] = 0
    whole = why == 0
    full = own + frame + frames.inputs[rows]
    costs[whole, Fate.INCLUDED] = full[whole]

    limits = np.clip(
        (own * settings.form_share).astype(np.int64), settings.form_least, settings.form_most
    )
    # A copy that can't be opened, and whose pair may be worth its room, is shown shortened.
    short = (whole & (own >= settings.form_from)) | (
        copy & (not profile.tool_capable) & (own >= settings.form_least)
    )
    short |= (asked == Fate.SUMMARIZED) & (whole | copy)
    short &= ~counted.no_text[rows]
    costs[short, Fate.SUMMARIZED] = limits[short] + frame[short]
    if not profile.tool_capable:
        few = copy & ~short
        costs[few, Fate.INCLUDED] = full[few]

    if profile.tool_capable:
        seam = settings.seam_tokens
        line = line_tokens(outline, rows, cap, seam)
        if copy.any():
            line[copy] = same_tokens(outline, cap, seam)
        line += np.where(why == Reason.UNPAIRED, frames.line, frame)
        able = why != Reason.NO_IMAGES
        costs[able, Fate.ON_DEMAND] = line[able]
    return np.minimum(costs, UNAVAILABLE), limits


def _pins(
    costs: Integers, asked: npt.NDArray[np.int8], groups: Integers
) -> tuple[npt.NDArray[np.int8], Integers]:
    """The fates that items are held to, and the places of those that can't have what was asked.
    What is to be kept is stronger than what is to be dropped with it."""
    pins = asked.copy()
    held = np.flatnonzero(pins != FREE)
    missing = held[costs[held, pins[held]] == UNAVAILABLE]
    # What was to be kept and can't be in full is kept as it can.
    best = np.argmin(costs[missing, 1:], axis=1).astype(np.int8) + 1
    best[costs[missing, best] == UNAVAILABLE] = FREE
    pins[missing] = best
    grouped = np.flatnonzero(groups >= 0)
    if grouped.size:
        of_group, many = groups[grouped], int(groups.max()) + 1
        kept = np.bincount(of_group, weights=pins[grouped] > 0, minlength=many) > 0
        dropped = np.bincount(of_group, weights=pins[grouped] == 0, minlength=many) > 0
        pins[grouped[kept[of_group] & (pins[grouped] == 0)]] = FREE
        pins[grouped[(dropped & ~kept)[of_group]]] = Fate.DROPPED
    return pins, missing
