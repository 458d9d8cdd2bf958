"""Where user turns start, which is what a rollback counts."""

from __future__ import annotations

from msgspec import Raw

from vox.sources.base import ItemKind, Role
from vox.sources.codex.items import Found
from vox.sources.codex.records import Fields, blocks
from vox.sources.raws import QUOTE, first_byte

_CONTEXT = (
    b"<environment_context>",
    b"<user_instructions>",
    b"<instructions>",
    b"<skill>",
    b"<turn_aborted>",
    b"<user_shell_command>",
    b"<subagent_notification>",
    b"<permissions instructions>",
    b"# agents.md instructions for",
)
"""What the tool itself puts into the conversation in the user's name."""


def starts_turn(fields: Fields, found: list[Found]) -> bool:
    """Whether a response item is a user's own message, or one from another agent."""
    if found[0].kind is ItemKind.RECORD:
        return False
    if fields.type == "agent_message":
        return True
    is_message = found[0].kind in (ItemKind.MESSAGE, ItemKind.ATTACHMENT)
    if found[0].role is not Role.USER or not is_message:
        return False
    texts = (
        [fields.content]
        if first_byte(fields.content) == QUOTE
        else [block.text for block in blocks(fields.content)]
    )
    return not any(_is_context(value) for value in texts)


def _is_context(value: Raw) -> bool:
    head = bytes(memoryview(value)[1:64]).replace(b"\\u003c", b"<").replace(b"\\n", b" ")
    return head.lstrip().lower().startswith(_CONTEXT)


def cut_before(turns: list[int], number: int) -> int | None:
    """The ordinal at which the last `number` turns start; None if there is nothing to cut."""
    if number <= 0 or not turns:
        return None
    return turns[max(0, len(turns) - number)]
