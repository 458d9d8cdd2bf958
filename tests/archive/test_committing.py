"""Committed sets, fates that are set by hand and models that windows are bound to: they are changed
as a whole, only by whoever saw what they replace, and last as long as their window."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from blake3 import blake3
from hypothesis import given, settings
from hypothesis import strategies as st

import vox
from tests.archive import journal
from vox import _native
from vox.archive import import_jsonl
from vox.archive.append import NewItem
from vox.archive.salvage import salvage
from vox.archive.session_events import Created, Reset, TurnAdded, TurnItem
from vox.errors import (
    ConflictError,
    InvalidArgumentError,
    NotFoundError,
    PurgedError,
    ReadOnlyError,
)
from vox.sources.base import ItemKind, Role, WindowDraft

ITEMS = 9
SECONDS = 60
"""How long a child may take before the test fails."""

Positions = dict[int, int]


def items(count: int, window: str = "talk") -> list[NewItem]:
    return [
        NewItem(role=Role.USER, kind=ItemKind.MESSAGE, content=f"{window} {number}")
        for number in range(count)
    ]


@pytest.fixture
def talk(archive: vox.Archive) -> vox.Archive:
    """An archive with the window `talk`, whose number is 0."""
    archive.append("talk", items(ITEMS))
    return archive


def outline(archive: vox.Archive, window: int = 0) -> _native.Outline:
    return _native.outline(archive._native, window)


def commit(
    archive: vox.Archive, document: bytes, positions: Positions | None = None, window: int = 0
) -> bytes:
    """Commits over what is there."""
    seen = outline(archive, window)
    return _native.commit_context(
        archive._native,
        window,
        document,
        list((positions or {}).items()),
        expected_chain=seen.chain,
        previous=seen.committed_hash,
    )


def committed(archive: vox.Archive, window: int = 0) -> bytes | None:
    found = _native.committed_context(archive._native, window)
    return found and found[1]


def positions(archive: vox.Archive, window: int = 0) -> dict[int, int]:
    """Of the items that are in the set, or were taken out of it, their places."""
    column = np.frombuffer(outline(archive, window).committed, np.int64)
    return {at: place for at, place in enumerate(column.tolist()) if place != -2}


def fates(archive: vox.Archive, window: int = 0) -> dict[int, int]:
    column = np.frombuffer(outline(archive, window).fates, np.int8)
    return {at: fate for at, fate in enumerate(column.tolist()) if fate != -1}


def set_fates(archive: vox.Archive, *ranges: tuple[int, int, int | None], window: int = 0) -> int:
    return _native.set_fates(archive._native, window, ranges)


def events(archive: vox.Archive) -> list[dict[str, Any]]:
    """What happened, without the times."""
    lines = io.BytesIO()
    archive.export_jsonl(lines)
    rows = [json.loads(line) for line in lines.getvalue().splitlines()]
    happened = [row["row"] for row in rows if row["type"] == "event"]
    return [{name: value for name, value in row.items() if name != "at"} for row in happened]


def test_what_was_committed_is_there_with_its_hash(talk: vox.Archive) -> None:
    assert committed(talk) is None
    hashed = commit(talk, b'{"entries":[2,0]}', {2: 0, 0: 1})
    assert hashed == blake3(b'{"entries":[2,0]}').digest()
    assert _native.committed_context(talk._native, 0) == (hashed, b'{"entries":[2,0]}')
    assert outline(talk).committed_hash == hashed
    assert positions(talk) == {2: 0, 0: 1}
    assert talk.window(0).items(0, 3).column("committed") == [1, None, 0]
    assert talk.verify().ok


def test_a_set_takes_the_place_of_the_one_before_it(talk: vox.Archive) -> None:
    commit(talk, b"first", {0: 0, 1: 1, 2: 2})
    commit(talk, b"second", {1: 0, 5: 7})
    assert committed(talk) == b"second"
    assert positions(talk) == {1: 0, 5: 7}
    assert talk.verify().ok


def test_committing_the_same_again_changes_nothing(talk: vox.Archive) -> None:
    first = commit(talk, b"same", {0: 0})
    before = events(talk)
    assert commit(talk, b"same", {0: 0}) == first
    assert events(talk) == before


def test_a_window_that_has_grown_since_is_a_conflict(talk: vox.Archive) -> None:
    commit(talk, b"first", {0: 0})
    seen = outline(talk)
    talk.append("talk", items(ITEMS + 1))
    with pytest.raises(ConflictError, match=r"items of window .* have changed"):
        _native.commit_context(
            talk._native,
            0,
            b"second",
            [(1, 0)],
            expected_chain=seen.chain,
            previous=seen.committed_hash,
        )
    assert (committed(talk), positions(talk)) == (b"first", {0: 0})


@pytest.mark.parametrize("previous", [None, blake3(b"another").digest()])
def test_a_set_that_was_replaced_meanwhile_is_a_conflict(
    talk: vox.Archive, previous: bytes | None
) -> None:
    commit(talk, b"first", {0: 0})
    with pytest.raises(ConflictError, match="another set was committed"):
        _native.commit_context(
            talk._native,
            0,
            b"second",
            [(1, 0)],
            expected_chain=outline(talk).chain,
            previous=previous,
        )
    assert (committed(talk), positions(talk)) == (b"first", {0: 0})


COMMIT = """
import sys
import vox
from vox import _native
from vox.errors import ConflictError

