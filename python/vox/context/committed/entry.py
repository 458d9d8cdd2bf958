"""Entries of a committed set: references to items, and what a model is shown of each."""

from __future__ import annotations

from dataclasses import dataclass

from vox.context.projection.fate import Fate
from vox.errors import InvalidArgumentError

_HASH = 64
"""Hexadecimal digits of a content hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One item of a set. Its content stands in the archive, under its hash; no model is shown
    anything else under this entry.

    Raises `InvalidArgumentError` for what can't be: a dropped item is no entry, and what isn't
    shown in full has a form.
    """

    item: int
    """Its number in the archive."""
    ordinal: int
    """Its place in its window."""
    content: str
    """The hash of its content, 64 hexadecimal digits."""
    fate: Fate = Fate.INCLUDED
    form: str | None = None
    """What is shown in place of its content, if that isn't all of it. In place of the input of a
    tool call it is JSON."""
    pair: int | None = None
    """The same for a tool call and its results; None for what is neither or lacks the other."""
    window: str | None = None
    """The window that it is from, of the same root; None: the one whose set this is."""
    pinned: bool = False
    """Whether later projections keep it as well."""

    def __post_init__(self) -> None:
        where = f"item:{self.item}"
        if self.fate == Fate.DROPPED:
            raise InvalidArgumentError(f"{where} is dropped: leave it out of the set instead")
        if (self.form is None) != (self.fate == Fate.INCLUDED):
            word = "a form and is included" if self.form is not None else f"{self.fate} and no form"
            raise InvalidArgumentError(
                f"{where} has {word}: what is shown in full has no form, and all else has one"
            )
        if len(self.content) != _HASH or not set(self.content) <= set("0123456789abcdef"):
            raise InvalidArgumentError(
                f"{where}: {self.content[:80]!r} is no content hash, which has {_HASH} lower-case "
                "hexadecimal digits"
            )
        if self.window is not None and self.fate == Fate.SUMMARIZED:
            # A purge of that window couldn't take the text back from this one.
            raise InvalidArgumentError(
                f"{where} is of window {self.window[:8]}: of another window's items no shorter "
                "form can be kept; include it, or give its handle (on_demand)"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A run of dropped items, and the line that stands for it."""

    before: int
    """The place of the entry that it stands before."""
    first: int
    """Ordinal of the first of them …"""
    last: int
    """… and of the last, in the order in which they are shown."""
    items: int
    """How many they are."""
    tokens: int
    """Theirs, all together, as they were counted when the set was made."""
    text: str
    """The line. It says how many items and tokens, and what opens them."""
