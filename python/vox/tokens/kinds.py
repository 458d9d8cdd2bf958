"""What a count is worth."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["exact", "bound", "assumed", "ratio"]
"""`exact`: what the model's tokenizer gives. `bound`: never below that, proven. `assumed`: never
below it if what is assumed of the model holds. `ratio`: an estimate by measured ratios."""

KINDS: Final[tuple[Kind, ...]] = ("exact", "bound", "assumed", "ratio")
"""All kinds, the one that is worth most first."""


def weakest(kinds: Iterable[Kind]) -> Kind:
    """The kind of a sum: that of the addend which is worth least. `exact` for none."""
    return max(kinds, key=KINDS.index, default="exact")
