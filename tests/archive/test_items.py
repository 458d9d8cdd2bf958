"""The viewport on a window: paging, filters, previews, hashes, and what may change about items."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from blake3 import blake3
from hypothesis import given, settings
from hypothesis import strategies as st

import vox
from tests.archive import journal
from tests.archive.journal import NAMES, Entry, Opening
from tests.test_format_vectors import preview as slow_preview
from vox.errors import InvalidArgumentError, NotFoundError
from vox.sources.base import ItemKind, Role

SHARED = 700
preview = cache(slow_preview)
EVERYTHING: dict[str, Any] = {"trimmed": "show", "records": True}


@dataclass(frozen=True)
class Corpus:
    """An archive, and the entries of each of its windows in order."""

    archive: vox.Archive
    windows: dict[str, list[Entry]]

    def window(self, name: str) -> vox.Window:
        return self.archive.window(journal.key(name))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Windows of no, one and many chunks; `branch` begins with items of `long`, in the middle of a
    chunk and of a block of previews."""
    folder = tmp_path_factory.mktemp("items")
    windows = {name: list(journal.entries(name, n, n)) for name, n in [("long", 1500), ("few", 7)]}
    branch = list(journal.entries("branch", 600, 2))
    journal.write(folder / "in" / "a.journal", [Opening(window="none")])
    for part in range(0, 1500, 400):  # windows grow in turns, so that runs have many ends
        lines = windows["long"][part : part + 400] + windows["few"][part // 200 : part // 200 + 2]
        journal.write(folder / "in" / "a.journal", lines)
    fork = Opening(window="branch", parent="long", link="forked_from", shares=SHARED)
    journal.write(folder / "in" / "a.journal", [fork, *branch])
    archive = vox.open(folder / "archive")
    journal.ingest(archive, folder / "in")
    windows |= {"none": [], "branch": windows["long"][:SHARED] + branch}
    return Corpus(archive, windows)


# A plain filter of a plain list.


def shown(entry: Entry, wanted: dict[str, Any]) -> bool:
    """What the documentation of `item_filter` says, trimming aside."""
    roles, kinds, names = (wanted.get(what, ()) for what in ("roles", "kinds", "names"))
    return (
        (not roles or entry.role.name.lower() in roles)
        and (
            entry.kind.name.lower() in kinds
            if kinds
            else wanted.get("records", False) or entry.kind is not ItemKind.RECORD
        )
        and (not names or entry.name in names)
        and (wanted.get("since") is None or entry.at >= wanted["since"])
        and (wanted.get("until") is None or entry.at < wanted["until"])
    )


def rows(entries: Iterable[Entry], wanted: dict[str, Any]) -> list[dict[str, Any]]:
    numbered = enumerate(entries)
    return [
        {"ordinal": ordinal, "preview": preview(entry.bytes), **journal.row(entry)}
        for ordinal, entry in numbered
        if shown(entry, wanted)
    ]


def compared(items: Any) -> list[dict[str, Any]]:
    """The columns that `rows` knows."""
    names = rows([Entry(window="", text="")], {})[0]
    return [{name: row[name] for name in names} for row in items.to_pylist()]


# Times at which items stand, so that a filter begins or ends on one; and the ends of all time.
times = st.one_of(
    st.sampled_from(sorted({entry.at for entry in journal.entries("long", 1500, 1500)})),
    st.sampled_from([None, 1_700_000_000_005, 1_700_000_000_006, -(2**63), 2**63 - 1, 0]),
)
item_filters = st.fixed_dictionaries(
    {},
    optional={
        "roles": st.sets(st.sampled_from([role.name.lower() for role in Role]), max_size=3),
        "kinds": st.sets(st.sampled_from([kind.name.lower() for kind in ItemKind]), max_size=5),
        "names": st.sets(st.sampled_from([*NAMES, "NoSuchTool"]), max_size=4),
        "since": times,
        "until": times,
        "records": st.booleans(),
    },
)
names = st.sampled_from(["long", "branch", "few", "none"])
places = st.one_of(st.integers(0, 20), st.integers(0, 1500), st.sampled_from([2**32, 2**63]))
counts = st.one_of(st.integers(0, 130), st.integers(0, 1600), st.sampled_from([2**32, 2**64 - 1]))


@settings(max_examples=3 * settings().max_examples)
@given(name=names, wanted=item_filters, pages=st.lists(st.tuples(places, counts), max_size=5))
def test_any_page_of_any_filter_is_a_slice_of_a_plain_filtered_list(
    corpus: Corpus, name: str, wanted: dict[str, Any], pages: list[tuple[int, int]]
) -> None:
    window = corpus.window(name)
    every = rows(corpus.windows[name], wanted)
    pages = [(start % (len(every) + 3) if start < 2**32 else start, n) for start, n in pages]
    for start, count in pages:  # first, before anything else made the view look at all
        assert compared(window.items(start, count, **wanted)) == every[start : start + count]
    assert window.count(**wanted) == len(every)
    for start, count in pages:
        assert compared(window.items(start, count, **wanted)) == every[start : start + count]


def test_a_window_shows_the_conversation_when_nothing_is_said(corpus: Corpus) -> None:
    for name, entries in corpus.windows.items():
        window = corpus.window(name)
        assert compared(window.items(count=5000)) == rows(entries, {})
        assert len(window) == len(entries)
        assert window.count(**EVERYTHING) == len(entries)
    assert len(corpus.window("long").items()) == 100


def test_ordinals_are_places_in_the_whole_window_under_any_filter(corpus: Corpus) -> None:
    window = corpus.window("branch")
    by_ordinal = dict(enumerate(window.items(0, 5000, **EVERYTHING).column("item")))
    for role in Role:
        items = window.items(0, 5000, roles=[role.name.lower()], **EVERYTHING)
        ordinals = items.column("ordinal")
        assert ordinals == sorted(set(ordinals))
        assert items.column("item") == [by_ordinal[ordinal] for ordinal in ordinals]


def test_a_branch_shows_the_very_items_that_it_shares(corpus: Corpus) -> None:
    parent = corpus.window("long").items(0, 5000, **EVERYTHING).column("item")
    child = corpus.window("branch").items(0, 5000, **EVERYTHING).column("item")
    assert child[:SHARED] == parent[:SHARED]
    assert not set(child[SHARED:]) & set(parent)


def test_reading_an_item_gives_its_bytes(corpus: Corpus) -> None:
    for name, entries in corpus.windows.items():
        items = corpus.window(name).items(0, 5000, **EVERYTHING).column("item")
        for item, entry in zip(items[::7], entries[::7], strict=True):
            content = corpus.archive.read(item)
            assert content == entry.bytes
            assert memoryview(content).readonly


@pytest.mark.parametrize("item", [1500, 2**31, 2**32 - 1, 99 << 32, 2**64 - 1])
def test_an_item_that_there_is_not_is_not_found(corpus: Corpus, item: int) -> None:
    with pytest.raises(NotFoundError, match="there is no item"):
        corpus.archive.read(item)
    with pytest.raises(NotFoundError, match="there is no item"):
        corpus.archive.extra(item)


def test_what_is_left_of_the_record_is_kept_beside_the_item(corpus: Corpus) -> None:
    item = corpus.window("few").items(0, 1, **EVERYTHING).column("item")[0]
    left = corpus.archive.extra(item)
    assert left is not None
    assert b'"text":""' in left, "the item's bytes are cut out"
    assert b'"window":"few"' in left


def test_previews_are_left_out_when_they_are_not_wanted(corpus: Corpus) -> None:
    window = corpus.window("long")
    with_previews = window.items(3, 200)
    without = window.items(3, 200, preview=False)
    assert "preview" not in without.names
    assert [name for name in with_previews.names if name != "preview"] == without.names
    assert without.column("ordinal") == with_previews.column("ordinal")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"roles": ["robot"]}, "robot"),
        ({"kinds": ["poem"]}, "poem"),
        ({"trimmed": "maybe"}, "hide, show, only"),
    ],
)
def test_a_filter_that_there_is_not_is_named(
    corpus: Corpus, wrong: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=sentence):
        corpus.window("few").items(**wrong)


