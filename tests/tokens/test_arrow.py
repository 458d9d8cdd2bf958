"""Items in Arrow arrays of other libraries, seen through a bound that is the number of bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import numpy
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vox._native import AssumedBound
from vox.errors import InvalidArgumentError

BYTES = AssumedBound("bytes")

TEXTS = ["a", None, "", "漢字", "x" * 50, "a longer one than views hold inline", "\0"]
SIZES = [1, 0, 0, 6, 50, 35, 1]

TEXT_TYPES = [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()]
BYTE_TYPES = [pyarrow.binary(), pyarrow.large_binary(), pyarrow.binary_view()]


def sizes(items: Any) -> list[int]:
    return numpy.frombuffer(BYTES.bound_many(items), numpy.uint32).tolist()


@pytest.mark.parametrize("kind", [*TEXT_TYPES, *BYTE_TYPES], ids=str)
def test_text_and_bytes_of_any_width_are_items_and_nulls_are_empty(kind: pyarrow.DataType) -> None:
    texts = TEXTS if kind in TEXT_TYPES else [text and text.encode() for text in TEXTS]
    array = pyarrow.array(texts, kind)
    assert sizes(array) == SIZES
    assert sizes(array.slice(3, 3)) == SIZES[3:6]
    assert sizes(array.slice(7)) == []
    chunks = pyarrow.chunked_array([array, array.slice(2, 0), array.slice(4)])
    assert sizes(chunks) == SIZES + SIZES[4:]
    assert sizes(pyarrow.chunked_array([], kind)) == []


def test_fixed_sizes_and_nulls_alone_are_items() -> None:
    fixed = pyarrow.array([b"abc", None, b"def"], pyarrow.binary(3))
    assert sizes(fixed) == [3, 0, 3]
    assert sizes(fixed.slice(1)) == [0, 3]
    assert sizes(pyarrow.array([None, None])) == [0, 0]
    assert sizes(pyarrow.array([])) == []


@pytest.mark.parametrize(
    "keys", [pyarrow.int8(), pyarrow.uint16(), pyarrow.int32(), pyarrow.int64()]
)
def test_words_of_a_dictionary_are_items(keys: pyarrow.DataType) -> None:
    words = pyarrow.array(["one", None, "three"], pyarrow.large_string())
    places = pyarrow.array([0, 2, None, 1, 0], keys)
    array = pyarrow.DictionaryArray.from_arrays(places, words)
    assert sizes(array) == [3, 5, 0, 0, 3]
    assert sizes(array.slice(1, 2)) == [5, 0]
    empty = pyarrow.array([None, None], pyarrow.dictionary(keys, pyarrow.string()))
    assert sizes(empty) == [0, 0]


def test_invalid_utf8_is_replaced_as_elsewhere() -> None:
    assert sizes(pyarrow.array([b"\xff", b"a\xc3"])) == [3, 4]
    broken = pyarrow.Array.from_buffers(pyarrow.string(), 1, pyarrow.array([b"\xff\xff"]).buffers())
    assert sizes(broken) == [6]


@given(st.lists(st.one_of(st.none(), st.binary(max_size=30)), max_size=40), st.data())
def test_an_array_says_what_a_list_of_it_does(items: list[bytes | None], data: Any) -> None:
    kind = data.draw(st.sampled_from(BYTE_TYPES))
    first = data.draw(st.integers(0, len(items)))
    array = pyarrow.array(items, kind).slice(first)
    assert sizes(array) == sizes([item or b"" for item in items[first:]])


@pytest.mark.parametrize(
    "take",
    [
        lambda frame: frame["text"],
        lambda frame: frame["text"].to_arrow(),
        lambda frame: frame["text"].cast(polars.Categorical),
        lambda frame: frame["text"].cast(polars.Binary),
        lambda frame: duckdb.sql("select text from frame").to_arrow_table()["text"],
    ],
    ids=["polars", "arrow", "categories", "bytes", "duckdb"],
)
def test_columns_of_data_frames_are_items(take: Callable[[polars.DataFrame], Any]) -> None:
    frame = polars.DataFrame({"text": TEXTS, "number": range(len(TEXTS))})
    assert sizes(take(frame)) == SIZES


@pytest.mark.parametrize(
    ("array", "kind"),
    [
        (pyarrow.array([1, 2]), "Int64"),
        (pyarrow.chunked_array([[1.5]]), "Float64"),
        (pyarrow.array([["a"]]), "List"),
        (pyarrow.array([1, 2]).dictionary_encode(), "Int64"),
    ],
    ids=["numbers", "chunks", "lists", "dictionary"],
)
def test_arrays_of_anything_else_are_refused(array: Any, kind: str) -> None:
    with pytest.raises(InvalidArgumentError, match=rf"bytes or text is wanted, not of {kind}"):
        BYTES.bound_many(array)


def test_a_table_is_refused_with_a_hint() -> None:
    table = pyarrow.table({"text": ["a"]})
    with pytest.raises(InvalidArgumentError, match="take one column of it"):
        BYTES.bound_many(table)
    with pytest.raises(InvalidArgumentError, match="take one column of it"):
        BYTES.bound_many(table.to_batches()[0])


def test_a_large_array_is_not_copied() -> None:
    array = pyarrow.array(["x" * 1000] * 100_000)
    before = pyarrow.total_allocated_bytes()
    assert sum(sizes(array)) == 100_000_000
    assert pyarrow.total_allocated_bytes() == before


class Once:
    """Offers the same capsule every time, which the interface allows to be used once."""

    def __init__(self, array: Any) -> None:
        self.stream = array.__arrow_c_stream__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.stream


def test_a_stream_that_was_used_before_is_an_error_not_an_empty_one() -> None:
    stream = Once(pyarrow.chunked_array([["a"]]))
    assert sizes(stream) == [1]
    with pytest.raises(RuntimeError, match="used before"):
        BYTES.bound_many(stream)


def test_a_capsule_of_something_else_is_an_error() -> None:
    stream = Once(pyarrow.chunked_array([["a"]]))
    stream.stream = pyarrow.array(["a"]).__arrow_c_array__()[1]
    with pytest.raises(ValueError, match="incorrect name"):
        BYTES.bound_many(stream)
