"""How fates and claimants look: words, colours, bars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

WORDS = {
    "included": "in full",
    "summarized": "in part",
    "on_demand": "on demand",
    "dropped": "left out",
}
"""Fates in words, what is shown first."""
STYLES = {"included": "green", "summarized": "yellow", "on_demand": "cyan", "dropped": "dim"}
SIGNS = {"included": "█", "summarized": "▓", "on_demand": "▒", "dropped": "░"}
"""What a bar is made of: parts differ without colours too."""


def claimant_word(claimant: str) -> str:
    """A claimant in words."""
    return claimant.replace("_", " ")


def parts(counts: Mapping[str, int], width: int) -> dict[str, int]:
    """How `width` cells are shared out by counts: as nearly as whole cells can, and at least one
    for each that isn't 0, as long as there are cells."""
    total = sum(counts.values())
    if total <= 0 or width <= 0:
        return dict.fromkeys(counts, 0)
    exact = {name: width * count / total for name, count in counts.items()}
    cells = {name: max(int(share), 1 if counts[name] else 0) for name, share in exact.items()}
    while sum(cells.values()) < width:
        name = max(counts, key=lambda one: exact[one] - cells[one])
        cells[name] += 1
    while sum(cells.values()) > width:
        name = max(counts, key=lambda one: (cells[one] > 1, cells[one] - exact[one], cells[one]))
        cells[name] -= 1
    return cells


def bar(counts: Mapping[str, int], width: int) -> Text:
    """Counts by fate as a bar."""
    from rich.text import Text

    cells = parts(counts, width)
    return Text.assemble(
        *((SIGNS[fate] * cells[fate], STYLES[fate]) for fate in WORDS if cells.get(fate))
    )


def legend() -> Text:
    """What the parts of a bar mean."""
    from rich.text import Text

    return Text.assemble(
        *(
            piece
            for fate, word in WORDS.items()
            for piece in ((f"{SIGNS[fate]} ", STYLES[fate]), (f"{word}   ", "dim"))
        )
    )
