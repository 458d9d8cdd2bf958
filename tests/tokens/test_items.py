"""Items as users hold them, seen through a bound that is the number of their bytes."""

from __future__ import annotations

import array
import mmap
from pathlib import Path

import numpy
import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from vox._native import AssumedBound
from vox.errors import InvalidArgumentError
from vox.tokens.items import Items

BYTES = AssumedBound("bytes")

SURROGATES = st.characters(categories=["Cs"])
WITH_SURROGATES = st.text(st.one_of(st.characters(), SURROGATES), max_size=30)


def sizes(items: Items) -> list[int]:
    return numpy.frombuffer(BYTES.bound_many(items), numpy.uint32).tolist()


def test_bytes_of_every_kind_are_items(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"mapped")
    with file.open("rb") as opened:
        mapped = memoryview(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))
    assert sizes([b"bytes", bytearray(b"array"), memoryview(b"--view")[2:], mapped]) == [5, 5, 4, 6]
    assert sizes([memoryview(b"every other")[::2]]) == [6]
    assert sizes([numpy.frombuffer(b"numbers", numpy.uint8)]) == [7]  # type: ignore[list-item]


def test_a_str_counts_as_its_utf8() -> None:
    assert sizes(["a", "é", "漢", "🙂", "\0", "\ufeff", ""]) == [1, 2, 3, 4, 1, 3, 0]


@pytest.mark.parametrize(
    ("item", "size"),
    [
        (b"\xff", 3),
        (b"\xf0\x9f\x99", 3),
        (b"a\xc3", 4),
        (b"\xed\xa0\x80", 9),
        (b"\xc0\x80", 6),
        (b"\xf4\x90\x80\x80", 12),
    ],
)
def test_each_maximal_subpart_that_is_no_utf8_is_one_replacement_character(
    item: bytes, size: int
) -> None:
    assert sizes([item]) == [size] == [len(item.decode(errors="replace").encode())]


@given(WITH_SURROGATES)
def test_surrogates_are_what_tiktoken_takes_them_for(text: str) -> None:
    try:
        meant = text.encode()
    except UnicodeEncodeError:
        # As tiktoken's encode_ordinary does.
        meant = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    assert sizes([text]) == [len(meant)]


def test_a_pair_of_surrogates_is_one_character_and_half_of_one_is_replaced() -> None:
    assert sizes(["\ud83d\ude42", "\ud83d", "\ude42\ud83d", "a\ud83db"]) == [4, 3, 6, 5]
    assert "surrogatepass" in (tiktoken.Encoding.encode_ordinary.__code__.co_consts or ())


def test_any_iterable_will_do_and_its_order_is_kept() -> None:
    assert sizes(()) == sizes([]) == sizes(iter([])) == []
    assert sizes(("a", "bb")) == sizes(item for item in ["a", "bb"]) == [1, 2]
    assert sizes({"aaa": 1, "b": 2}) == [3, 1]
    assert sizes(numpy.array(["x", "yyy"], dtype=object)) == [1, 3]
    assert sizes([str(number) * (number % 7) for number in range(20_000)]) == [
        len(str(number)) * (number % 7) for number in range(20_000)
    ]


@pytest.mark.parametrize(
    ("item", "kind"),
    [(None, "NoneType"), (3, "int"), (["a"], "list"), (array.array("d", [1.0]), "array")],
)
def test_what_is_no_text_is_refused_by_its_place(item: object, kind: str) -> None:
    with pytest.raises(
        InvalidArgumentError, match=rf"item 2 is neither bytes nor str but .*{kind}"
    ):
        BYTES.bound_many(["a", b"b", item])  # type: ignore[list-item]


@pytest.mark.parametrize("one", ["text", b"text", bytearray(b"text"), memoryview(b"text")])
def test_one_text_is_no_list_of_texts(one: Items) -> None:
    with pytest.raises(InvalidArgumentError, match=r"put it in a list"):
        BYTES.bound_many(one)


def test_what_is_no_collection_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match=r"wanted, not int"):
        BYTES.bound_many(3)  # type: ignore[arg-type]


def test_an_error_of_a_generator_is_its_own() -> None:
    def broken() -> Items:
        yield "a"
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        BYTES.bound_many(broken())


@pytest.mark.parametrize("threads", [1, 2, 3, None])
def test_threads_make_no_difference(threads: int | None) -> None:
    items = [b"x" * (7 * number % 5000) for number in range(2000)] + [b"y" * 3_000_000]
    answer = numpy.frombuffer(BYTES.bound_many(items, threads), numpy.uint32)
    assert answer.tolist() == [len(item) for item in items]


def test_no_threads_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="threads is 0"):
        BYTES.bound_many(["a"], threads=0)


def test_a_stream_is_bounded_as_its_whole_wherever_it_is_cut() -> None:
    text = "naïve 漢字 🙂".encode() + b"\xff\xc3"
    for place in range(len(text) + 1):
        stream = BYTES.stream_bound()
        stream.feed(text[:place])
        stream.feed(text[place:])
        assert [stream.total] == sizes([text])
