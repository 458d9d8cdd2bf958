"""What a projection is made of: columns with one row for each item of a window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vox.tokens.kinds import Kind

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

Texts = Callable[[Sequence[int]], Sequence[bytes | None]]
"""Contents of items by their numbers; None for one that was purged."""

NO_POSITION = -2
"""In `Outline.committed`: nobody said anything about this item."""
TAKEN_OUT = -1
"""In `Outline.committed` and for overrides: taken out; for fates: none was set."""

SIDE, PINNED, REDACTED, PURGED, TRIMMED, RECORD = 1, 2, 4, 8, 16, 32
"""Bits of `Outline.flags`."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Outline:
    """All items of a window without their contents, in the order of their ordinals, as one read
    transaction saw them."""

    window: int
    """The window's number."""
    id: str
    """Its lasting id."""
    chain: bytes
    """The chain hash of its last item, 32 bytes: what it was when this was read."""
    items: npt.NDArray[np.uint64]
    """Numbers of the items."""
    contents: npt.NDArray[np.uint64]
    """Equal for equal bytes."""
    created_at: npt.NDArray[np.int64]
    """UTC milliseconds."""
    byte_len: npt.NDArray[np.uint64]
    names: npt.NDArray[np.uint32]
    """Places in `name_texts`."""
    name_texts: Sequence[str]
    """Tools, models and media types; the first is empty."""
    roles: npt.NDArray[np.uint8]
    """`vox.sources.base.Role`."""
    kinds: npt.NDArray[np.uint8]
    """`vox.sources.base.ItemKind`."""
    flags: npt.NDArray[np.uint8]
    calls: npt.NDArray[np.uint32]
    """Equal for a tool call and its results; 0 where the producer has no ids."""
    committed: npt.NDArray[np.int64]
    """Positions in the committed set; `TAKEN_OUT`, `NO_POSITION`."""
    fates: npt.NDArray[np.int8]
    """Fates set by hand; −1 none."""

    def __len__(self) -> int:
        return len(self.items)

    def has(self, flag: int) -> Bools:
        """The items with this bit of `flags`."""
        bits: Bools = (self.flags & flag) != 0
        return bits


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Tokens of each item by itself, without frames."""

    tokens: npt.NDArray[np.uint32]
    kind: Kind
    """What they are worth."""
    no_text: Bools
    """Attachments that are no text: they count 0 in `tokens`."""


@dataclass(frozen=True, slots=True, eq=False)
class Related:
    """What items have to do with each other."""

    mentions: npt.NDArray[np.uint32]
    """By how many later items names are used that this one brought up."""
    last_uses: npt.NDArray[np.uint32]
    """The place of the last of them; an item's own if there are none."""
    touched: npt.NDArray[np.int32]
    """The file that a tool call touches, by its place in a list of paths; −1 none."""
