"""Item ids as people write them: `run.position`."""

from __future__ import annotations

import re

from vox.errors import InvalidArgumentError

_ITEM = re.compile(r"(\d{1,10})\.(\d{1,10})", re.ASCII)


def item_text(item: int) -> str:
    """The written form of an item id."""
    return f"{item >> 32}.{item & 0xFFFF_FFFF}"


def item_id(text: str) -> int:
    """The item id that `text` writes; `InvalidArgumentError` if it writes none."""
    match = _ITEM.fullmatch(text)
    run, position = (int(match[1]), int(match[2])) if match else (-1, -1)
    if not (0 <= run < 1 << 32 and 0 <= position < 1 << 32):
        raise InvalidArgumentError(f"{text!r} is no item; `vox show` prints them, such as 12.345")
    return run << 32 | position
