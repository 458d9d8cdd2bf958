"""Response items: what they say and where it stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from msgspec import Raw

from vox.sources.base import Form, ItemKind, JsonPath, Role
from vox.sources.codex.records import Fields, blocks, mapping, text
from vox.sources.codex.state import State
from vox.sources.raws import ABSENT, BRACE, BRACKET, QUOTE, first_byte


class Found(NamedTuple):
    """One item of a record, before it is placed in a window."""

    role: Role
    kind: ItemKind
    body: JsonPath | None
    form: Form = Form.STRING
    name: str | None = None
    side: bool = False
    call_id: str | None = None


def _carried(body: JsonPath | None) -> Found:
    return Found(Role.SYSTEM, ItemKind.RECORD, body, Form.SLICE, None, True)


_PAYLOAD = _carried(("payload",))

ROLES = {
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "tool": Role.TOOL,
}

_IMAGE_TYPES = {b'"iVBOR': "image/png", b'"/9j/': "image/jpeg", b'"R0lG': "image/gif",
                b'"UklG': "image/webp"}  # fmt: skip


def carried(base: JsonPath) -> Found:
    """What is no part of the conversation, kept as it stands.

    Of a record with an envelope it is the payload, so that a record that a fork writes out again
    under another time is the same item.
    """
    return _PAYLOAD if base == _PAYLOAD.body else _carried(base or None)


def response_item(fields: Fields, base: JsonPath, state: State) -> list[Found]:
    """The items of a response item that stands at `base` of its record; at least one."""
    kind = fields.type
    if kind is None and first_byte(fields.role) == QUOTE:
        kind = "message"
    read = _READERS.get(kind or "")
    return (read(fields, base, state) if read else None) or [carried(base)]


def media_type_of_data_url(raw: Raw) -> str | None:
    """`image/png` of `"data:image/png;base64,…"`; None if it is no data URL."""
    head = bytes(memoryview(raw)[:128])
    if not head.startswith(b'"data:'):
        return None
    named = head[6:].split(b",", 1)[0].split(b";", 1)[0].replace(b"\\/", b"/")
    return named.decode("ascii", "replace") or "text/plain"


def media_type_of_base64(raw: Raw) -> str:
    """The media type of an image by the start of its base64."""
    head = bytes(memoryview(raw)[:8])
    for start, media_type in _IMAGE_TYPES.items():
        if head.startswith(start):
            return media_type
    return "application/octet-stream"


def _message(fields: Fields, base: JsonPath, state: State) -> list[Found]:
    role = ROLES.get(text(fields.role) or "", Role.SYSTEM)
    name = state.model if role is Role.ASSISTANT else None
    return _contents(fields.content, (*base, "content"), role, ItemKind.MESSAGE, name)


def _agent_message(fields: Fields, base: JsonPath, _state: State) -> list[Found]:
    return _contents(
        fields.content,
        (*base, "content"),
        Role.ASSISTANT,
        ItemKind.MESSAGE,
        text(fields.author),
    )


def _reasoning(fields: Fields, base: JsonPath, state: State) -> list[Found]:
    found = []
    for key, raw in (("summary", fields.summary), ("content", fields.content)):
        path = (*base, key)
        found += _contents(raw, path, Role.ASSISTANT, ItemKind.REASONING, state.model)
    return found


def _function_call(fields: Fields, base: JsonPath, state: State) -> list[Found]:
    return _call(fields, base, state, text(fields.name))


def _local_shell_call(fields: Fields, base: JsonPath, state: State) -> list[Found]:
    return _call(fields, base, state, "local_shell")


def _web_search_call(fields: Fields, base: JsonPath, state: State) -> list[Found]:
    return _call(fields, base, state, "web_search")


def _tool_search_call(fields: Fields, base: JsonPath, state: State) -> list[Found]:
    return _call(fields, base, state, "tool_search")


def _tool_call(fields: Fields, base: JsonPath, state: State) -> list[Found]:
    name = text(mapping(fields.function).get("name", ABSENT)) or text(fields.name)
    return _call(fields, base, state, name)


def _call(fields: Fields, base: JsonPath, state: State, name: str | None) -> list[Found]:
    state.remember_call(text(fields.call_id), name)
    call = _call_id(fields)
    for key in ("arguments", "input", "action", "parameters"):
        form = _form_of(getattr(fields, key))
        if form is not None:
            return [_called((*base, key), form, name, call)]
    return [_called(base or None, Form.SLICE, name, call)]


def _called(body: JsonPath | None, form: Form, name: str | None, call: str | None) -> Found:
    return Found(Role.ASSISTANT, ItemKind.TOOL_CALL, body, form, name, False, call)


def _call_id(fields: Fields) -> str | None:
    """What names a call; where nothing answers it, or an old version wrote it, only its own id."""
    return text(fields.call_id) or text(fields.id)


def _output(fields: Fields, base: JsonPath, state: State) -> list[Found]:
    name = state.tool_of(text(fields.call_id)) or text(fields.name)
    return _of_call(_result(fields.output, base, "output", name), text(fields.call_id))


def _tool_search_output(fields: Fields, base: JsonPath, state: State) -> list[Found]:
    name = state.tool_of(text(fields.call_id)) or "tool_search"
    form = _form_of(fields.tools)
    path = base if form is None else (*base, "tools")
    found = Found(Role.TOOL, ItemKind.TOOL_RESULT, path or None, Form.SLICE, name)
    return _of_call([found], text(fields.call_id))


def _tool_result(fields: Fields, base: JsonPath, _state: State) -> list[Found]:
    found = _result(fields.result, base, "result", text(fields.name))
    return _of_call(found, text(fields.call_id))


def _of_call(found: list[Found], call: str | None) -> list[Found]:
    return found if call is None else [one._replace(call_id=call) for one in found]


def _result(raw: Raw, base: JsonPath, key: str, name: str | None) -> list[Found]:
    path = (*base, key)
    found = _contents(raw, path, Role.TOOL, ItemKind.TOOL_RESULT, name)
    if found:
        return found
    form = _form_of(raw)
    whole = base or None if form is None else path
    return [Found(Role.TOOL, ItemKind.TOOL_RESULT, whole, Form.SLICE, name)]


def _image_generation_call(fields: Fields, base: JsonPath, _state: State) -> list[Found]:
    found = []
    name, call = "image_generation", _call_id(fields)
    if first_byte(fields.revised_prompt) == QUOTE:
        path = (*base, "revised_prompt")
        found.append(_called(path, Form.STRING, name, call))
    if first_byte(fields.result) == QUOTE:
        media_type = media_type_of_base64(fields.result)
        path = (*base, "result")
        found.append(Found(Role.TOOL, ItemKind.ATTACHMENT, path, Form.BASE64, media_type))
    return _of_call(found, call) or [_called(base or None, Form.SLICE, name, call)]


def _compaction(_fields: Fields, base: JsonPath, state: State) -> list[Found]:
    return [Found(Role.ASSISTANT, ItemKind.SUMMARY, base or None, Form.SLICE, state.model)]


def _contents(
    raw: Raw, path: JsonPath, role: Role, kind: ItemKind, name: str | None
) -> list[Found]:
    """The items of a content value: a string, a list of blocks, or an object with a text."""
    first = first_byte(raw)
    if first == QUOTE:
        return [Found(role, kind, path, Form.STRING, name)]
    if first == BRACE:
        members = mapping(raw)
        for key in ("text", "content"):
            value = members.get(key)
            if value is not None and first_byte(value) in (QUOTE, BRACKET):
                return _contents(value, (*path, key), role, kind, name)
        return []
    found = []
    for position, block in enumerate(blocks(raw)):
        if first_byte(block.text) == QUOTE:
            found.append(Found(role, kind, (*path, position, "text"), Form.STRING, name))
        for key, value in (("image_url", block.image_url), ("file_data", block.file_data)):
            at: JsonPath = (*path, position, key)
            if first_byte(value) == BRACE:
                at, value = (*at, "url"), mapping(value).get("url", ABSENT)
            if first_byte(value) == QUOTE:
                found.append(attachment(role, at, value))
    return found


def attachment(role: Role, path: JsonPath, value: Raw, side: bool = False) -> Found:
    """An image or file by its URL; a data URL becomes its bytes."""
    media_type = media_type_of_data_url(value)
    form = Form.STRING if media_type is None else Form.DATA_URL
    return Found(role, ItemKind.ATTACHMENT, path, form, media_type, side)


def _form_of(raw: Raw) -> Form | None:
    first = first_byte(raw)
    if first == QUOTE:
        return Form.STRING
    return Form.SLICE if first in (BRACE, BRACKET) else None


_READERS: dict[str, Callable[[Fields, JsonPath, State], list[Found]]] = {
    "message": _message,
    "agent_message": _agent_message,
    "inter_agent_communication": _agent_message,
    "reasoning": _reasoning,
    "function_call": _function_call,
    "custom_tool_call": _function_call,
    "local_shell_call": _local_shell_call,
    "web_search_call": _web_search_call,
    "tool_search_call": _tool_search_call,
    "tool_call": _tool_call,
    "function_call_output": _output,
    "custom_tool_call_output": _output,
    "tool_search_output": _tool_search_output,
    "tool_result": _tool_result,
    "image_generation_call": _image_generation_call,
    "compaction": _compaction,
    "compaction_summary": _compaction,
    "context_compaction": _compaction,
}

BARE_ITEMS = frozenset(_READERS) - {"inter_agent_communication"}
"""Types that the oldest generation wrote without an envelope."""
