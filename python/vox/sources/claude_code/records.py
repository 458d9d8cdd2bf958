"""The shapes of a transcript line, as far as vox looks into them.

There is no published format. Every field is optional, text stays undecoded
(`Raw`), and what isn't declared here is skipped by the decoder; a line that
doesn't fit is read field by field instead, so that no line is lost to a type
nobody foresaw.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field

from vox.sources.decoding import NotARecordError, any_json, as_raw, read_loosely
from vox.sources.raws import ABSENT


class Message(Struct, gc=False):
    """The API message inside a user or assistant line."""

    id: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    content: Raw = ABSENT
    usage: Raw = ABSENT


class Record(Struct, gc=False, rename="camel"):
    """One line of a transcript."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    parent_uuid: str | UnsetType | None = UNSET
    """None at a root; UNSET where the tool doesn't say."""
    logical_parent_uuid: str | None = None
    session_id: str | None = None
    timestamp: str | int | float | None = None
    cwd: str | None = None
    version: str | None = None
    git_branch: str | None = None
    is_sidechain: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    agent_id: str | None = None
    request_id: str | None = None
    message: Message | None = None
    content: Raw = ABSENT
    attachment: Raw = ABSENT
    cost_usd: float | None = field(default=None, name="costUSD")
    summary: str | None = None
    leaf_uuid: str | None = None
    custom_title: str | None = None
    ai_title: str | None = None
    compact_metadata: Raw = ABSENT
    tool_use_result: Raw = ABSENT
    """What the tool itself made of a result that stands in the message too."""
    worktree_session: Raw = ABSENT
    loglines: Raw = ABSENT
    """The records of a session exported from the web, which is one JSON document."""


class Block(Struct, gc=False):
    """One block of a message's content."""

    type: str | None = None
    id: str | None = None
    name: str | None = None
    tool_use_id: str | None = None
    text: Raw = ABSENT
    thinking: Raw = ABSENT
    data: Raw = ABSENT
    input: Raw = ABSENT
    content: Raw = ABSENT
    source: Raw = ABSENT


class Source(Struct, gc=False):
    """Where an image or a document comes from."""

    type: str | None = None
    media_type: str | None = None
    data: Raw = ABSENT


class ToolFile(Struct, gc=False):
    """A file that a tool read."""

    base64: Raw = ABSENT


class ToolUseResult(Struct, gc=False):
    """A tool's own result, where it is an object."""

    file: ToolFile | None = None


class Attachment(Struct, gc=False):
    """What the tool put beside a prompt."""

    type: str | None = None
    prompt: Raw = ABSENT


_decode_record = msgspec.json.Decoder(Record).decode
_decode_blocks = msgspec.json.Decoder(list[Block]).decode
_decode_raws = msgspec.json.Decoder(list[Raw]).decode


def decode_record(data: bytes | Raw) -> Record:
    """The record in `data`.

    Raises NotARecordError for JSON of another type, for what isn't JSON, and for nesting that
    Python can't follow.
    """
    try:
        return _decode_record(data)
    except RecursionError:
        raise NotARecordError("too_deep") from None
    except msgspec.DecodeError:
        return read_loosely(Record, data)


def decode_blocks(content: Raw) -> list[Block | None]:
    """The blocks of a content list; None for an element that isn't an object."""
    try:
        return _decode_blocks(content)  # type: ignore[return-value]  # a list is invariant
    except msgspec.DecodeError:
        return [_block_or_none(element) for element in raw_elements(content)]


def _block_or_none(element: Raw) -> Block | None:
    try:
        return read_loosely(Block, element)
    except NotARecordError:
        return None


def raw_elements(array: Raw) -> list[Raw]:
    """The elements of a JSON array, undecoded; none if it isn't an array."""
    try:
        return _decode_raws(array)
    except msgspec.DecodeError:
        value = any_json(array)
        return [as_raw(element) for element in value] if isinstance(value, list) else []
