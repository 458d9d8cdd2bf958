"""The document of a committed set: canonical JSON, so that equal sets are equal bytes."""

from __future__ import annotations

import json
from typing import Annotated, Any

import msgspec

from vox.context.committed.draft import ContextDraft
from vox.context.committed.entry import Entry, LeftOut
from vox.context.projection.fate import Fate
from vox.errors import InvalidArgumentError

SCHEMA = "vox.context.v1"

_Natural = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
_ItemNumber = Annotated[int, msgspec.Meta(ge=0)]


class EntryRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry as it is written."""

    item: _ItemNumber
    hash: str | None = None
    ordinal: _Natural | None = None
    fate: str = "included"
    form: str | None = None
    pair: _Natural | None = None
    window: str | None = None
    pinned: bool = False


class LeftOutRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A run of dropped items as it is written."""

    before: _Natural
    first: _Natural
    last: _Natural
    items: _Natural
    tokens: _Natural
    text: str


class Document(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a document says. Whoever writes one may leave out what committing finds by itself."""

    schema: str
    window: str
    chain: str
    model: str | None = None
    budget: _Natural | None = None
    entries: list[EntryRow]
    left_out: list[LeftOutRow] = []
    sent: dict[str, Any] | None = None


_decode = msgspec.json.Decoder(Document).decode


def canonical(value: Any) -> bytes:
    """JSON without spaces, keys in order, as UTF-8. Raises `InvalidArgumentError` for text that
    has no UTF-8."""
    try:
        text = json.dumps(
            value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
        )
        return text.encode()
    except (UnicodeEncodeError, ValueError) as error:
        raise InvalidArgumentError(f"a committed set can't hold this text: {error}") from error


def read_document(data: bytes | str) -> Document:
    """What a document says, its form checked. Raises `InvalidArgumentError`."""
    try:
        document = _decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InvalidArgumentError(f"this is no document of a committed set: {error}") from error
    if document.schema != SCHEMA:
        raise InvalidArgumentError(
            f"the document is of schema {document.schema[:80]!r}; this version reads {SCHEMA!r}"
        )
    return document


def write_document(draft: ContextDraft, left_out: tuple[LeftOut, ...]) -> bytes:
    """The document of a draft whose stubs are known."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "window": draft.window,
        "chain": draft.chain,
        "model": draft.model,
        "budget": draft.budget,
        "entries": [_entry(entry) for entry in draft.entries],
        "left_out": [
            {name: getattr(run, name) for name in LeftOutRow.__struct_fields__} for run in left_out
        ],
    }
    if draft.sent is not None:
        document["sent"] = dict(draft.sent)
    return canonical(document)


def _entry(entry: Entry) -> dict[str, Any]:
    row: dict[str, Any] = {
        "item": entry.item,
        "hash": entry.content,
        "ordinal": entry.ordinal,
        "fate": str(entry.fate),
    }
    for name in ("form", "pair", "window"):
        if getattr(entry, name) is not None:
            row[name] = getattr(entry, name)
    if entry.pinned:
        row["pinned"] = True
    return row


def entry_of(row: EntryRow, content: str, ordinal: int) -> Entry:
    """The entry that a row stands for."""
    return Entry(
        item=row.item,
        ordinal=ordinal,
        content=content,
        fate=Fate.named(row.fate),
        form=row.form,
        pair=row.pair,
        window=row.window,
        pinned=row.pinned,
    )
