"""Compactions: what the model was left with."""

from __future__ import annotations

from vox.sources.base import Form, ItemKind, JsonPath, Role
from vox.sources.codex.items import Found, carried, response_item
from vox.sources.codex.records import Fields, blocks, fields_list
from vox.sources.codex.state import State
from vox.sources.codex.turns import starts_turn
from vox.sources.raws import QUOTE, first_byte

_NO_TEXT = b'""'


def compacted(payload: Fields, state: State) -> tuple[list[Found], list[int]]:
    """The first items of the window after a compaction, and which of them start user turns.

    The summary is mostly one of the messages that replace the history; older files, which keep
    no such messages, have it alone.
    """
    history = fields_list(payload.replacement_history)
    summary = bytes(payload.message) if first_byte(payload.message) == QUOTE else _NO_TEXT
    place = None if summary == _NO_TEXT else _place_of(summary, history)
    found: list[Found] = []
    turns: list[int] = []
    for position, item in enumerate(history):
        parts = response_item(item, ("payload", "replacement_history", position), state)
        if place is not None and place[0] == position:
            parts = [_as_summary(part, place[1]) for part in parts]
        if starts_turn(item, parts):
            turns.append(len(found))
        found += parts
    if summary != _NO_TEXT and place is None:
        path = ("payload", "message")
        found.append(Found(Role.ASSISTANT, ItemKind.SUMMARY, path, Form.STRING, state.model))
    return found or [carried(("payload",))], turns


def _place_of(text: bytes, history: list[Fields]) -> tuple[int, JsonPath] | None:
    """The last message that says `text`: its position, and where in the message."""
    for position in range(len(history) - 1, -1, -1):
        content = history[position].content
        if bytes(content) == text:
            return position, ("content",)
        for number, block in enumerate(blocks(content)):
            if bytes(block.text) == text:
                return position, ("content", number, "text")
    return None


def _as_summary(part: Found, place: JsonPath) -> Found:
    """The part itself, but a summary if it stands at that place of its message."""
    if part.body is not None and part.body[3:] == place:
        return part._replace(kind=ItemKind.SUMMARY)
    return part
