from __future__ import annotations

import unicodedata

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from vox.cli.plain import in_json, lines, one_line

anything = st.text(st.characters(codec=None, exclude_categories=()))


def dangerous(text: str) -> set[str]:
    """Characters by which a text can act on a terminal, by Unicode's own categories."""
    return {
        character
        for character in text
        if unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}
        or unicodedata.bidirectional(character)
        in {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
    }


@given(anything)
def test_one_line_holds_nothing_that_acts_on_a_terminal(text: str) -> None:
    assert dangerous(one_line(text)) == set()


@given(anything)
def test_lines_keep_line_ends_and_tabs_and_nothing_else_that_acts(text: str) -> None:
    assert dangerous(lines(text)) <= {"\n", "\t"}


@given(anything)
def test_what_cannot_act_stays_as_it_is(text: str) -> None:
    harmless = "".join(c for c in text if c.isprintable())
    assert one_line(harmless) == harmless
    assert lines(harmless) == harmless


def test_an_escape_sequence_is_shown_as_text() -> None:
    assert one_line("\x1b[2J\x07\x7f\x9b1m") == "␛[2J␇␡\ufffd1m"


def test_a_line_end_is_one_line_end_whatever_system_wrote_it() -> None:
    assert lines("a\r\nb\nc\rd") == "a\nb\nc␍d"
    assert one_line("a\nb\tc") == "a b c"


@given(anything)
def test_json_says_the_same_with_nothing_that_acts_on_a_terminal(text: str) -> None:
    text = text.encode("utf-8", "replace").decode()
    safe = in_json(msgspec.json.encode({text: text}))
    assert msgspec.json.decode(safe) == {text: text}
    assert dangerous(safe.decode()) == set()
