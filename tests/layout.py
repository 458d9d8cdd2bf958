"""The archive's bytes, decoded by the text of `contracts/archive-format.md` alone.

Nothing here knows vox. The golden vectors prove it, and the oracle that reads whole archives
(`tests/archive/plain_reader.py`) relies on it.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from typing import Any

ROLES = ["user", "assistant", "system", "tool"]
KINDS = [
    "message",
    "pin",
    "attachment",
    "summary",
    "tool_call",
    "tool_result",
    "reasoning",
    "record",
]
FIDELITIES = ["recorded", "inferred", "unknown"]
TEXT, ASCII, SLICE, BASE64, DATA_URL, VERBATIM, HOLE = range(7)
"""How the item of a cut stood in its record."""


class Fields:
    """Reads numbers and bytes from the front of a value."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, length: int) -> bytes:
        piece = self.data[self.at : self.at + length]
        assert len(piece) == length
        self.at += length
        return piece

    def number(self, length: int, *, signed: bool = False) -> int:
        return int.from_bytes(self.take(length), "little", signed=signed)

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.number(1)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def packed(self, count: int) -> list[int]:
        base, width = self.number(8), self.number(1)
        bits = self.number((count * width + 7) // 8)
        mask = (1 << width) - 1
        return [(base + (bits >> (i * width) & mask)) % 2**64 for i in range(count)]

    def header(self, layout: int = 1) -> int:
        """How many entries follow."""
        assert self.number(1) == layout, "the layout"
        self.take(1)
        return self.number(2)


def signed(value: int) -> int:
    return value - 2**64 if value >> 63 else value


def lz4_block(packed: bytes) -> bytes:
    """One LZ4 block, unpacked."""
    source, out = Fields(packed), bytearray()

    def length(nibble: int) -> int:
        total = nibble
        more = nibble == 15
        while more:
            byte = source.number(1)
            total += byte
            more = byte == 255
        return total

    while source.at < len(packed):
        token = source.number(1)
        out += source.take(length(token >> 4))
        if source.at == len(packed):
            break
        distance = source.number(2)
        assert 0 < distance <= len(out)
        for _ in range(length(token & 15) + 4):
            out.append(out[-distance])
    return bytes(out)


def previews(source: Fields, count: int) -> list[str]:
    sizes = [min(32, count - first) for first in range(0, count, 32)]
    ends = [source.number(4) for _ in sizes]
    start = source.at
    found = []
    for size, end in zip(sizes, ends, strict=True):
        raw_length = source.number(2)
        raw = Fields(lz4_block(source.take(start + end - source.at)))
        assert len(raw.data) == raw_length
        found += [raw.take(length).decode("utf-8") for length in raw.take(size)]
        assert raw.at == raw_length
    return found


def rest_of(number: int) -> dict[str, int] | None:
    """Where what is left of an item's record stands."""
    if number == 0:
        return None
    return {"extra" if number - 1 & 1 else "record": number - 1 >> 1}


def chunk(data: bytes) -> tuple[bytes, list[dict[str, Any]]]:
    """The chain hash before a chunk, and its items."""
    source = Fields(data)
    layout = data[0]
    count = source.header(layout)
    assert layout in (2, 3)
    chain = source.take(32)
    content, rest, created_at, byte_len, attributes, name, tokens = (
        source.packed(count) for _ in range(7)
    )
    call = source.packed(count) if layout == 3 else [0] * count
    shown = previews(source, count)
    assert source.at == len(data)
    items = [
        {
            "content": content[i],
            "rest": rest_of(rest[i]),
            "created_at": signed(created_at[i]),
            "byte_len": byte_len[i],
            "role": ROLES[attributes[i] & 3],
            "kind": KINDS[attributes[i] >> 2 & 15],
            "fidelity": FIDELITIES[attributes[i] >> 6 & 3],
            "redacted": bool(attributes[i] >> 8 & 1),
            "side": bool(attributes[i] >> 9 & 1),
            "purged": bool(attributes[i] >> 10 & 1),
            "name": name[i],
            "token_estimate": tokens[i],
            "call": call[i],
            "preview": shown[i],
        }
        for i in range(count)
    ]
    return chain, items


def chained(parent: bytes, role: str, kind: str, content: bytes) -> bytes:
    """What the chain hash of an item is the hash of; `content` is a hash."""
    return parent + bytes([ROLES.index(role), KINDS.index(kind)]) + content


def cuts(extra: bytes) -> tuple[list[tuple[int, int, int]], bytes]:
    """The cuts of a record as (gap, item, form), and what is left of the record."""
    source = Fields(extra)
    found = [(source.varint(), source.varint(), source.number(1)) for _ in range(source.varint())]
    return found, extra[source.at :]


ESCAPED = re.compile(rb'[\x00-\x1f"\\]|\xed[\xa0-\xbf][\x80-\xbf]')
SHORT = {8: b"\\b", 9: b"\\t", 10: b"\\n", 12: b"\\f", 13: b"\\r", 34: b'\\"', 92: b"\\\\"}


def escape(found: re.Match[bytes]) -> bytes:
    """A character as `JSON.stringify` writes it; three bytes are half a surrogate pair."""
    code = ord(found[0].decode("utf-8", "surrogatepass"))
    return SHORT.get(code) or b"\\u%04x" % code


def as_it_stood(item: bytes, form: int) -> bytes:
    """The source bytes that an item was cut out as."""
    if form == TEXT:
        return ESCAPED.sub(escape, item)
    if form == ASCII:
        return json.dumps(item.decode("utf-8", "surrogatepass"))[1:-1].encode("ascii")
    if form == SLICE:
        return item[1:-1]
    if form in (BASE64, DATA_URL):
        return base64.b64encode(item)
    assert form == VERBATIM
    return item


def put_together(places: list[tuple[int, int, int]], rest: bytes, items: list[bytes]) -> bytes:
    """A record out of its cuts, its rest and its items."""
    record, at = bytearray(), 0
    for gap, item, form in places:
        record += rest[at : at + gap] + as_it_stood(items[item], form)
        at += gap
    return bytes(record + rest[at:])


def raw_run(data: bytes) -> dict[str, Any]:
    """A raw run: what stands before its body, and the body."""
    source = Fields(data)
    codec = data[1]
    count = source.header()
    base = source.number(8)
    digest = source.take(32)
    source_len, rest_len, cut_count = (source.number(4) for _ in range(3))
    starts, lengths = source.packed(count), source.packed(count)
    blobs, gaps, cut_lengths, forms = (source.packed(cut_count) for _ in range(4))
    return {
        "codec": codec,
        "base": base - 1 if base else None,
        "hash": digest,
        "source_len": source_len,
        "rest_len": rest_len,
        "records": list(zip(starts, lengths, strict=True)),
        "cuts": list(zip(blobs, gaps, cut_lengths, forms, strict=True)),
        "body": data[source.at :],
    }


def source_of(run: dict[str, Any], rest: bytes, blobs: Mapping[int, bytes]) -> bytes:
    """The source bytes of a raw run, with spaces for what was purged."""
    assert len(rest) == run["rest_len"]
    out, at = bytearray(), 0
    for blob, gap, length, form in run["cuts"]:
        piece = b" " * length if form == HOLE else as_it_stood(blobs[blob], form)
        assert len(piece) == length
        out += rest[at : at + gap] + piece
        at += gap
    out += rest[at:]
    assert len(out) == run["source_len"]
    return bytes(out)
