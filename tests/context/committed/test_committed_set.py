"""Committed sets are frozen, hashed, and of what their window has."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from tests.context.committed.sets import (
    CHAIN,
    WINDOW,
    committed_of,
    contents_of,
    draft_of_all,
    entry_of,
    hashed,
)
from tests.context.projection.windows import call, result, said
from vox.context.committed import CommittedSet, LeftOut, commit, committed_before
from vox.context.committed.document import read_document
from vox.context.projection import Fate
from vox.errors import ConflictError, DamagedError, InvalidArgumentError

ONES = [said("a"), call(1), result(1), said("b")]
STUB = LeftOut(before=1, first=7, last=9, items=3, tokens=12, text="[3 items – left out]")


def test_the_document_says_all_and_its_hash_is_that_of_the_set():
    draft = draft_of_all(ONES[:1], model="gpt-4o", budget=900)
    committed, _ = committed_of(draft, ONES, (STUB,))
    assert json.loads(committed.document) == {
        "schema": "vox.context.v1",
        "window": WINDOW,
        "chain": CHAIN,
        "model": "gpt-4o",
        "budget": 900,
        "entries": [{"item": 100, "hash": hashed(b"a"), "ordinal": 0, "fate": "included"}],
        "left_out": [
            {
                "before": 1,
                "first": 7,
                "last": 9,
                "items": 3,
                "tokens": 12,
                "text": "[3 items – left out]",
            }
        ],
    }
    assert committed.hash == blake3(committed.document).digest()
    again = json.dumps(
        json.loads(committed.document), sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    assert again.encode() == committed.document


@given(
    st.lists(st.integers(0, 3), unique=True),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.none() | st.integers(0, 2**63 - 1),
)
def test_a_set_that_is_kept_is_read_as_it_was(places, text, budget):
    shown = {"fate": Fate.SUMMARIZED, "form": text, "pinned": True, "pair": 3}
    draft = draft_of_all(ONES, budget=budget).of(
        tuple(entry_of(ONES, place, **(shown if place % 2 else {})) for place in places)
    )
    committed, _ = committed_of(draft, ONES, (STUB,))
    again = committed_before(committed.document)
    assert again == committed
    assert (again.draft, again.left_out, again.hash) == (draft, (STUB,), committed.hash)


def test_nothing_but_commit_makes_a_set():
    draft = draft_of_all(ONES)
    with pytest.raises(TypeError, match=r"only .*commit makes"):
        CommittedSet(draft, (), b"{}")
    committed, _ = committed_of(draft, ONES)
    with pytest.raises(AttributeError):
        committed.entries = ()
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(committed)
    with pytest.raises(TypeError, match="one kind"):
        type("Own", (CommittedSet,), {})


def test_what_the_window_does_not_have_is_refused():
    draft = draft_of_all(ONES)

    def refused(match: str, *entries: object) -> None:
        with pytest.raises(InvalidArgumentError, match=match):
            commit(draft.of(entries), contents_of(ONES), CHAIN, ())

    entry = draft.entries[0]
    refused("item:999 isn't one of window 01234567", replace(entry, item=999))
    refused("item:100 has the content hash", replace(entry, content="0" * 64))
    refused("stands in the set twice", entry, entry)
    refused("has another root", replace(entry, window="another"))


def test_a_window_that_has_moved_is_a_conflict():
    with pytest.raises(ConflictError, match="have changed"):
        commit(draft_of_all(ONES), contents_of(ONES), "ff" * 32, ())


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"fate": Fate.DROPPED}, "leave it out"),
        ({"fate": Fate.SUMMARIZED}, "summarized and no form"),
        ({"form": "short"}, "a form and is included"),
        ({"content": "xyz"}, "no content hash"),
        ({"fate": Fate.SUMMARIZED, "form": "x", "window": "other"}, "no shorter form"),
    ],
)
def test_what_can_not_be_an_entry_is_refused(wrong, match):
    with pytest.raises(InvalidArgumentError, match=match):
        entry_of(ONES, 0, **wrong)


def test_text_without_utf8_is_refused():
    entry = entry_of(ONES, 0, fate=Fate.SUMMARIZED, form="\ud800")
    with pytest.raises(InvalidArgumentError, match="can't hold this text"):
        committed_of(draft_of_all(ONES).of((entry,)), ONES)


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"\xff",
        b"[" * 100_000,
        b"{}",
        b'{"schema":"vox.context.v9","window":"","chain":"","entries":[]}',
        b'{"schema":"vox.context.v1","window":"","chain":"","entries":[{"item":-1}]}',
        b'{"schema":"vox.context.v1","window":"","chain":"","entries":[{"item":1e999}]}',
        b'{"schema":"vox.context.v1","window":"","chain":"","entries":[],"more":NaN}',
    ],
)
def test_what_is_no_document_is_refused(document):
    with pytest.raises(InvalidArgumentError):
        read_document(document)
    with pytest.raises(DamagedError):
        committed_before(document)
