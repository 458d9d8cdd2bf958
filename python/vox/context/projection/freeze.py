"""What was sent stays as it was, until there is a reason to plan anew: each change rewrites what a
provider keeps of the beginning."""

from __future__ import annotations

from hashlib import blake2b
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from vox.context.projection.fate import Fate
from vox.context.projection.material import (
    PINNED,
    PURGED,
    REDACTED,
    TAKEN_OUT,
    TRIMMED,
    Bools,
    Integers,
    Outline,
)
from vox.context.projection.offers import FREE, UNAVAILABLE, Offers
from vox.context.projection.sent import Sent
from vox.context.projection.settings import ProjectionSettings
from vox.models import ModelProfile
from vox.sources.base import ItemKind

Boundary: TypeAlias = Literal["model", "edit", "compaction"]
"""Why what was sent can't stay, whatever it costs."""


def marks_of(outline: Outline, seen: int) -> bytes:
    """A hash of what users said of the first `seen` items."""
    marks = blake2b(digest_size=16)
    marks.update((outline.flags[:seen] & (PINNED | TRIMMED | PURGED | REDACTED)).tobytes())
    marks.update(outline.fates[:seen].tobytes())
    marks.update((outline.committed[:seen] == TAKEN_OUT).tobytes())
    return marks.digest()


def boundary_of(previous: Sent, outline: Outline, profile: ModelProfile) -> Boundary | None:
    """Why there is to be a new plan; None if what was sent can stay."""
    if previous.model != profile.model_id:
        return "model"
    if previous.seen > len(outline) or marks_of(outline, previous.seen) != previous.marks:
        return "edit"
    if bool(np.any(outline.kinds[previous.seen :] == ItemKind.SUMMARY)):
        return "compaction"
    return None


def sent_rows(previous: Sent | None, outline: Outline) -> Bools:
    """The items whose contents were shown, all of them or a part: a line that names a copy of one
    shows none."""
    shown = np.zeros(len(outline), dtype=bool)
    if previous is not None:
        there = (previous.ordinals < len(outline)) & (previous.fates != Fate.ON_DEMAND)
        shown[previous.ordinals[there].astype(np.int64)] = True
    return shown


def frozen_pins(previous: Sent, outline: Outline, offers: Offers) -> npt.NDArray[np.int8] | None:
    """Pins that hold all items to what was sent, and new ones to their pins; None if one of them
    can't be had any more."""
    if previous.seen > len(outline) or np.any(previous.ordinals >= previous.seen):
        return None
    fates = np.full(len(outline), Fate.DROPPED, dtype=np.int8)
    fates[previous.ordinals.astype(np.int64)] = previous.fates
    fates[previous.seen :] = FREE
    pins = fates[offers.rows]
    if np.count_nonzero(pins > 0) != np.count_nonzero(previous.fates):
        return None
    held = np.flatnonzero(pins > 0)
    if np.any(offers.costs[held, pins[held]] == UNAVAILABLE):
        return None
    new = pins == FREE
    pins[new] = offers.pins[new]
    # A result that comes later than its call shares its fate.
    grouped = np.flatnonzero(offers.groups >= 0)
    if grouped.size:
        of_group, many = offers.groups[grouped], int(offers.groups.max()) + 1
        kept = np.bincount(of_group, weights=pins[grouped] > 0, minlength=many) > 0
        gone = np.bincount(of_group, weights=pins[grouped] == 0, minlength=many) > 0
        if np.any(kept & gone):
            loose = grouped[(kept & gone)[of_group]]
            loose = loose[pins[loose] == 0]
            if np.any(offers.rows[loose] < previous.seen):
                return None
            pins[loose] = FREE
    return pins


def frozen_limits(previous: Sent, outline: Outline, offers: Offers) -> Integers:
    """The limits of shorter forms, of those that were sent as they were then."""
    sent = np.zeros(len(outline), dtype=np.int64)
    sent[previous.ordinals.astype(np.int64)] = previous.limits
    limits = sent[offers.rows]
    return np.where(limits > 0, limits, offers.limits)


def is_worth_it(
    freed: int, rewritten: int, profile: ModelProfile, settings: ProjectionSettings
) -> bool:
    """Whether planning anew saves more than it costs: `freed` tokens are read in no later turn,
    `rewritten` ones are written to the provider's cache once more."""
    if freed < max(settings.clear_at_least, 1):
        return False
    caching, prices = profile.caching, profile.prices
    if caching is None or not caching.supported:
        return True
    write, read = settings.cache_write, settings.cache_read
    if prices is not None and prices.input > 0:
        if prices.cache_write is not None:
            write = prices.cache_write / prices.input
        if prices.cache_read is not None:
            read = prices.cache_read / prices.input
    return freed * read * settings.turns_ahead >= rewritten * max(write - read, 0.0)
