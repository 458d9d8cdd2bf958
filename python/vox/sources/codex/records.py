"""The fields of a record that say what it means. Item text is never decoded."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec
from msgspec import Raw

from vox.sources.decoding import (
    NotARecordError,
    S,
    any_json,
    as_raw,
    from_object,
    read_loosely,
    scalar_values,
)
from vox.sources.raws import ABSENT, BRACE, BRACKET, QUOTE, first_byte
from vox.sources.times import utc_milliseconds


class ThreadItem(msgspec.Struct, gc=False):
    """What an `item_completed` event says was completed."""

    type: Raw = ABSENT
    content: Raw = ABSENT


class Fields(msgspec.Struct, gc=False):
    """A record, or its payload: the fields of any kind of record that matter here, the rest is
    passed over. All but three are unread JSON; a record with other types in these is read
    loosely, never dropped."""

    type: str | None = None
    payload: Fields | None = None
    item: ThreadItem | None = None
    timestamp: Raw = ABSENT
    # messages and reasoning
    role: Raw = ABSENT
    content: Raw = ABSENT
    summary: Raw = ABSENT
    author: Raw = ABSENT
    trigger_turn: Raw = ABSENT
    # tools
    name: Raw = ABSENT
    call_id: Raw = ABSENT
    arguments: Raw = ABSENT
    parameters: Raw = ABSENT
    input: Raw = ABSENT
    output: Raw = ABSENT
    action: Raw = ABSENT
    tools: Raw = ABSENT
    function: Raw = ABSENT
    result: Raw = ABSENT
    revised_prompt: Raw = ABSENT
    # events
    message: Raw = ABSENT
    text: Raw = ABSENT
    images: Raw = ABSENT
    last_agent_message: Raw = ABSENT
    thread_name: Raw = ABSENT
    num_turns: Raw = ABSENT
    # usage
    info: Raw = ABSENT
    usage: Raw = ABSENT
    thread_token_usage: Raw = ABSENT
    input_tokens: Raw = ABSENT
    cached_input_tokens: Raw = ABSENT
    output_tokens: Raw = ABSENT
    # session and turn
    id: Raw = ABSENT
    session_id: Raw = ABSENT
    thread_id: Raw = ABSENT
    turn_id: Raw = ABSENT
    forked_from_id: Raw = ABSENT
    parent_thread_id: Raw = ABSENT
    source: Raw = ABSENT
    thread_source: Raw = ABSENT
    agent_nickname: Raw = ABSENT
    agent_role: Raw = ABSENT
    cwd: Raw = ABSENT
    git: Raw = ABSENT
    model: Raw = ABSENT
    base_instructions: Raw = ABSENT
    instructions: Raw = ABSENT
    record_type: Raw = ABSENT
    # compaction
    replacement_history: Raw = ABSENT


class Block(msgspec.Struct, gc=False):
    """One block of a message, a tool's output or a reasoning summary."""

    text: Raw = ABSENT
    image_url: Raw = ABSENT
    file_data: Raw = ABSENT


Mapping: TypeAlias = dict[str, Raw]

_FIELDS = msgspec.json.Decoder(Fields)
_FIELD_LIST = msgspec.json.Decoder(list[Fields])
_BLOCKS = msgspec.json.Decoder(list[Block])
_RAWS = msgspec.json.Decoder(list[Raw])
_MAPPING = msgspec.json.Decoder(Mapping)
_TEXT = msgspec.json.Decoder(str)
_INTEGER = msgspec.json.Decoder(int)


def read_record(record: bytes) -> Fields:
    """The fields of one framed record.

    Raises `NotARecordError` if it isn't a JSON object that Python can follow.
    """
    try:
        return _FIELDS.decode(record)
    except RecursionError:
        raise NotARecordError("too_deep") from None
    except msgspec.DecodeError:
        return read_loosely(Fields, record)


def text(raw: Raw) -> str | None:
    """The value of a short string; None if it is absent or no string."""
    if first_byte(raw) != QUOTE:
        return None
    try:
        return _TEXT.decode(raw)
    except msgspec.DecodeError:
        found = _read_inner(raw)
        return scalar_values(found) if isinstance(found, str) else None


def integer(raw: Raw) -> int | None:
    """The value of an integer; None if it is absent or no integer."""
    try:
        return _INTEGER.decode(raw)
    except msgspec.DecodeError:
        return None


def milliseconds(raw: Raw) -> int | None:
    """The UTC milliseconds of an ISO time, or of a whole number of seconds or milliseconds; None
    for anything else."""
    written = text(raw)
    return utc_milliseconds(integer(raw) if written is None else written)


def mapping(raw: Raw) -> Mapping:
    """The members of an object, unread; nothing if it is absent or no object."""
    if first_byte(raw) != BRACE:
        return {}
    try:
        return _MAPPING.decode(raw)
    except msgspec.DecodeError:
        found = _read_inner(raw)
        members = found if isinstance(found, dict) else {}
        return {key: as_raw(value) for key, value in members.items()}


def blocks(raw: Raw) -> list[Block]:
    """The blocks of a list, each at its position; nothing if it is absent or no list."""
    if first_byte(raw) != BRACKET:
        return []
    try:
        return _BLOCKS.decode(raw)
    except msgspec.DecodeError:
        return [_shaped(Block, value) for value in _read_list(raw)]


def fields_list(raw: Raw) -> list[Fields]:
    """The records of a list, each at its position; nothing if it is absent or no list."""
    if first_byte(raw) != BRACKET:
        return []
    try:
        return _FIELD_LIST.decode(raw)
    except msgspec.DecodeError:
        return [_shaped(Fields, value) for value in _read_list(raw)]


def raws(raw: Raw) -> list[Raw]:
    """The values of a list, unread; nothing if it is absent or no list."""
    if first_byte(raw) != BRACKET:
        return []
    try:
        return _RAWS.decode(raw)
    except msgspec.DecodeError:
        return [as_raw(value) for value in _read_list(raw)]


def _read_inner(raw: Raw) -> Any:
    """A value within a record that is taken in any case."""
    try:
        return any_json(raw)
    except NotARecordError:
        return None


def _read_list(raw: Raw) -> list[Any]:
    found = _read_inner(raw)
    return found if isinstance(found, list) else []


def _shaped(shape: type[S], value: Any) -> S:
    return from_object(shape, value if isinstance(value, dict) else {})
