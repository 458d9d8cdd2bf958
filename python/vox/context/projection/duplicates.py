"""Items with the same content: one is shown, the others say which."""

from __future__ import annotations

import numpy as np

from vox.context.projection.material import Bools, Integers, Outline


def canonical_of(outline: Outline, rows: Integers, forced: Bools, sent: Bools) -> Integers:
    """For each of `rows` the row that is shown for its content: one that is `forced` to be, else
    the earliest that was `sent`, else the newest. `forced` and `sent` are by row of the outline."""
    if not rows.size:
        return rows
    contents = outline.contents[rows]
    rank = np.where(forced[rows], 0, np.where(sent[rows], 1, 2))
    place = np.where(rank == 1, rows, -rows)
    order = np.lexsort((place, rank, contents))
    in_order = contents[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = in_order[1:] != in_order[:-1]
    canonical = np.empty_like(rows)
    canonical[order] = rows[order[np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))]]
    return canonical
