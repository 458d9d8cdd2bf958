"""Shorter forms: whole characters, whole lines, and never above their limit."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.context.projection.windows import MODEL, UNKNOWN
from vox.context.projection.forms import Wanted, beginning, ending, form, grown, shorten
from vox.context.projection.settings import LEAST_FORM

contents = st.one_of(
    st.binary(max_size=3_000),
    st.text(max_size=1_000).map(str.encode),
    st.lists(st.sampled_from(["line\n", "größe 日本\n", "🦀", '\\"\n']), max_size=800).map(
        lambda parts: "".join(parts).encode()
    ),
)


@given(contents, st.integers(LEAST_FORM, 400), st.booleans(), st.booleans())
def test_no_form_is_above_its_limit(
    content: bytes, limit: int, arguments: bool, signed: bool
) -> None:
    for model in (MODEL, UNKNOWN):
        ((text, tokens),) = shorten(
            [Wanted(7, limit, arguments)], [content], model.cap, 0.6, signed=signed
        )
        assert model.cap([text]) == [tokens]
        assert tokens <= limit
        if arguments:
            assert list(json.loads(text)) == ["shortened"]


@given(contents, st.integers(0, 500))
def test_a_cut_is_at_a_character_and_where_a_line_ends_if_one_is_near(
    content: bytes, size: int
) -> None:
    first, last = beginning(content, size), ending(content, min(size, len(content)))
    assert content.startswith(first)
    assert content.endswith(last)
    assert max(len(first), len(last)) <= size
    try:
        content.decode()
    except UnicodeDecodeError:
        return
    first.decode()
    last.decode()


def test_a_form_says_how_much_is_left_out_and_what_opens_the_rest() -> None:
    content = b"".join(b"line %03d\n" % number for number in range(500))
    text = form(Wanted(42, 100, False), content, 200, 0.6, signed=True)
    assert text == (
        "".join(f"line {number:03}\n" for number in range(13))
        + "[… 4312 of 4500 bytes left out for a limit of 100 tokens; all of it: item:42 …]\n"
        + "".join(f"line {number:03}\n" for number in range(492, 500))
    )
    unsigned = form(Wanted(42, 100, False), content, 200, 0.6, signed=False)
    assert "item:" not in unsigned
    assert re.search(r"\[… \d+ of 4500 bytes left out", unsigned)


def test_many_are_cut_at_once_and_each_has_its_own_limit() -> None:
    content = b"word " * 5_000
    wanted = [Wanted(number, 100 * number, False) for number in range(1, 5)]
    calls = []

    def cap(texts: list[str]) -> list[int]:
        calls.append(len(texts))
        return MODEL.cap(texts)

    found = shorten(wanted, [content] * 4, cap, 0.6, signed=True)  # type: ignore[arg-type]
    for one, (_, tokens) in zip(wanted, found, strict=True):
        assert one.limit * 0.7 < tokens <= one.limit
    assert len(calls) <= 4


def test_spare_tokens_go_to_what_leaves_out_most() -> None:
    own, limits = np.array([1_000, 3_000, 100]), np.array([100, 100, 99])
    assert grown(own, limits, 380).tolist() == [189, 390, 99]
    assert grown(own, limits, 10**9).tolist() == [999, 2_999, 99]
    assert grown(own, limits, 0) is limits


@pytest.mark.parametrize("content", [b"", b"\xff", b"\xe6\x97"])
def test_what_is_shorter_than_its_limit_is_all_there(content: bytes) -> None:
    ((text, _),) = shorten([Wanted(1, 50, False)], [content], MODEL.cap, 0.6, signed=True)
    assert text == content.decode("utf-8", "replace")
