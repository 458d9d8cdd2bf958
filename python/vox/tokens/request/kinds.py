"""What a sum of counts is worth."""

from __future__ import annotations

from collections.abc import Iterable

from vox.tokens.kinds import KINDS, Kind


def weakest(kinds: Iterable[Kind]) -> Kind:
    """The kind of a sum: that of the addend which is worth least. `exact` for none."""
    return max(kinds, key=KINDS.index, default="exact")
