"""Envelopes: what one agent hands another beside its message. Ids and hashes, no contents."""

from __future__ import annotations

import json
from typing import Annotated

import msgspec

from vox.errors import InvalidArgumentError

SCHEMA = "vox.handoff.v1"

_Hash = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
_Count = Annotated[int, msgspec.Meta(ge=0)]


class SeedItem(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An item of the seed."""

    item: _Count
    hash: _Hash
    """Of its content, as it was at hand-off."""
    window: str
    """The window that it is from."""
    fate: str
    """`included` or `on_demand`."""


class Grant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may be pulled: items of windows of this root, and no others."""

    root_window_id: str


class Pulls(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How often and how much may be pulled; `vox.context.handoff.PullBudget`."""

    per_turn: _Count
    tokens: _Count


class Envelope(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a sub-agent starts from. Who receives it finds the contents in the archive that both
    share."""

    schema: str = SCHEMA
    child_window_id: str
    parent_window_id: str
    parent_chain: _Hash
    """The parent's chain hash at hand-off."""
    model: str
    """The sub-agent's."""
    brief: _Hash
    """The hash of the task, which is the first item of the child."""
    seed: tuple[SeedItem, ...]
    seed_tokens: _Count
    seed_budget: _Count
    left_out: tuple[SeedItem, ...] = ()
    """What there was no room for; it may be pulled."""
    grant: Grant
    pulls: Pulls

    def to_json(self) -> bytes:
        """The section `context` of a message, canonical: equal envelopes are equal bytes."""
        section = {"context": msgspec.to_builtins(self)}
        text = json.dumps(section, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return text.encode()

    @classmethod
    def of_json(cls, data: bytes | str) -> Envelope:
        """The envelope in a message; its other sections aren't looked at. Raises
        `InvalidArgumentError`."""
        try:
            envelope = msgspec.json.decode(data, type=_Message).context
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise InvalidArgumentError(f"this message holds no envelope: {error}") from error
        if envelope.schema != SCHEMA:
            raise InvalidArgumentError(
                f"the envelope is of schema {envelope.schema[:80]!r}; this version reads {SCHEMA!r}"
            )
        return envelope


class _Message(msgspec.Struct, frozen=True):
    context: Envelope
