"""Why each item has the fate that it has."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from vox.context.projection.fate import Fate
from vox.context.projection.material import Outline
from vox.context.projection.offers import FREE, Offers
from vox.context.projection.reasons import Reason
from vox.context.projection.solve import Fates
from vox.sources.base import ItemKind


def reasons_of(
    outline: Outline, offers: Offers, fates: Fates, frozen: int
) -> npt.NDArray[np.uint8]:
    """A `Reason` for each item of the outline, whose fates are given; the first `frozen` items are
    as they were sent before."""
    by_fate = np.zeros(len(Fate), dtype=np.uint8)
    by_fate[Fate.DROPPED] = Reason.NO_ROOM
    by_fate[Fate.SUMMARIZED] = Reason.SHORTER
    by_fate[Fate.ON_DEMAND] = Reason.HANDLE
    every = bool(np.all(fates[offers.rows] == Fate.INCLUDED))
    by_fate[Fate.INCLUDED] = Reason.FITS if every else Reason.WORTH_IT
    reasons = by_fate[fates]
    dropped = fates == Fate.DROPPED
    summaries = np.flatnonzero((outline.kinds == ItemKind.SUMMARY) & (fates == Fate.INCLUDED))
    if summaries.size:
        reasons[: summaries[-1]][dropped[: summaries[-1]]] = Reason.COVERED
    refused = (offers.refused != 0) & (fates != Fate.INCLUDED)
    reasons[refused] = offers.refused[refused]
    pinned = offers.rows[(offers.pins != FREE) & (offers.pins == fates[offers.rows])]
    reasons[pinned] = np.where(
        outline.fates[pinned] >= 0,
        Reason.BY_HAND,
        np.where(fates[pinned] == Fate.DROPPED, Reason.TAKEN_OUT, Reason.PINNED),
    )
    if frozen:
        offered = offers.rows[offers.rows < frozen]
        plain = offered[reasons[offered] <= Reason.COVERED]
        reasons[plain] = Reason.SENT
    return reasons
