"""The golden vectors of the extra, read with a decoder of its own.

It follows the text of `contracts/archive-format.md` and knows nothing of the native core, so
that a record in an archive can be had back by anyone who reads that text.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

VECTORS = Path(__file__).parents[1] / "contracts" / "vectors" / "extra.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text("utf-8"))["cases"]

TEXT, ASCII, SLICE, BASE64, DATA_URL, VERBATIM = range(6)
FORMS = {
    "string": {TEXT, ASCII, VERBATIM, SLICE},
    "slice": {SLICE},
    "base64": {BASE64, TEXT},
    "data_url": {DATA_URL, TEXT},
}


def take_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def as_text(item: bytes) -> bytes:
    """Escaped as `JSON.stringify` does; what is no UTF-8 stays as it is."""
    out = bytearray()
    at = 0
    short = {8: b"\\b", 9: b"\\t", 10: b"\\n", 12: b"\\f", 13: b"\\r", 34: b'\\"', 92: b"\\\\"}
    while at < len(item):
        byte = item[at]
        following = item[at + 1 : at + 3]
        if byte == 0xED and len(following) == 2 and following[0] >= 0xA0 and following[1] >= 0x80:
            surrogate = item[at : at + 3].decode("utf-8", "surrogatepass")
            out += b"\\u%04x" % ord(surrogate)
            at += 3
            continue
        if byte in short:
            out += short[byte]
        elif byte < 0x20:
            out += b"\\u%04x" % byte
        else:
            out.append(byte)
        at += 1
    return bytes(out)


def inside(item: bytes, form: int) -> bytes:
    """The source bytes that an item was cut out as."""
    if form == TEXT:
        return as_text(item)
    if form == ASCII:
        return json.dumps(item.decode("utf-8", "surrogatepass"))[1:-1].encode("ascii")
    if form == SLICE:
        return item[1:-1]
    if form in (BASE64, DATA_URL):
        return base64.b64encode(item)
    assert form == VERBATIM
    return item


def read_extra(extra: bytes) -> tuple[list[tuple[int, int, int]], bytes]:
    """The cuts as (gap, item, form), and the rest."""
    count, at = take_varint(extra, 0)
    cuts = []
    for _ in range(count):
        gap, at = take_varint(extra, at)
        item, at = take_varint(extra, at)
        cuts.append((gap, item, extra[at]))
        at += 1
    return cuts, extra[at:]


def restore(extra: bytes, items: list[bytes | None]) -> bytes:
    cuts, rest = read_extra(extra)
    out = b""
    at = 0
    for gap, index, form in cuts:
        item = items[index]
        assert item is not None
        out += rest[at : at + gap] + inside(item, form)
        at += gap
    return out + rest[at:]


def items_of(case: dict[str, Any]) -> list[bytes | None]:
    return [None if item is None else bytes.fromhex(item) for item in case["items"]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_record_comes_back_from_its_extra_and_items(case: dict[str, Any]) -> None:
    record = restore(bytes.fromhex(case["extra"]), items_of(case))
    assert record == bytes.fromhex(case["record"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_rest_of_a_record_stays_json(case: dict[str, Any]) -> None:
    _, rest = read_extra(bytes.fromhex(case["extra"]))
    assert isinstance(json.loads(rest.decode("utf-8", "replace")), dict)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_items_are_what_a_json_parser_finds(case: dict[str, Any]) -> None:
    record = json.loads(bytes.fromhex(case["record"]).decode("utf-8", "surrogateescape"))
    for want, item in zip(case["wants"], items_of(case), strict=True):
        value: Any = record
        try:
            for step in want["path"]:
                value = value[step]
        except (KeyError, IndexError):
            assert item is None
            continue
        assert item is not None
        if want["form"] == "string" and isinstance(value, str):
            assert item == wtf8(value)
        elif want["form"] in ("string", "slice"):
            assert json.loads(item) == value


def wtf8(text: str) -> bytes:
    """Python's string as bytes: escaped bytes as themselves, other surrogates in three bytes."""
    return b"".join(
        bytes([ord(char) - 0xDC00])
        if "\udc80" <= char <= "\udcff"
        else char.encode("utf-8", "surrogatepass")
        for char in text
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_each_cut_has_a_form_that_its_want_allows(case: dict[str, Any]) -> None:
    cuts, _ = read_extra(bytes.fromhex(case["extra"]))
    for _, index, form in cuts:
        assert form in FORMS[case["wants"][index]["form"]]


def test_every_form_occurs_in_the_vectors() -> None:
    used = {form for case in CASES for *_, form in read_extra(bytes.fromhex(case["extra"]))[0]}
    assert used == set(range(6))