archive = vox.open(sys.argv[1])._native
seen = _native.outline(archive, 0)
print("ready", flush=True)
sys.stdin.readline()
try:
    _native.commit_context(
        archive, 0, sys.argv[2].encode(), [(int(sys.argv[3]), 0)],
        expected_chain=seen.chain, previous=seen.committed_hash,
    )
    print("committed", flush=True)
except ConflictError as error:
    print(error.code, flush=True)
"""


def test_of_two_processes_that_commit_at_once_one_gets_a_conflict(talk: vox.Archive) -> None:
    path = str(talk.path)
    children = [
        subprocess.Popen(
            [sys.executable, "-c", COMMIT, path, name, str(ordinal)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for ordinal, name in enumerate(("one", "two"))
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    said = [child.communicate(timeout=SECONDS)[0].strip() for child in children]
    assert sorted(said) == ["committed", "conflict"]
    winner = said.index("committed")
    assert committed(talk) == [b"one", b"two"][winner]
    assert positions(talk) == {winner: 0}


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ([(0, 1), (0, 2)], "item 0 is committed at 1 and at 2"),
        ([(0, 3), (4, 3)], "items 0 and 4 are both committed at 3"),
        ([(ITEMS, 0)], f"has {ITEMS} items"),
        ([(0, 2**63)], "too large"),
    ],
)
def test_positions_that_cannot_be_are_refused(
    talk: vox.Archive, wrong: list[tuple[int, int]], says: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=says):
        _native.commit_context(
            talk._native, 0, b"x", wrong, expected_chain=outline(talk).chain, previous=None
        )
    assert committed(talk) is None


def test_what_is_not_there_is_named(talk: vox.Archive) -> None:
    native = talk._native
    for call in (
        lambda: _native.commit_context(
            native, 7, b"x", [], expected_chain=bytes(32), previous=None
        ),
        lambda: _native.committed_context(native, 7),
        lambda: _native.set_fates(native, 7, [(0, 1, 1)]),
        lambda: _native.set_route(native, 7, "m"),
    ):
        with pytest.raises(NotFoundError, match=r"window.* 7"):
            call()
    with pytest.raises(InvalidArgumentError, match="32 bytes"):
        _native.commit_context(native, 0, b"x", [], expected_chain=b"short", previous=None)


sets = st.lists(
    st.one_of(
        st.dictionaries(st.integers(0, 29), st.integers(0, 99), max_size=30).filter(
            lambda set_: len(set(set_.values())) == len(set_)
        ),
        st.tuples(st.integers(0, 29), st.integers(1, 30)),
    ),
    max_size=8,
)


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(changes=sets)
def test_positions_are_those_of_the_last_set_and_what_was_taken_out_stays_out(
    tmp_path_factory: pytest.TempPathFactory, changes: list[Positions | tuple[int, int]]
) -> None:
    with vox.open(tmp_path_factory.mktemp("sets") / "archive") as archive:
        archive.append("talk", items(30))
        says: dict[int, int] = {}
        for number, change in enumerate(changes):
            if isinstance(change, dict):
                commit(archive, b"%d" % number, change)
                says = {at: -1 for at, place in says.items() if place < 0} | change
            else:
                first, count = change[0], min(change[1], 30 - change[0])
                archive._native.set_overlay(0, "committed", first, count, -1)
                says |= dict.fromkeys(range(first, first + count), -1)
            assert positions(archive) == says
        assert archive.verify().ok


def test_a_collection_keeps_the_set_and_takes_the_one_before_it(talk: vox.Archive) -> None:
    first = commit(talk, b"first " * 50, {0: 0})
    second = commit(talk, b"second " * 50, {1: 0})
    store = vox.ContentStore(talk.path)
    talk.gc(now=True)
    assert committed(talk) == b"second " * 50
    assert store.get(second) == b"second " * 50
    with pytest.raises(NotFoundError):
        store.get(first)
    commit(talk, b"first " * 50, {0: 0})
    assert committed(talk) == b"first " * 50, "what was collected can be committed again"
    assert talk.verify().ok


def full(archive: vox.Archive) -> None:
    """Says all there is to say of window 0."""
    commit(archive, b"the set", {1: 0, 4: 1})
    set_fates(archive, (0, 2, 3), (5, 1, 0))
    _native.set_route(archive._native, 0, "mine")


def assert_full(archive: vox.Archive) -> None:
    assert committed(archive) == b"the set"
    assert positions(archive) == {1: 0, 4: 1}
    assert fates(archive) == {0: 3, 1: 3, 5: 0}
    assert outline(archive).model_route == "mine"
    assert archive.verify().ok


def test_a_compacted_archive_has_all_of_it(talk: vox.Archive) -> None:
    full(talk)
    talk.compact()
    assert_full(talk)


def test_lines_of_json_have_all_of_it(talk: vox.Archive, tmp_path: Path) -> None:
    full(talk)
    lines = io.BytesIO()
    talk.export_jsonl(lines)
    lines.seek(0)
    import_jsonl(lines, tmp_path / "copy")
    with vox.open(tmp_path / "copy") as copy:
        assert_full(copy)
        _native.set_route(copy._native, 0, None)
        assert outline(copy).model_route is None


def test_a_salvaged_archive_has_all_of_it(talk: vox.Archive, tmp_path: Path) -> None:
    full(talk)
    talk.close()
    salvage(tmp_path / "archive", tmp_path / "saved")
    with vox.open(tmp_path / "saved") as saved:
        assert_full(saved)


def purge(archive: vox.Archive, *ordinals: int) -> None:
    archive.window(0).trim([range(ordinal, ordinal + 1) for ordinal in ordinals])
    archive.purge([0], trimmed=True, now=True, dry_run=False)


def test_purging_an_item_takes_the_set_that_repeats_it(talk: vox.Archive) -> None:
    """Its document may hold what the item said, so that nothing of it stays."""
    talk._native.set_overlay(0, "committed", 8, 1, -1)
    hashed = commit(talk, b"talk 4, head and tail", {1: 0, 4: 1})
    purge(talk, 4)
    assert committed(talk) is None
    assert outline(talk).committed_hash is None
    assert positions(talk) == {8: -1}
    talk.gc(now=True)
    with pytest.raises(NotFoundError):
        vox.ContentStore(talk.path).get(hashed)
    assert talk.verify().ok
    commit(talk, b"without it", {1: 0})
    assert committed(talk) == b"without it"


def test_purging_another_item_leaves_the_set(talk: vox.Archive) -> None:
    full(talk)
    purge(talk, 2, 7)
    assert_full(talk)


def test_purging_a_window_takes_its_set(talk: vox.Archive) -> None:
    talk.append("empty", [])
    commit(talk, b"of nobody", {})
    talk.window(0).delete()
    talk.purge([0], deleted=True, now=True, dry_run=False)
    assert committed(talk) is None
    with pytest.raises(PurgedError, match="was purged"):
        commit(talk, b"again")
    assert talk.verify().ok


def test_a_fork_takes_over_fates_and_model_but_no_set(talk: vox.Archive) -> None:
    talk._native.set_overlay(0, "committed", 2, 1, -1)
    full(talk)
    fork = talk.window(0).fork(4, key="fork").number
    assert committed(talk, fork) is None
    assert positions(talk, fork) == {2: -1}
    assert fates(talk, fork) == {0: 3, 1: 3}
    assert outline(talk, fork).model_route == "mine"
    commit(talk, b"of the fork", {0: 0}, window=fork)
    assert (committed(talk), committed(talk, fork)) == (b"the set", b"of the fork")
    assert talk.verify().ok


def test_a_session_that_begins_anew_takes_its_items_out(archive: vox.Archive) -> None:
    archive.sessions.append(Created(session="s"))
    archive.sessions.append(
        TurnAdded(session="s", role="user", items=[TurnItem(content=str(n)) for n in range(3)])
    )
    commit(archive, b"two", {0: 0, 2: 1})
    archive.sessions.append(Reset(session="s", reason="anew"))
    assert positions(archive) == {0: -1, 1: -1, 2: -1}
    commit(archive, b"one again", {1: 0})
    assert positions(archive) == {0: -1, 1: 0, 2: -1}


def test_the_last_range_of_fates_counts(talk: vox.Archive) -> None:
    assert set_fates(talk, (0, ITEMS, 1), (2, 3, 0), (4, 1, None)) == ITEMS - 1
    assert fates(talk) == {0: 1, 1: 1, 2: 0, 3: 0, 5: 1, 6: 1, 7: 1, 8: 1}
    assert set_fates(talk, (2, 2, 0), (4, 1, None)) == 0
    assert set_fates(talk, (3, 3, None)) == 2
    assert fates(talk) == {0: 1, 1: 1, 2: 0, 6: 1, 7: 1, 8: 1}
    assert set_fates(talk) == 0


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_fates_are_those_of_a_plain_dictionary(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    pick = Random(seed)
    with vox.open(tmp_path_factory.mktemp("fates") / "archive") as archive:
        archive.append("talk", items(40))
        says: dict[int, int] = {}
        for _ in range(4):
            before = dict(says)
            ranges = []
            for _ in range(pick.randrange(5)):
                first = pick.randrange(40)
                count, fate = pick.randrange(41 - first), pick.choice([None, 0, 1, 2, 3])
                ranges.append((first, count, fate))
                for at in range(first, first + count):
                    says.pop(at, None)
                    if fate is not None:
                        says[at] = fate
            changed = sum(says.get(at) != before.get(at) for at in range(40))
            assert set_fates(archive, *ranges) == changed
            assert fates(archive) == says


def test_fates_that_cannot_be_are_refused_and_nothing_changes(talk: vox.Archive) -> None:
    for wrong in ((0, 1, 4), (ITEMS, 1, 1), (0, ITEMS + 1, 1), (2**64 - 1, 9, 1)):
        with pytest.raises(InvalidArgumentError):
            set_fates(talk, (0, 1, 1), wrong)
    assert fates(talk) == {}


def test_a_model_that_its_user_chose_outlasts_imports(talk: vox.Archive) -> None:
    def source_says(model: str) -> None:
        talk.append(WindowDraft(key="talk", model_route=model), [])

    source_says("of the source")
    route = talk.window("talk").info
    assert route["model_route"] == "of the source"
    assert _native.set_route(talk._native, 0, "mine")
    assert not _native.set_route(talk._native, 0, "mine")
    source_says("another")
    assert talk.window("talk").info["model_route"] == "mine"
    assert _native.set_route(talk._native, 0, None)
    assert talk.window("talk").info["model_route"] == "another"
    assert not _native.set_route(talk._native, 0, None)
    assert talk.verify().ok


@pytest.mark.parametrize("other", [None, "mine", "another"])
def test_a_merged_window_has_the_model_that_all_of_its_parts_have(
    talk: vox.Archive, other: str | None
) -> None:
    talk.append("more", items(2, "more"))
    talk.append(WindowDraft(key="talk", model_route="of the source"), [])
    talk.append(WindowDraft(key="more", model_route="mine"), [])
    _native.set_route(talk._native, 0, "mine")
    _native.set_route(talk._native, 1, other)
    merged = talk.merge([("talk", [range(2)]), ("more", [range(1)])], key="both").number
    assert outline(talk, merged).model_route == (None if other == "another" else "mine")
    assert talk.verify().ok
    _native.set_route(talk._native, merged, None)
    assert outline(talk, merged).model_route == ("mine" if other is None else None)


def test_the_log_says_what_was_before(talk: vox.Archive) -> None:
    known = len(events(talk))
    commit(talk, b"one", {3: 0})
    commit(talk, b"two", {})
    set_fates(talk, (0, 2, 3))
    _native.set_route(talk._native, 0, "mine")
    first, second, decided, routed = events(talk)[known:]
    assert {row["window"] for row in (first, second, decided, routed)} == {0}
    assert (first["kind"], first["items"]) == ("context_committed", 1)
    assert "previous" not in first
    assert (second["previous"], second["items"]) == (first["set"], 0)
    assert decided["kind"] == "fates_set"
    assert decided["ranges"] != decided["before"]
    assert (routed["kind"], routed["from"]) == ("routed", {})
    assert routed["to"]["chosen"] is True


@pytest.mark.parametrize("model", ["", " m", "m\n", "m" * 501, "a\x00b"])
def test_what_cannot_be_a_model_is_refused(talk: vox.Archive, model: str) -> None:
    with pytest.raises(InvalidArgumentError, match="no name of a model"):
        _native.set_route(talk._native, 0, model)


def test_an_archive_opened_for_reading_takes_nothing(talk: vox.Archive) -> None:
    full(talk)
    with vox.open(talk.path, read_only=True) as archive:
        calls: list[Callable[[], object]] = [
            lambda: commit(archive, b"x"),
            lambda: set_fates(archive, (0, 1, 1)),
            lambda: _native.set_route(archive._native, 0, "other"),
        ]
        for call in calls:
            with pytest.raises(ReadOnlyError):
                call()
        assert_full(archive)


def test_nobody_gives_the_name_of_a_set_to_something_else(talk: vox.Archive) -> None:
    commit(talk, b"the set")
    store = vox.ContentStore(talk.path)
    held = store.put(b"held")
    with pytest.raises(InvalidArgumentError, match="committed set"):
        store.set_name(f"context:{talk.window(0).id}", held)
    assert committed(talk) == b"the set"


def test_a_journal_that_goes_on_leaves_all_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    journal.write(folder / "a.journal", journal.entries("a", ITEMS, seed=1))
    with vox.open(tmp_path / "archive") as archive:
        journal.ingest(archive, folder)
        full(archive)
        journal.write(folder / "a.journal", journal.entries("a", 3, seed=2))
        journal.ingest(archive, folder)
        assert archive.window(0).info["items"] == ITEMS + 3
        assert_full(archive)
