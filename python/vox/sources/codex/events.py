"""Events: mostly an echo of response items, in some files the conversation itself."""

from __future__ import annotations

import zlib

from msgspec import Raw

from vox.sources.base import Form, ItemKind, JsonPath, Role
from vox.sources.codex.items import (
    Found,
    attachment,
    carried,
    media_type_of_base64,
)
from vox.sources.codex.records import Fields, ThreadItem, blocks, raws, text
from vox.sources.codex.state import MAX_ECHOES, State
from vox.sources.codex.turns import starts_turn
from vox.sources.raws import QUOTE, first_byte

BASE: JsonPath = ("payload",)
_THREAD_ROLES = {"UserMessage": Role.USER, "AgentMessage": Role.ASSISTANT}


def event(fields: Fields, state: State) -> list[Found]:
    """The items of an event's payload; at least one."""
    kind = fields.type
    if kind == "user_message":
        return _said(fields, state, "message", Role.USER, ItemKind.MESSAGE)
    if kind == "agent_message":
        return _said(fields, state, "message", Role.ASSISTANT, ItemKind.MESSAGE)
    if kind in ("agent_reasoning", "agent_reasoning_raw_content"):
        return _said(fields, state, "text", Role.ASSISTANT, ItemKind.REASONING)
    if kind == "task_complete" and first_byte(fields.last_agent_message) == QUOTE:
        return [_echo(Role.ASSISTANT, (*BASE, "last_agent_message"))]
    if kind == "item_completed":
        return _item_completed(fields.item)
    if kind == "image_generation_end" and first_byte(fields.result) == QUOTE:
        name = media_type_of_base64(fields.result)
        path = (*BASE, "result")
        return [Found(Role.TOOL, ItemKind.ATTACHMENT, path, Form.BASE64, name, True)]
    return [carried(BASE)]


def repeats_event(fields: Fields, found: list[Found], state: State) -> bool:
    """Whether a message was already taken from an event that came before it. Once the
    conversation goes on, equal words are said again."""
    if not state.echoes:
        return False
    texts = (
        [fields.content]
        if first_byte(fields.content) == QUOTE
        else [block.text for block in blocks(fields.content)]
    )
    for value in texts:
        checksum = _checksum(value)
        if checksum in state.echoes:
            state.echoes.remove(checksum)
            return True
    if starts_turn(fields, found) or found[0].role is Role.ASSISTANT:
        state.echoes = []
    return False


def _said(fields: Fields, state: State, key: str, role: Role, kind: ItemKind) -> list[Found]:
    value: Raw = getattr(fields, key)
    if first_byte(value) != QUOTE:
        return [carried(BASE)]
    repeated = state.has_messages or (kind is ItemKind.REASONING and state.has_reasoning)
    if repeated:
        found = [_echo(role, (*BASE, key))]
    else:
        state.echoes = [*state.echoes, _checksum(value)][-MAX_ECHOES:]
        name = state.model if role is Role.ASSISTANT else None
        found = [Found(role, kind, (*BASE, key), Form.STRING, name)]
    for position, image in enumerate(raws(fields.images)):
        if first_byte(image) == QUOTE:
            path = (*BASE, "images", position)
            found.append(attachment(role, path, image, side=repeated))
    return found


def _item_completed(item: ThreadItem | None) -> list[Found]:
    """A thread item: its text repeats a response item, so it is stored once."""
    if item is not None:
        role = _THREAD_ROLES.get(text(item.type) or "")
        content = blocks(item.content) if role is not None else []
        if role is not None and len(content) == 1 and first_byte(content[0].text) == QUOTE:
            return [_echo(role, (*BASE, "item", "content", 0, "text"))]
    return [carried(BASE)]


def _echo(role: Role, path: JsonPath) -> Found:
    return Found(role, ItemKind.RECORD, path, Form.STRING, None, True)


def _checksum(value: Raw) -> int:
    return zlib.crc32(memoryview(value))
