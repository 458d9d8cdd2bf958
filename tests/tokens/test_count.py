"""Exact counts of what ships with vox, against tiktoken."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy
import pyarrow
import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

import vox
from tests.tokens.conftest import ENCODINGS
from tests.tokens.texts import PARTS, random_texts
from vox._native import Tokenizer
from vox.errors import NotFoundError

Oracle: TypeAlias = Callable[[str], tiktoken.Encoding]

MODELS = {"o200k_base": "gpt-5", "cl100k_base": "gpt-4", "p50k_base": "text-davinci-003"}
MB = 1_000_000


def encoded(name: str, texts: Sequence[str | bytes]) -> list[list[int]]:
    """The tokens of each of `texts`, as vox has them."""
    ids, ends = Tokenizer.shipped(name).encode_many(texts)
    all_ids = numpy.frombuffer(ids, numpy.uint32).tolist()
    places = [0, *numpy.frombuffer(ends, numpy.uint64).tolist()]
    return [all_ids[start:end] for start, end in pairwise(places)]


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_hundred_thousand_texts_have_the_tokens_that_tiktoken_gives_them(
    oracle: Oracle, name: str
) -> None:
    texts = random_texts(100_000, seed=ENCODINGS.index(name))
    meant = oracle(name).encode_ordinary_batch(texts, num_threads=2)
    wrong = [
        (text, ours, theirs)
        for text, ours, theirs in zip(texts, encoded(name, texts), meant, strict=True)
        if ours != theirs
    ]
    assert wrong[:3] == []
    counts = vox.count_tokens(texts, MODELS[name])
    assert counts.dtype == numpy.uint32
    assert counts.tolist() == [len(tokens) for tokens in meant]


@given(st.text(st.one_of(st.characters(), st.sampled_from("aZ1 \n'ſs漢\u0301"))), st.data())
def test_any_text_has_the_tokens_that_tiktoken_gives_it(
    oracle: Oracle, text: str, data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(ENCODINGS))
    assert Tokenizer.shipped(name).encode(text) == oracle(name).encode_ordinary(text)


@given(st.binary(max_size=60), st.sampled_from(ENCODINGS))
def test_bytes_count_as_their_text_with_replacements(
    oracle: Oracle, item: bytes, name: str
) -> None:
    meant = oracle(name).encode_ordinary(item.decode(errors="replace"))
    assert encoded(name, [item, bytearray(item)]) == [meant, meant]
    assert vox.count_tokens([item], MODELS[name]).tolist() == [len(meant)]


@given(st.text(st.characters(categories=["Cs", "Lu", "Zs"]), max_size=8))
def test_surrogates_count_as_in_tiktoken(oracle: Oracle, text: str) -> None:
    meant = oracle("o200k_base").encode_ordinary(text)
    assert Tokenizer.shipped("o200k_base").encode(text) == meant
    assert vox.count_tokens([text, "x"], "gpt-5").tolist() == [len(meant), 1]


@pytest.mark.parametrize("name", ENCODINGS)
def test_control_tokens_in_a_text_are_text(oracle: Oracle, name: str) -> None:
    texts = ["<|endoftext|>", "a<|endofprompt|>b", "<|fim_prefix|>"]
    meant = [oracle(name).encode(text, disallowed_special=()) for text in texts]
    assert encoded(name, texts) == meant
    assert all(len(tokens) > 3 for tokens in meant)


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_long_text_among_short_ones_counts_the_same_on_any_number_of_threads(
    oracle: Oracle, name: str
) -> None:
    long = "".join(random_texts(30_000, seed=7))
    texts = [*PARTS, long, *PARTS, long[::-1]]
    meant = [len(oracle(name).encode_ordinary(text)) for text in texts]
    for threads in (1, 2, 5, None):
        assert vox.count_tokens(texts, MODELS[name], threads=threads).tolist() == meant


HARD = {
    "one letter": "a" * MB,
    "one digit": "7" * MB,
    "newlines": "\n" * MB,
    "base64": ("QmFzZTY0" * (MB // 8))[:MB],
    "combining marks": "e" + "\u0301" * (MB // 2),
    "families": "👩‍👩‍👧‍👦" * (MB // 25),
    "NUL": "\0" * MB,
    "BOM": "\ufeff" * (MB // 3),
    "punctuation": "!?" * (MB // 2),
    "no UTF-8": b"\xff\xc3" * (MB // 2),
}


@pytest.mark.parametrize("what", HARD)
def test_a_megabyte_of_anything_is_counted(oracle: Oracle, what: str) -> None:
    # tiktoken fails at some of these; so its other half says whether the tokens are the text's.
    item = HARD[what]
    tokens = Tokenizer.shipped("o200k_base").encode(item)
    text = item if isinstance(item, str) else item.decode(errors="replace")
    assert oracle("o200k_base").decode_bytes(tokens).decode() == text
    assert vox.count_tokens([item], "gpt-5").tolist() == [len(tokens)]


def test_ten_megabytes_of_spaces_are_counted() -> None:
    assert vox.count_tokens([" " * 10 * MB], "gpt-5").tolist() == [
        len(Tokenizer.shipped("o200k_base").encode(" " * 10 * MB))
    ]


def test_an_arrow_array_counts_as_its_list() -> None:
    texts = random_texts(5000, seed=11)
    counts = vox.count_tokens(texts, "gpt-5").tolist()
    assert vox.count_tokens(pyarrow.array(texts), "gpt-5").tolist() == counts
    chunks = pyarrow.chunked_array([texts[:7], [None], texts[7:]])
    assert vox.count_tokens(chunks, "gpt-5").tolist() == [*counts[:7], 0, *counts[7:]]


def test_nothing_counts_as_nothing() -> None:
    assert vox.count_tokens([], "gpt-5").tolist() == []
    assert vox.count_tokens(["", b"", bytearray()], "gpt-5").tolist() == [0, 0, 0]


def test_counts_can_be_changed_like_any_array() -> None:
    counts = vox.count_tokens(["a", "b"], "gpt-5")
    counts[0] = 7
    assert counts.sum() == 8


def test_other_threads_of_python_run_while_it_counts() -> None:
    long = ["some words and more of them " * 2000]
    vox.count_tokens(long, "gpt-5", threads=1)
    asked, answered = threading.Event(), threading.Event()

    def answer() -> None:
        asked.wait()
        answered.set()

    other = threading.Thread(target=answer)
    other.start()
    interval = sys.getswitchinterval()
    # The GIL changes hands only where it is let go.
    sys.setswitchinterval(1000)
    try:
        asked.set()
        for _ in range(1000):
            vox.count_tokens(long, "gpt-5", threads=1)
            if answered.is_set():
                break
        assert answered.is_set()
    finally:
        sys.setswitchinterval(interval)
        other.join()


def test_many_threads_may_count_at_once() -> None:
    texts = random_texts(3000, seed=3)
    meant = vox.count_tokens(texts, "gpt-5").tolist()
    answers: list[list[int]] = []
    threads = [
        threading.Thread(target=lambda: answers.append(vox.count_tokens(texts, "gpt-5").tolist()))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [meant] * 8


def test_an_encoding_that_does_not_ship_is_refused() -> None:
    with pytest.raises(NotFoundError, match="there are: o200k_base, cl100k_base, p50k_base"):
        Tokenizer.shipped("r50k_base")
