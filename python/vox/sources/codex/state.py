"""What the reader of a rollout remembers between batches."""

from __future__ import annotations

import msgspec

MAX_OPEN_CALLS = 512
MAX_ECHOES = 16


class Facts(msgspec.Struct, array_like=True, omit_defaults=True):
    """What every window of one rollout has in common."""

    kind: str | None = None
    title: str | None = None
    repo: str | None = None
    workspace: str | None = None
    agent: str | None = None
    git_sha: str | None = None
    git_branch: str | None = None
    recorded: bool = False
    """The session's instructions are recorded, so the window shows what the model saw."""
    parent: str | None = None
    link: str | None = None


class State(msgspec.Struct, array_like=True):
    """Grows with the turns of the current window and the tool calls without an answer, no more."""

    session: str = ""
    window: str = ""
    """Key of the window that the next items belong to."""
    count: int = 0
    """How many items that window has, its shared beginning counted."""
    turns: list[int] = []
    """Ordinals in that window at which user turns start."""
    compactions: int = 0
    rollbacks: int = 0
    facts: Facts = msgspec.field(default_factory=Facts)
    has_meta: bool = False
    origin: str = ""
    """The session that the records were first written for: another one while a fork repeats it."""
    turn: str | None = None
    model: str | None = None
    calls: dict[str, str] = {}
    """Tool names of calls without an output yet, by call id."""
    has_messages: bool = False
    """Messages stand in this file as response items, so events only repeat them."""
    has_reasoning: bool = False
    echoes: list[int] = []
    """Checksums of texts that were taken from events before the first response item."""
    totals: tuple[int, ...] = ()
    """The session's token totals as last reported."""
    usage_recorded: bool = False
    """A usage record came since the last token count, which will repeat it."""
    responses: int = 0
    """Responses of the origin so far that have no totals to tell them apart."""

    def remember_call(self, call_id: str | None, tool: str | None) -> None:
        """Keeps a call's tool name until its output comes."""
        if call_id and tool:
            if len(self.calls) >= MAX_OPEN_CALLS:
                del self.calls[next(iter(self.calls))]
            self.calls[call_id] = tool

    def tool_of(self, call_id: str | None) -> str | None:
        """The tool that an output answers."""
        return self.calls.pop(call_id, None) if call_id else None
