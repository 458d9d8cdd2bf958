"""Drafts of committed sets: what people and programs change, until it is committed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from vox.context.committed.entry import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextDraft:
    """What is to be committed. Nothing renders it: it says nothing that was checked."""

    window: str
    """The window's id."""
    chain: str
    """The window's chain hash as whoever drafts this saw it: committing is refused if it has
    changed since."""
    model: str | None = None
    """The model that it is meant for."""
    budget: int | None = None
    """Tokens that all of it may cost, frames and stubs included; None: what the model has room
    for."""
    entries: tuple[Entry, ...] = ()
    """In the order in which they are shown."""
    sent: Mapping[str, Any] | None = None
    """What the next projection takes as `previous`, as `Sent.as_values` gives it; None for a set
    that was changed by hand."""

    def of(self, entries: tuple[Entry, ...]) -> ContextDraft:
        """The same with other entries, changed by hand."""
        return replace(self, entries=entries, sent=None)
