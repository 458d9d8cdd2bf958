"""Candidates and descriptions for tests that need no archive."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from vox.context.retrieval import Candidate, Description, Found

NOW = 1_780_000_000_000
"""UTC milliseconds."""


def candidate(
    item: int, text: str = "", *, role: str = "user", kind: str = "message", at: int = NOW
) -> Candidate:
    """A candidate whose content is `text`, by default one of its own."""
    content = hashlib.sha256((text or str(item)).encode()).hexdigest()
    return Candidate(item=item, content=content, score=1.0, role=role, kind=kind, at=at)


def description(item: int, *, windows: int = 1, title: str | None = "A talk") -> Description:
    """What an item is."""
    return Description(
        item=item,
        window="0123456789abcdef",
        title=title,
        role="user",
        kind="message",
        name=None,
        at=NOW,
        bytes=1000 + item,
        windows=windows,
        line=f"first line of {item}",
    )


@dataclass
class FixedLane:
    """A lane that finds what it was given."""

    name: str
    found: Sequence[Candidate] = ()
    by_meaning: bool = False
    covered: float | None = None
    note: str | None = None
    fails: Exception | None = None

    def find(self, question: str, count: int) -> Found:
        if self.fails:
            raise self.fails
        return Found(list(self.found[:count]), self.covered, note=self.note)


@dataclass
class FixedShelf:
    """Items with passages of repeated words, as long as they are asked for."""

    gone: set[int] = field(default_factory=set)
    without_text: set[int] = field(default_factory=set)

    def describe(self, items: Sequence[int]) -> list[Description | None]:
        return [None if item in self.gone else description(item) for item in items]

    def passages(self, question: str, items: Sequence[int], width: int) -> list[str | None]:
        return [
            None if item in self.without_text else f"passage {item} " * (width // 12)
            for item in items
        ]
