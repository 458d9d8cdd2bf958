"""The order in which items are shown."""

from __future__ import annotations

import numpy as np

from vox.context.projection.material import Integers, Outline


def shown_order(outline: Outline, groups: Integers) -> Integers:
    """Rows in the order in which they are shown: by committed position where there is one, else
    by ordinal. A row without a position stands behind the last row before it that has one, and the
    members of a group follow the first of it if their positions were changed."""
    n = len(outline)
    rows = np.arange(n, dtype=np.int64)
    placed = outline.committed >= 0
    positions = outline.committed[placed]
    if positions.size < 2 or bool(np.all(np.diff(positions) > 0)):
        return rows
    last = np.maximum.accumulate(np.where(placed, rows, -1))
    anchor = np.where(last >= 0, outline.committed[np.maximum(last, 0)], -1)
    grouped = np.flatnonzero(groups >= 0)
    if grouped.size:
        _, first, of_row = np.unique(groups[grouped], return_index=True, return_inverse=True)
        anchor[grouped] = anchor[grouped[first]][of_row]
    return np.lexsort((rows, anchor))
