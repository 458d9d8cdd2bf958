"""Places where a session is cut: what stands before is projected, what comes next shows what of it
was needed.

A cut stands where the model was asked: before an answer or a call that follows something that
isn't the model's own. Needed are the names that the next things the model says or calls bring up
and that stand before the cut, unless a message or a result in between brings them again.

Reasoning isn't sent back to the model whose tokens are counted, whatever the method: it has no
names and costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import vox
from tests.context.projection.quality.names import names, names_of_call
from tests.context.projection.quality.sessions import Session
from vox.models import ModelProfile

NEXT = 5
"""Answers and calls after a cut that are looked at."""

CUTS = 24
"""At most so many cuts of one session for one budget, evenly spread, if nobody says otherwise."""

PROFILE = ModelProfile("gpt-4o", 1_000_000, source="benches/bench_projection_quality.py")
"""Its tokens are counted exactly on any machine; its window is wide enough for all budgets."""


@dataclass(frozen=True)
class Piece:
    """One item of a session."""

    item: int
    tokens: int
    model: bool
    """The model said it."""
    names: frozenset[str]


@dataclass(frozen=True)
class Cut:
    """One place of one session."""

    session: Session
    at: int
    """How many pieces stand before it."""
    before: list[Piece]
    tokens: int
    needed: frozenset[str]

    @cached_property
    def sources(self) -> dict[str, list[int]]:
        """For each needed name the places of the pieces that have it."""
        found: dict[str, list[int]] = {name: [] for name in self.needed}
        for place, piece in enumerate(self.before):
            for name in piece.names & self.needed:
                found[name].append(place)
        return found


@dataclass
class Read:
    """A session, read once."""

    session: Session
    pieces: list[Piece] = field(default_factory=list)


def read(archive: vox.Archive, session: Session) -> Read:
    """Its texts, their names and their tokens."""
    columns = session.window.items(0, len(session.window), preview=False)
    items = columns.column("item")
    if columns.column("ordinal") != list(range(len(items))):
        raise ValueError(f"{session.key} has gaps: places aren't ordinals")
    counted = archive.item_tokens(items, PROFILE.model_id).tokens
    rows = zip(items, columns.column("role"), columns.column("kind"), counted, strict=True)
    pieces = []
    for item, role, kind, tokens in rows:
        if kind == "reasoning":
            pieces.append(Piece(item, 0, False, frozenset()))
            continue
        text = bytes(archive.read(item)).decode("utf-8", "replace")
        found = names_of_call(text) if kind == "tool_call" else names(text)
        pieces.append(Piece(item, int(tokens), role == "assistant", found))
    return Read(session, pieces)


def cuts(read: Read, budget: int, most: int = CUTS) -> list[Cut]:
    """Where a session is cut for a budget: only what doesn't fit it is cut, and only where
    something is needed."""
    total, possible = 0, []
    for place, piece in enumerate(read.pieces):
        asked = place and piece.model and not read.pieces[place - 1].model
        if asked and total > budget:
            possible.append((place, total))
        total += piece.tokens
    found = []
    for place, tokens in possible:
        before = read.pieces[:place]
        needed = _needed(before, read.pieces[place:])
        if needed:
            found.append(Cut(read.session, place, before, tokens, needed))
    step = max(1.0, len(found) / most)
    return [found[int(number * step)] for number in range(min(most, len(found)))]


def _needed(before: list[Piece], after: list[Piece]) -> frozenset[str]:
    known = frozenset().union(*(piece.names for piece in before))
    needed: set[str] = set()
    fresh: set[str] = set()
    left = NEXT
    for piece in after:
        if not piece.model:
            fresh |= piece.names
            continue
        needed |= (piece.names & known) - fresh
        left -= 1
        if not left:
            break
    return frozenset(needed)