def test_places_before_the_first_item_are_refused(corpus: Corpus) -> None:
    with pytest.raises(OverflowError):
        corpus.window("few").items(-1)


# Hashes.


def test_hashes_are_those_of_the_contents_and_of_the_path(corpus: Corpus) -> None:
    """The chain is computed anew from roles, kinds and bytes, past side items."""
    for name, entries in corpus.windows.items():
        items = corpus.window(name).items(0, 5000, hashes=True, **EVERYTHING)
        chain = bytes(32)
        hashes = zip(items.column("content_hash"), items.column("chain_hash"), strict=True)
        for entry, (content_hash, chain_hash) in zip(entries, hashes, strict=True):
            assert content_hash == blake3(entry.bytes).digest()
            own = blake3(chain + bytes([entry.role, entry.kind]) + content_hash).digest()
            assert chain_hash == own
            if not journal.row(entry)["side"]:
                chain = own


@settings(max_examples=25)
@given(start=st.integers(0, 1400), count=st.integers(1, 90))
def test_hashes_of_a_page_are_those_of_the_whole(corpus: Corpus, start: int, count: int) -> None:
    window = corpus.window("branch")
    every = window.items(0, 5000, hashes=True, roles=["user", "tool"])
    page = window.items(start, count, hashes=True, roles=["user", "tool"])
    for name in ("content_hash", "chain_hash"):
        assert page.column(name) == every.column(name)[start : start + count]


# What comes later.


def test_a_window_object_stays_at_its_items_while_more_are_imported(tmp_path: Path) -> None:
    entries = list(journal.entries("a", 1200, seed=5))
    journal.write(tmp_path / "in" / "a.journal", entries[:600])
    with vox.open(tmp_path / "archive") as archive:
        journal.ingest(archive, tmp_path / "in")
        window = archive.window("journal:a")
        assert compared(window.items(0, 10)) == rows(entries, {})[:10]
        journal.write(tmp_path / "in" / "a.journal", entries[600:])
        journal.ingest(archive, tmp_path / "in")
        # Both a view that was begun before and one that is new.
        for wanted in ({}, {"roles": ["user"]}, {"records": True}):
            assert compared(window.items(0, 5000, **wanted)) == rows(entries[:600], wanted)
            assert window.count(**wanted) == len(rows(entries[:600], wanted))
        assert len(window) == 600
        later = archive.window("journal:a")
        assert compared(later.items(0, 5000)) == rows(entries, {})
        assert len(later) == 1200


def test_asking_for_more_rows_than_a_batch_may_hold_gives_what_there_is(corpus: Corpus) -> None:
    assert len(corpus.window("few").items(0, 2**64 - 1, **EVERYTHING)) == 7
