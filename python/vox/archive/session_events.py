"""What can happen in a session of an agent: one struct for each kind of event.

`contracts/archive-format.md` says what each means for the session's window.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from vox.archive.content import AnyContent

Role: TypeAlias = Literal["user", "assistant", "system", "tool"]
ItemKind: TypeAlias = Literal["message", "tool_call", "tool_result", "reasoning", "attachment"]


class Usage(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """What a provider reported for one response, in tokens."""

    key: str | None = None
    """Names the response in the whole archive; None: session and sequence do."""
    model: str | None = None
    input: int = 0
    """Uncached input."""
    output: int = 0
    """Reasoning included."""
    reasoning: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0
    cost_nano_usd: int | None = None
    """The recorded price in 10⁻⁹ US dollars."""


class TurnItem(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """One item of a turn."""

    content: AnyContent
    """Its bytes: of a call the arguments, as JSON."""
    kind: ItemKind = "message"
    name: str | None = None
    """The tool of a call or result, the model of an answer, the media type of an attachment."""
    call_id: str | None = None
    """What joins a call and its result."""
    at: int | None = None
    """UTC milliseconds; None: the time of the event."""
    token_estimate: int | None = None
    redacted: bool = False
    """A secret was taken out of it."""


class Dropped(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """An item that a summary stands for: by its hash, or with its bytes."""

    content: AnyContent
    role: Role = "user"
    """Who spoke, if no turn says so."""
    kind: ItemKind = "message"
    """What it is, if no turn says so."""


class _Event(
    msgspec.Struct,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag_field="event",
):
    session: str
    """What the orchestrator calls the session."""
    at: int | None = None
    """UTC milliseconds; None: now."""
    sequence: int | None = None
    """Its number in the session, from 0; None: the next. An event that the session has already
    under its number changes nothing; another one there, or a gap, is a `ConflictError`."""


class Created(_Event, tag="created", kw_only=True):
    """The session begins; the first event of each."""

    kind: Literal["chat", "task", "agent", "a2a"] = "agent"
    parent: str | None = None
    """The session that started it, which may come later."""
    title: str | None = None
    agent: str | None = None
    model_route: str | None = None
    repo: str | None = None
    workspace: str | None = None
    git_branch: str | None = None
    git_sha_at_open: str | None = None
    thread_id: str | None = None
    trace_id: str | None = None


class TurnAdded(_Event, tag="turn_added", kw_only=True):
    """Somebody spoke, called tools, or got results."""

    role: Role
    items: list[TurnItem]
    usage: Usage | None = None


class StateChanged(_Event, tag="state_changed", kw_only=True):
    """Its stage of life: an active session is hot, an idle one warm, a closed one cold."""

    state: Literal["active", "idle", "closed"]
    git_sha_at_close: str | None = None


class MetaUpdated(_Event, tag="meta_updated", kw_only=True):
    """Something became known of it. Fields that are None change nothing; tags are added."""

    title: str | None = None
    agent: str | None = None
    model_route: str | None = None
    repo: str | None = None
    workspace: str | None = None
    git_branch: str | None = None
    thread_id: str | None = None
    trace_id: str | None = None
    tags: list[str] = []


class Reset(_Event, tag="reset", kw_only=True):
    """The model starts afresh: all items so far leave the committed set, and stay readable."""

    reason: str | None = None


class Compacted(_Event, tag="compacted", kw_only=True):
    """A summary took the place of items, which leave the committed set and stay readable."""

    dropped: list[Dropped]
    """Each names the oldest item with its content that wasn't dropped; one that no turn had
    becomes an item of its own. A hash that the archive doesn't have is a `NotFoundError`."""
    summary: AnyContent
    rationale: AnyContent | None = None
    """Why these were dropped and what was kept."""
    usage: Usage | None = None


class ExpensiveOpRecorded(_Event, tag="expensive_op_recorded", kw_only=True):
    """Something was paid for outside a turn."""

    op: str
    """What was done, such as `embed`."""
    usage: Usage
    duration_ms: int | None = None


class PluginStateUpdated(_Event, tag="plugin_state_updated", kw_only=True):
    """A plugin keeps its state."""

    plugin: str
    content: AnyContent
    """The state, as JSON."""


SessionEvent: TypeAlias = (
    Created
    | TurnAdded
    | StateChanged
    | MetaUpdated
    | Reset
    | Compacted
    | ExpensiveOpRecorded
    | PluginStateUpdated
)
"""Any of them. In JSON the field `event` says which: `{"event": "reset", "session": "s"}`."""
