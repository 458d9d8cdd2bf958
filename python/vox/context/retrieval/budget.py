"""As many references as a number of tokens has room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vox.context.retrieval.fusion import Fused
from vox.context.retrieval.reference import FATES, Description, Fate, Reference, render

Shows = Callable[[Description, Fate], str]
"""What a fate shows of an item."""

Caps = Callable[[Sequence[str]], list[int]]
"""For each text a number of tokens that it isn't above."""


@dataclass(frozen=True, slots=True)
class Packed:
    """References within a budget."""

    references: list[Reference]
    tokens: int
    """What they cost together."""
    left_out: int
    """How many had no room."""


def pack(
    ranked: Sequence[tuple[Fused, Description]], budget: int, shows: Shows, caps: Caps
) -> Packed:
    """Gives each item, the best first, the fullest fate that there is room for, while every one
    after it that fits could still have its handle.

    First all get their handles, as far as they go: to know of an item is worth more than to read
    more of a better one. Then passages are filled in from the best on. So a larger budget never
    shows fewer items.
    """
    heads = caps([render(about, "") for _, about in ranked])
    fitting = 0
    tokens = 0
    for cost in heads:
        if tokens + cost > budget:
            break
        tokens += cost
        fitting += 1
    references: list[Reference] = []
    for (fused, about), head in zip(ranked[:fitting], heads, strict=False):
        fate, shown, cost = _fullest(about, head, budget - tokens + head, shows, caps)
        tokens += cost - head
        references.append(
            Reference(
                about=about,
                score=fused.score,
                ranks=dict(fused.ranks),
                fate=fate,
                shown=shown,
                tokens=cost,
            )
        )
    return Packed(references, tokens, len(ranked) - fitting)


def _fullest(
    about: Description, head: int, room: int, shows: Shows, caps: Caps
) -> tuple[Fate, str, int]:
    choices = [(fate, shows(about, fate)) for fate in FATES[:-1]]
    choices = [(fate, shown) for fate, shown in choices if shown]
    costs = caps([render(about, shown) for _, shown in choices])
    for (fate, shown), cost in zip(choices, costs, strict=True):
        if cost <= room:
            return fate, shown, cost
    return "handle", "", head
