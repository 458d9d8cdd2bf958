"""What a provider reported for a response."""

from __future__ import annotations

from typing import TypeAlias

import msgspec
from msgspec import Raw, Struct

from vox.sources.base import UsageDraft
from vox.sources.claude_code.lineage import Track
from vox.sources.claude_code.records import Record
from vox.sources.counts import tokens_of
from vox.sources.decoding import NotARecordError, read_loosely

Number: TypeAlias = int | float | None


class CacheCreation(Struct, gc=False):
    """Tokens written to the cache, by how long they are kept."""

    ephemeral_5m_input_tokens: Number = None
    ephemeral_1h_input_tokens: Number = None


class Usage(Struct, gc=False):
    """The usage object of the API."""

    input_tokens: Number = None
    """Uncached input."""
    output_tokens: Number = None
    cache_read_input_tokens: Number = None
    cache_creation_input_tokens: Number = None
    """Sum of what was written to the cache."""
    cache_creation: CacheCreation | None = None


_decode = msgspec.json.Decoder(Usage).decode


def usage_of(record: Record, track: Track, session: str, at: int | None) -> UsageDraft | None:
    """The usage that an assistant's record reports; None where no model answered."""
    message = record.message
    if message is None or record.is_api_error_message or message.model == "<synthetic>":
        return None
    usage, cost = _usage(message.usage), _nano(record.cost_usd)
    if usage is None and cost is None:
        return None
    usage = usage or Usage()
    written, written_1h = tokens_of(usage.cache_creation_input_tokens), 0
    if usage.cache_creation is not None:
        written_1h = tokens_of(usage.cache_creation.ephemeral_1h_input_tokens)
        written_5m = tokens_of(usage.cache_creation.ephemeral_5m_input_tokens)
        written = max(written - written_1h, written_5m)
    return UsageDraft(
        window=track.key,
        key=_response_key(record, track, session),
        model=message.model,
        at=at,
        input=tokens_of(usage.input_tokens),
        output=tokens_of(usage.output_tokens),
        cache_read=tokens_of(usage.cache_read_input_tokens),
        cache_write=written,
        cache_write_1h=written_1h,
        cost_nano_usd=cost,
    )


def _usage(raw: Raw) -> Usage | None:
    if not raw:
        return None
    try:
        return _decode(raw)
    except msgspec.DecodeError:
        pass
    try:
        return read_loosely(Usage, raw)
    except NotARecordError:
        return None


def _response_key(record: Record, track: Track, session: str) -> str:
    """Name of the response in the whole archive.

    Gateways may repeat a message id; without a request id the response is named after its
    first record too, whose uuid a fork of the session keeps.
    """
    message_id = None if record.message is None else record.message.id
    if message_id and record.request_id:
        return f"anthropic:{message_id}:{record.request_id}"
    if message_id and track.run_start:
        return f"claude-code:{message_id}:{track.run_start}"
    if record.uuid:
        return f"claude-code:{record.uuid}"
    return f"claude-code:{session}:{message_id or track.items}"


def larger(one: UsageDraft, other: UsageDraft) -> UsageDraft:
    """The larger of two reports on one response, the first if they are equal; with the cost of
    the other where only that one has it."""
    kept, left = (
        (other, one) if (other.output, other.input) > (one.output, one.input) else (one, other)
    )
    if kept.cost_nano_usd is not None or left.cost_nano_usd is None:
        return kept
    return msgspec.structs.replace(kept, cost_nano_usd=left.cost_nano_usd)


def _nano(usd: float | None) -> int | None:
    if usd is None or not 0 <= usd < 1e9:
        return None
    return round(usd * 1e9)
