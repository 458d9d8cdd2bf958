"""The golden values of ``contracts/vectors``, read without vox.

BLAKE3 comes from its wheel; columns, LZ4 blocks and previews are decoded here by the text of
``contracts/archive-format.md``.
"""

import json
import unicodedata
import uuid
from pathlib import Path
from typing import Any

from blake3 import blake3

VECTORS = Path(__file__).parents[1] / "contracts" / "vectors"
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


def vectors(name: str) -> Any:
    return json.loads((VECTORS / name).read_text(encoding="utf-8"))


class Bytes:
    """Reads fields from the front of a byte string."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, length: int) -> bytes:
        assert self.at + length <= len(self.data)
        self.at += length
        return self.data[self.at - length : self.at]

    def number(self, length: int) -> int:
        return int.from_bytes(self.take(length), "little")

    def packed(self, count: int) -> list[int]:
        base, width = self.number(8), self.number(1)
        bits = self.number((count * width + 7) // 8)
        mask = (1 << width) - 1
        return [(base + (bits >> (i * width) & mask)) % 2**64 for i in range(count)]


def lz4_block(packed: bytes) -> bytes:
    """Decodes one LZ4 block."""
    source, out = Bytes(packed), bytearray()

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


def decode_previews(source: Bytes, count: int) -> list[str]:
    sizes = [min(64, count - first) for first in range(0, count, 64)]
    ends = [source.number(4) for _ in sizes]
    start = source.at
    previews = []
    for size, end in zip(sizes, ends, strict=True):
        raw_length = source.number(2)
        raw = Bytes(lz4_block(source.take(start + end - source.at)))
        assert len(raw.data) == raw_length
        previews += [raw.take(length).decode("utf-8") for length in raw.take(size)]
        assert raw.at == raw_length
    return previews


def signed(value: int) -> int:
    return value - 2**64 if value >= 2**63 else value


def decode_chunk(data: bytes) -> tuple[bytes, list[dict[str, Any]]]:
    source = Bytes(data)
    assert source.number(1) == 1
    source.take(1)
    count = source.number(2)
    chain = source.take(32)
    content, extra, created_at, byte_len, attributes, name, tokens = (
        source.packed(count) for _ in range(7)
    )
    previews = decode_previews(source, count)
    assert source.at == len(data)
    items = [
        {
            "content": content[i],
            "extra": extra[i] - 1 if extra[i] else None,
            "created_at": signed(created_at[i]),
            "byte_len": byte_len[i],
            "role": ROLES[attributes[i] & 3],
            "kind": KINDS[attributes[i] >> 2 & 15],
            "fidelity": FIDELITIES[attributes[i] >> 6 & 3],
            "redacted": bool(attributes[i] >> 8 & 1),
            "side": bool(attributes[i] >> 9 & 1),
            "name": name[i],
            "token_estimate": tokens[i],
            "preview": previews[i],
        }
        for i in range(count)
    ]
    return chain, items


def preview(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    spaced = "".join(" " if c.isspace() or unicodedata.category(c) == "Cc" else c for c in text)
    line = " ".join(word for word in spaced.split(" ") if word)
    while len(line.encode()) > 120:
        line = line[:-1]
    return line.rstrip(" ")


def test_content_hashes_are_blake3_of_the_bytes() -> None:
    for case in vectors("hashes.json")["content"]:
        assert blake3(bytes.fromhex(case["bytes"])).hexdigest() == case["hash"]


def test_chain_hashes_bind_parent_role_kind_and_content() -> None:
    for case in vectors("hashes.json")["chain"]:
        role_and_kind = bytes([ROLES.index(case["role"]), KINDS.index(case["kind"])])
        path = bytes.fromhex(case["parent"]) + role_and_kind + bytes.fromhex(case["content"])
        assert blake3(path).hexdigest() == case["hash"]


def test_window_ids_bind_key_and_revision() -> None:
    for case in vectors("hashes.json")["window_id"]:
        named = case["key"].encode() + b"\0" + case["revision"].to_bytes(4, "little")
        digest = blake3(b"vox.window.v1\0" + named).digest()
        assert str(uuid.UUID(bytes=digest[:16])) == case["id"]


def test_previews_are_one_line_of_at_most_120_bytes() -> None:
    cases = vectors("preview.json")
    for case in cases["text"]:
        assert preview(bytes.fromhex(case["bytes"])) == case["preview"]
    for case in cases["binary"]:
        assert case["preview"] == f"[{case['media_type']}, {case['length']} bytes]"


def test_the_golden_chunk_decodes_to_its_items() -> None:
    vector = vectors("chunk.json")
    chain, items = decode_chunk(bytes.fromhex(vector["chunk"]))
    assert chain.hex() == vector["chain_before"]
    assert items == vector["items"]
    assert len(items) > 64, "more than one preview block"
