"""The lines that stand for what isn't shown: of one item, and of a run of items."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from vox.context.projection.frames import Cap
from vox.context.projection.material import Integers, Outline
from vox.sources.base import ItemKind, Role

NAME = 64
"""Characters of a name that a line shows. Judgement: names of tools and models are shorter."""


def item_line(item: int, what: str, size: int | str) -> str:
    """An item by what it is and its handle."""
    return f"[item:{item}] {what}, {size} bytes"


def same_line(item: int | str, other: int | str) -> str:
    """An item by another one with the same content."""
    return f"[item:{item}] the same as item:{other}"


def stub_line(items: int | str, hidden: int | str, handle: str) -> str:
    """A run of dropped items; without a handle for a model that can't open it."""
    where = f": {handle}" if handle else ""
    what = "item" if items == 1 else "items"
    return f"[{items} {what}, {hidden} tokens left out{where}]"


def run_handle(window: str, first: int | str, last: int | str) -> str:
    """What opens a run of items: the window and the ordinals."""
    return f"window:{window[:8]}/{first}-{last}"


def as_arguments(line: str) -> str:
    """A line in place of the input of a tool call, which is JSON."""
    return json.dumps({"on_demand": line}, ensure_ascii=False)


def what_of(kind: int, role: int, name: str) -> str:
    """What an item is, in words."""
    name = " ".join(name.split())[:NAME]
    words = ItemKind(kind).name.lower().replace("_", " ")
    if kind in (ItemKind.MESSAGE, ItemKind.SUMMARY):
        words = f"{Role(role).name.lower()} {words}"
    return f"{words} {name}".rstrip()


def line_tokens(outline: Outline, rows: Integers, cap: Cap, seam: int) -> Integers:
    """What the lines of items at `rows` cost, without frames: that of the longest numbers in the
    window, counted once for all items that are the same thing."""
    classes = (
        outline.names[rows].astype(np.int64) * 64
        + outline.kinds[rows].astype(np.int64) * 4
        + outline.roles[rows]
    )
    distinct, of_row = np.unique(classes, return_inverse=True)
    item, size = _longest(outline.items), _longest(outline.byte_len)
    texts = []
    for one in distinct.tolist():
        kind, role, name = one // 4 % 16, one % 4, outline.name_texts[one // 64]
        line = item_line(item, what_of(kind, role, name), size)
        texts.append(as_arguments(line) if kind == ItemKind.TOOL_CALL else line)
    tokens = np.asarray(cap(texts) if texts else [], dtype=np.int64)
    costs: Integers = tokens[of_row] + seam
    return costs


def same_tokens(outline: Outline, cap: Cap, seam: int) -> int:
    """What a line costs that names another item, in the same way."""
    item = _longest(outline.items)
    return cap([as_arguments(same_line(item, item))])[0] + seam


def stub_tokens(outline: Outline, most: int, tool_capable: bool, cap: Cap, seam: int) -> int:
    """What the line of a run costs in the same way, where all items together are `most` tokens."""
    count = _eights(len(outline))
    handle = run_handle(outline.id, count, count) if tool_capable else ""
    return cap([stub_line(count, _eights(most), handle)])[0] + seam


def _longest(numbers: npt.NDArray[np.integer[Any]]) -> int:
    return _eights(int(numbers.max())) if numbers.size else 0


def _eights(number: int) -> int:
    return int("8" * len(str(number)))
