"""Items of one very long window, made up the same way for vox and for its peer."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from corpus import text_of

START = 1_750_000_000_000
NAMES = ("", "Bash", "Read", "Edit", "Grep", "Write")
SHAPES = ((0, 0, 0), (1, 0, 0), (1, 4, 1), (3, 5, 1), (1, 4, 2), (3, 5, 2), (1, 6, 0), (1, 4, 3))
"""(role, kind, index of the name) of items, by the numbers of the archive format's closed lists."""


class Item(NamedTuple):
    """Role and kind by the closed lists, time in ms since 1970, index of a name, text."""

    role: int
    kind: int
    created_at: int
    tokens: int
    name: int
    text: bytes


def items(count: int) -> Iterator[Item]:
    """`count` distinct items of about 160 bytes, so that ten millions fit on a disk."""
    rng = random.Random(5)
    lines = [line.strip() for line in text_of("code").splitlines() if len(line.strip()) > 30]
    pieces = [b" ".join(rng.choices(lines, k=4))[: rng.randint(100, 220)] for _ in range(20_000)]
    created_at = START
    for place in range(count):
        piece = pieces[place % len(pieces)]
        role, kind, name = SHAPES[(place * 7 + place // 11) % len(SHAPES)]
        created_at += 137 + place % 9001
        text = b"%d %s" % (place, piece)
        yield Item(role, kind, created_at, len(text) // 4, name, text)


def preview(text: bytes) -> str:
    """The start of a text as one line, at most 120 bytes."""
    return " ".join(text.decode("utf-8", "replace")[:120].split())
