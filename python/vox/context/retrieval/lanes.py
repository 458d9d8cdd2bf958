"""Lanes: each looks for what a question is about in its own way, and gives candidates by rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that a lane found."""

    item: int
    """Its number."""
    content: str
    """The hash of its bytes, by which copies are one."""
    score: float
    """What the lane ranks by; scores of different lanes can't be compared."""
    role: str
    kind: str
    at: int
    """When it was written, UTC milliseconds."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a lane found."""

    candidates: Sequence[Candidate]
    """The best first."""
    covered: float | None = None
    """How much of the question the best of them hold word for word, from 0 to 1; None for a lane
    that doesn't go by words."""
    named: float | None = None
    """How much of the question is names of what this lane goes by, from 0 to 1; None for a lane
    that doesn't go by names."""
    note: str | None = None
    """What its user should know: that something wasn't looked at, and why."""


class Lane(Protocol):
    """A way to find candidates."""

    @property
    def name(self) -> str:
        """What it is called where lanes are chosen."""

    @property
    def by_meaning(self) -> bool:
        """Whether it finds what is like the question, not what holds its words."""

    def find(self, question: str, count: int, /) -> Found:
        """At most `count` candidates for a question in plain words. What it raises is told as a
        note, and the other lanes go on."""
