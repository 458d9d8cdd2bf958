"""Runs of dropped items."""

from __future__ import annotations

import numpy as np

from vox.context.projection.material import Bools, Integers


def runs_of(kept: Bools) -> tuple[Integers, Integers]:
    """The first and the last place of each run of items that aren't kept; `kept` is in the order in
    which items are shown."""
    dropped = ~kept
    starts, ends = dropped.copy(), dropped.copy()
    starts[1:] &= kept[:-1]
    ends[:-1] &= kept[1:]
    return np.flatnonzero(starts), np.flatnonzero(ends)
