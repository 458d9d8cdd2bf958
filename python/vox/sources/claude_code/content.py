"""Which items a record holds, and where their bytes stand in it."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import msgspec
from msgspec import Raw

from vox.sources.base import Form, ItemKind, JsonPath, Role
from vox.sources.claude_code.records import (
    Attachment,
    Block,
    Record,
    Source,
    ToolUseResult,
    decode_blocks,
)
from vox.sources.decoding import NotARecordError, read_loosely
from vox.sources.raws import BRACKET, QUOTE, first_byte

Tools: TypeAlias = dict[str, str]
"""Names of the tools that were called and not yet answered, by call id."""

_MOST_OPEN_CALLS = 64

_decode_source = msgspec.json.Decoder(Source).decode
_decode_attachment = msgspec.json.Decoder(Attachment).decode
_decode_result = msgspec.json.Decoder(ToolUseResult).decode


class Part(NamedTuple):
    """One item of a record: a draft without its window."""

    role: Role
    kind: ItemKind
    path: JsonPath
    form: Form = Form.STRING
    name: str | None = None
    side: bool = False
    call_id: str | None = None


class Content(NamedTuple):
    """The content of a message before its items are named."""

    is_text: bool
    blocks: list[Block | None]

    @property
    def answers_tools(self) -> bool:
        """Whether it brings results of tools."""
        return any(block is not None and block.type == "tool_result" for block in self.blocks)


_EMPTY = Content(False, [])
_TEXT = Content(True, [])


def content_of(content: Raw) -> Content:
    """Text, a list of blocks, or nothing: also for an empty string and an empty list."""
    if len(content) <= 2:
        return _EMPTY
    first = first_byte(content)
    if first == QUOTE:
        return _TEXT
    return Content(False, decode_blocks(content)) if first == BRACKET else _EMPTY


def user_parts(record: Record, content: Content, tools: Tools) -> list[Part]:
    """What a user said, or what tools answered."""
    kind = ItemKind.SUMMARY if record.is_compact_summary is True else ItemKind.MESSAGE
    parts = _message_parts(content, ("message", "content"), Role.USER, kind, tools, None)
    if record.tool_use_result and any(part.form is Form.BASE64 for part in parts):
        parts += _image_copies(record.tool_use_result)
    return parts


def assistant_parts(content: Content, tools: Tools, model: str | None) -> list[Part]:
    """What a model said, thought and called."""
    path = ("message", "content")
    return _message_parts(content, path, Role.ASSISTANT, ItemKind.MESSAGE, tools, model)


def system_parts(record: Record) -> list[Part]:
    """A notice of the tool, if it has text."""
    if content_of(record.content).is_text:
        return [Part(Role.SYSTEM, ItemKind.MESSAGE, ("content",))]
    return []


def attachment_parts(record: Record, tools: Tools) -> list[Part]:
    """What the tool put beside the conversation; a queued prompt is what the user said."""
    if not record.attachment:
        return []
    try:
        attachment = _decode_attachment(record.attachment)
    except msgspec.DecodeError:
        try:
            attachment = read_loosely(Attachment, record.attachment)
        except NotARecordError:
            return []
    if attachment.type == "queued_command" and attachment.prompt:
        path = ("attachment", "prompt")
        prompt = content_of(attachment.prompt)
        parts = _message_parts(prompt, path, Role.USER, ItemKind.MESSAGE, tools, None)
        if parts:
            return parts
    return [Part(Role.SYSTEM, ItemKind.ATTACHMENT, ("attachment",), Form.SLICE, attachment.type)]


def _message_parts(
    content: Content, path: JsonPath, role: Role, kind: ItemKind, tools: Tools, model: str | None
) -> list[Part]:
    if content.is_text:
        return [Part(role, kind, path, Form.STRING, model)]
    parts: list[Part] = []
    for position, block in enumerate(content.blocks):
        here = (*path, position)
        if block is None:
            parts.append(Part(role, kind, here, Form.SLICE, model))
            continue
        block_type = block.type
        if block_type == "text" and first_byte(block.text) == QUOTE:
            parts.append(Part(role, kind, (*here, "text"), Form.STRING, model))
        elif block_type == "tool_result":
            parts += _tool_result_parts(block, here, tools)
        elif block_type == "tool_use":
            parts.append(_tool_call_part(block, here, tools))
        elif block_type == "thinking" and first_byte(block.thinking) == QUOTE:
            place = (*here, "thinking")
            parts.append(Part(role, ItemKind.REASONING, place, Form.STRING, model))
        else:
            parts.append(_other_part(block, here, role, kind, tools, model))
    return parts


def _tool_call_part(block: Block, here: JsonPath, tools: Tools) -> Part:
    if block.id is not None and block.name is not None:
        if len(tools) >= _MOST_OPEN_CALLS:
            del tools[next(iter(tools))]
        tools[block.id] = block.name
    place = (*here, "input") if block.input else here
    return Part(Role.ASSISTANT, ItemKind.TOOL_CALL, place, Form.SLICE, block.name, False, block.id)


def _tool_result_parts(block: Block, here: JsonPath, tools: Tools) -> list[Part]:
    call = block.tool_use_id
    name = None if call is None else tools.pop(call, None)
    place = (*here, "content")
    if first_byte(block.content) == QUOTE:
        return [_result_part(place, Form.STRING, name, call)]
    parts: list[Part] = []
    for position, inner in enumerate(content_of(block.content).blocks):
        at = (*place, position)
        if inner is not None and inner.type == "text" and first_byte(inner.text) == QUOTE:
            at = (*at, "text")
            parts.append(_result_part(at, Form.STRING, name, call))
        elif inner is not None and inner.type in _FILES:
            parts.append(_file_part(inner, at, Role.TOOL)._replace(call_id=call))
        else:
            parts.append(_result_part(at, Form.SLICE, name, call))
    return parts or [_result_part(here, Form.SLICE, name, call)]


def _result_part(place: JsonPath, form: Form, name: str | None, call: str | None) -> Part:
    return Part(Role.TOOL, ItemKind.TOOL_RESULT, place, form, name, False, call)


def _image_copies(result: Raw) -> list[Part]:
    """The images of a tool's own result. They repeat those of the message, so they are cut out
    and stored once."""
    place = ("toolUseResult",)
    if first_byte(result) == BRACKET:
        found = enumerate(decode_blocks(result))
        parts = [_file_part(block, (*place, n), Role.TOOL) for n, block in found if block]
        copies = [part for part in parts if part.form is Form.BASE64]
        return [part._replace(kind=ItemKind.RECORD, side=True) for part in copies]
    try:
        own = _decode_result(result)
    except msgspec.DecodeError:
        return []
    if own.file is None or first_byte(own.file.base64) != QUOTE:
        return []
    path = (*place, "file", "base64")
    return [Part(Role.TOOL, ItemKind.RECORD, path, Form.BASE64, side=True)]


_FILES = frozenset(("image", "document"))


def _other_part(
    block: Block, here: JsonPath, role: Role, kind: ItemKind, tools: Tools, model: str | None
) -> Part:
    block_type = block.type or ""
    if block_type in _FILES:
        return _file_part(block, here, role)
    if block_type == "redacted_thinking" and first_byte(block.data) == QUOTE:
        return Part(role, ItemKind.REASONING, (*here, "data"), Form.STRING, model)
    if block_type in ("thinking", "redacted_thinking"):
        return Part(role, ItemKind.REASONING, here, Form.SLICE, model)
    if block_type.endswith("_tool_use"):
        return _tool_call_part(block, here, tools)
    if block_type.endswith("_tool_result"):
        call = block.tool_use_id
        name = None if call is None else tools.pop(call, None)
        form = Form.STRING if first_byte(block.content) == QUOTE else Form.SLICE
        place = (*here, "content") if block.content else here
        return _result_part(place, form, name, call)
    return Part(role, kind, here, Form.SLICE, model)


def _file_part(block: Block, here: JsonPath, role: Role) -> Part:
    try:
        source = _decode_source(block.source)
    except msgspec.DecodeError:
        source = Source()
    if first_byte(source.data) == QUOTE:
        form = Form.BASE64 if source.type == "base64" else Form.STRING
        place = (*here, "source", "data")
        return Part(role, ItemKind.ATTACHMENT, place, form, source.media_type)
    return Part(role, ItemKind.ATTACHMENT, here, Form.SLICE, source.media_type)
