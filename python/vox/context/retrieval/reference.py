"""References: what a model is given instead of contents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, TypeAlias

Fate: TypeAlias = Literal["snippet", "short", "line", "handle"]
"""How much of an item a reference shows: a passage, a short one, its first line, or nothing but
where it is."""

FATES: tuple[Fate, ...] = ("snippet", "short", "line", "handle")
"""All of them, the fullest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """An item as it is listed."""

    item: int
    window: str
    """The id of the window it is named with."""
    title: str | None
    """That window's."""
    role: str
    kind: str
    name: str | None
    """The tool of a call or result, the model of an answer."""
    at: int
    """When it was written, UTC milliseconds."""
    bytes: int
    """The size of all of it."""
    windows: int
    """How many windows in scope hold this content."""
    line: str
    """Its beginning as one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """An item that answers a question: where it is, and as much of it as there was room for."""

    about: Description
    score: float
    ranks: Mapping[str, int]
    """By the lanes that found it: its rank there, 1 is the first."""
    fate: Fate
    shown: str
    """What is shown of it; empty for a handle."""
    tokens: int
    """What `text` costs; by what it was counted stands beside the budget."""

    @property
    def handle(self) -> str:
        """What opens it: `vox cat ITEM` on the command line, `archive.read(item)` in Python."""
        return f"item:{self.about.item}"

    @property
    def text(self) -> str:
        """The reference as a model reads it."""
        return render(self.about, self.shown)


def render(about: Description, shown: str) -> str:
    """A reference as text: a line that says what and where it is, and what is shown of it."""
    time = datetime.fromtimestamp(about.at / 1000, UTC)
    what = " ".join(filter(None, (about.role, about.kind.replace("_", " "), about.name)))
    copies = f", in {about.windows} windows" if about.windows > 1 else ""
    title = f" {about.title!r}" if about.title else ""
    head = (
        f"[item:{about.item}] {what}, {time:%Y-%m-%d %H:%M}, {about.bytes} bytes, "
        f"window {about.window[:8]}{title}{copies}"
    )
    return f"{head}\n{shown}\n" if shown else f"{head}\n"
