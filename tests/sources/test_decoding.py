"""JSON that msgspec refuses, read all the same."""

from __future__ import annotations

import msgspec
import pytest
from msgspec import Raw

from vox.sources.decoding import NotARecordError, as_raw, from_object, read_loosely


class Inner(msgspec.Struct):
    name: str | None = None
    value: Raw = Raw(b"")


class Outer(msgspec.Struct, rename="camel"):
    session_id: str | None = None
    count: int | None = None
    inner: Inner | None = None
    rest: Raw = Raw(b"")


def test_a_field_of_another_type_is_absent_and_the_others_are_read() -> None:
    data = rb'{"sessionId":"s","count":"many","inner":{"name":5,"value":[1]},"rest":{"a":1},"x":2}'
    assert read_loosely(Outer, data) == Outer("s", None, Inner(None, Raw(b"[1]")), Raw(b'{"a": 1}'))
    assert from_object(Outer, {"inner": 3, "count": 2}) == Outer(count=2)


def test_half_a_surrogate_becomes_a_replacement_character_and_a_whole_pair_stays() -> None:
    data = rb'{"sessionId":"a\ud800b\udc00","rest":["\ud83d\ude00","\ude00"]}'
    found = read_loosely(Outer, data)
    assert found.session_id == "a\ufffdb\ufffd"
    assert bytes(found.rest) == '["😀", "\ufffd"]'.encode()


def test_invalid_utf_8_becomes_replacement_characters() -> None:
    assert read_loosely(Outer, b'{"sessionId":"a\xffb"}').session_id == "a\ufffdb"


def test_a_value_written_out_again_has_the_same_meaning() -> None:
    value = {"a": [1, None, "\u00e9\ud800"], "b": {"c": 1.5}}
    assert msgspec.json.decode(as_raw(value)) == {"a": [1, None, "\u00e9\ufffd"], "b": {"c": 1.5}}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"[1]", "not_a_record"),
        (b'"text"', "not_a_record"),
        (b'{"cut', "malformed"),
        (b"", "malformed"),
        (b"[" * 100_000 + b"]" * 100_000, "too_deep"),
    ],
)
def test_what_is_no_object_says_why(data: bytes, reason: str) -> None:
    with pytest.raises(NotARecordError, match=reason):
        read_loosely(Outer, data)
