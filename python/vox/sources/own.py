"""vox's own producers: what is written into the archive itself, with tables of its own there."""

from __future__ import annotations

from dataclasses import dataclass

from vox.sources.base import WindowSource


@dataclass(slots=True)
class OwnSource:
    """A producer that no file stands behind."""

    name: str
    title: str
    kinds: frozenset[str]


OWN: tuple[WindowSource, ...] = (
    OwnSource("vox-session", "Agent sessions", frozenset({"chat", "task", "agent", "a2a"})),
    OwnSource("vox-chat", "Chat", frozenset({"chat"})),
    OwnSource("vox-history", "History", frozenset({"chat"})),
)
"""Sessions, conversations, and clips, commands and prompts."""
