"""Items that a program writes into the archive itself."""

from __future__ import annotations

import msgspec

from vox.sources.base import ItemKind, Role


class NewItem(msgspec.Struct, frozen=True, kw_only=True):
    """One item with its bytes."""

    role: Role
    kind: ItemKind
    content: bytes | str
    """A `str` is stored as its UTF-8."""
    created_at: int | None = None
    """UTC milliseconds; None: now."""
    name: str | None = None
    """The tool of a call or result, the model of an answer."""
    call_id: str | None = None
    """What joins a call and its result."""
    call: int = 0
    """Where there is no `call_id`: its number, as the column `call` gives it."""
    side: bool = False
    """Stands beside the conversation: no later item follows from it."""
    redacted: bool = False
    """It is another item with its secrets masked."""
    token_estimate: int | None = None
    """Tokens, if they are known; else a quick guess from the length."""
