"""What follows from the entries of a draft: which belong together, and what is left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from vox.context.committed.entry import Entry, LeftOut
from vox.context.projection import Outline
from vox.context.projection.lines import (
    as_arguments,
    item_line,
    run_handle,
    stub_line,
    what_of,
)
from vox.context.projection.material import PURGED, RECORD, SIDE, TRIMMED
from vox.context.projection.pairs import groups_of, unpaired
from vox.sources.base import ItemKind

Rows = npt.NDArray[np.int64]


def pairs_of(
    entries: Sequence[Entry], own: str, outlines: Mapping[str, Outline]
) -> tuple[Entry, ...]:
    """The entries with the pairs that they are. `outlines` are those of their windows, by id; `own`
    is the id of the window whose set they are for."""
    pairs: dict[tuple[str, int], int] = {}
    first = 0
    for window, outline in outlines.items():
        rows = [entry.ordinal for entry in entries if (entry.window or own) == window]
        shown = np.zeros(len(outline), dtype=bool)
        shown[rows] = True
        groups = groups_of(outline, shown)
        groups[unpaired(outline, groups)] = -1
        pairs |= {(window, row): first + int(groups[row]) for row in rows if groups[row] >= 0}
        first += int(groups.max(initial=-1)) + 1
    return tuple(
        replace(entry, pair=pairs.get((entry.window or own, entry.ordinal))) for entry in entries
    )


def left_out_of(
    entries: Sequence[Entry],
    own: Outline,
    tokens_of: Callable[[Rows], npt.NDArray[np.integer[Any]]],
    tool_capable: bool,
) -> tuple[LeftOut, ...]:
    """What stands for the items of a window that aren't among `entries`; `tokens_of` counts rows.

    An item that isn't shown stands behind the last before it that is.
    """
    places = {entry.ordinal: place for place, entry in enumerate(entries) if entry.window is None}
    shown = np.zeros(len(own), dtype=bool)
    shown[list(places)] = True
    apart = (own.flags & (SIDE | RECORD | TRIMMED | PURGED)) != 0
    rows = np.flatnonzero(~shown & ~apart & (own.kinds != ItemKind.RECORD))
    if not rows.size:
        return ()
    anchors = np.maximum.accumulate(np.where(shown, np.arange(len(own)), -1))[rows]
    starts = np.flatnonzero(np.diff(anchors, prepend=-2))
    ends = np.append(starts[1:], rows.size) - 1
    hidden = np.add.reduceat(tokens_of(rows).astype(np.int64), starts)
    found = []
    for start, end, tokens in zip(starts.tolist(), ends.tolist(), hidden.tolist(), strict=True):
        first, last, anchor = int(rows[start]), int(rows[end]), int(anchors[start])
        handle = run_handle(own.id, first, last) if tool_capable else ""
        found.append(
            LeftOut(
                before=0 if anchor < 0 else places[anchor] + 1,
                first=first,
                last=last,
                items=end - start + 1,
                tokens=tokens,
                text=stub_line(end - start + 1, tokens, handle),
            )
        )
    return tuple(sorted(found, key=lambda run: run.before))


def line_of(outline: Outline, row: int, *, alone: bool) -> str:
    """What an item on demand is shown as; `alone` says whether a call lacks its result."""
    kind = int(outline.kinds[row])
    name = outline.name_texts[int(outline.names[row])]
    what = what_of(kind, int(outline.roles[row]), name)
    line = item_line(int(outline.items[row]), what, int(outline.byte_len[row]))
    return as_arguments(line) if kind == ItemKind.TOOL_CALL and not alone else line
