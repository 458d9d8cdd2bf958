"""Windows and items as people name them on the command line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vox.cli.items import item_id
from vox.errors import InvalidArgumentError

if TYPE_CHECKING:
    from vox.archive import Archive

_PLACES = re.compile(r"(.+)@([\d,-]+)", re.ASCII)
_PART = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?", re.ASCII)
_ITEM = re.compile(r"\d{1,10}\.\d{1,10}|item:\d{1,20}", re.ASCII)


@dataclass
class Named:
    """What was named."""

    windows: list[int] = field(default_factory=list)
    places: list[tuple[int, list[tuple[int, int]]]] = field(default_factory=list)
    items: list[int] = field(default_factory=list)

    @property
    def sorts(self) -> int:
        """How many sorts of things were named."""
        return bool(self.windows) + bool(self.places) + bool(self.items)


def read(archive: Archive, places: Sequence[str]) -> Named:
    """What `places` name. Raises `NotFoundError`, `InvalidArgumentError`."""
    named = Named()
    for place in places:
        if match := _PLACES.fullmatch(place):
            window = archive.window(match[1])
            named.places.append((window.number, [_ordinals(place, p) for p in match[2].split(",")]))
        elif _ITEM.fullmatch(place):
            named.items.append(item_id(place))
        else:
            named.windows.append(archive.window(place).number)
    return named


def _ordinals(place: str, part: str) -> tuple[int, int]:
    match = _PART.fullmatch(part)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if last < first:
        raise InvalidArgumentError(f"{place!r} names no items; say 3f2a@17 or 3f2a@10-20,25")
    return first, last + 1
