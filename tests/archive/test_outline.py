"""Outlines: all that is known of the items of a window, as flat columns of one moment."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vox
from tests.archive import journal
from vox import _native
from vox.archive.append import NewItem
from vox.errors import NotFoundError
from vox.sources.base import ItemKind, Role

COUNT = 1100
ENTRIES = list(journal.entries("a", COUNT, seed=4))
TYPES = {
    "items": np.uint64,
    "contents": np.uint64,
    "created_at": np.int64,
    "byte_len": np.uint64,
    "token_estimate": np.uint32,
    "names": np.uint32,
    "roles": np.uint8,
    "kinds": np.uint8,
    "flags": np.uint8,
    "calls": np.uint32,
    "committed": np.int64,
    "fates": np.int8,
}
SIDE, PINNED, REDACTED, PURGED, TRIMMED, RECORD = 1, 2, 4, 8, 16, 32


def columns(outline: _native.Outline) -> dict[str, list[int]]:
    """Every column as numbers; all are as long as the window."""
    all_of = {
        name: np.frombuffer(getattr(outline, name), kind).tolist() for name, kind in TYPES.items()
    }
    assert {len(column) for column in all_of.values()} <= {len(outline)}
    return all_of


def outline_of(archive: vox.Archive, window: str | int) -> _native.Outline:
    return _native.outline(archive._native, archive.window(window).number)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> vox.Archive:
    folder = tmp_path_factory.mktemp("outline")
    journal.write(folder / "in" / "a.journal", ENTRIES)
    journal.write(
        folder / "in" / "a.journal",
        [
            journal.Opening(window="b", parent="a", link="forked_from", shares=700),
            *(journal.Entry(window="b", text=f"own {number}", name="new") for number in range(9)),
        ],
    )
    archive = vox.open(folder / "archive")
    journal.ingest(archive, folder / "in")
    return archive


@pytest.mark.parametrize("name", ["journal:a", "journal:b"])
def test_an_outline_says_what_the_rows_of_the_window_say(archive: vox.Archive, name: str) -> None:
    window = archive.window(name)
    rows = window.items(0, 2 * COUNT, records=True).to_pylist()
    outline = _native.outline(archive._native, window.number)
    found = columns(outline)
    assert len(rows) == len(outline) == outline.length == window.info["items"]
    assert found["items"] == [row["item"] for row in rows]
    assert found["created_at"] == [row["created_at"] for row in rows]
    assert found["byte_len"] == [row["byte_len"] for row in rows]
    assert found["token_estimate"] == [row["token_estimate"] for row in rows]
    assert found["calls"] == [row["call"] for row in rows]
    assert [outline.role_names[role] for role in found["roles"]] == [row["role"] for row in rows]
    assert [outline.kind_names[kind] for kind in found["kinds"]] == [row["kind"] for row in rows]
    named = [outline.name_texts[place] or None for place in found["names"]]
    assert named == [row["name"] for row in rows]
    assert found["calls"] == [row["call"] for row in rows]
    assert len(set(found["calls"])) > 1 or name == "journal:b"
    for row, flags in zip(rows, found["flags"], strict=True):
        assert bool(flags & SIDE) == row["side"]
        assert bool(flags & REDACTED) == row["redacted"]
        assert bool(flags & PURGED) == row["purged"]
        assert bool(flags & RECORD) == (row["kind"] == "record")


def test_an_outline_names_its_window(archive: vox.Archive) -> None:
    parent, child = archive.window("journal:a"), archive.window("journal:b")
    outline = outline_of(archive, "journal:b")
    assert (outline.window, outline.id) == (child.number, str(child.id))
    assert (outline.parent, outline.kind) == (parent.number, child.info["kind"])
    assert (outline.model_route, outline.committed_hash) == (None, None)
    assert len(outline.chain) == 32
    assert outline.chain != outline_of(archive, "journal:a").chain


def test_equal_contents_are_equal_numbers(tmp_path: Path) -> None:
    texts = ["one", "two", "one", "", "two", ""]
    journal.write(tmp_path / "in" / "a.journal", [journal.Entry(window="a", text=t) for t in texts])
    with vox.open(tmp_path / "archive") as archive:
        journal.ingest(archive, tmp_path / "in")
        contents = columns(outline_of(archive, "journal:a"))["contents"]
    assert [contents.index(content) for content in contents] == [texts.index(t) for t in texts]


def test_a_call_and_its_result_have_one_number(tmp_path: Path) -> None:
    def entry(kind: ItemKind, call: str | None) -> NewItem:
        return NewItem(role=Role.TOOL, kind=kind, content="x", call_id=call)

    calls = ["one", "two", None, "one", "two"]
    with vox.open(tmp_path / "archive") as archive:
        archive.append("calls", [entry(ItemKind.TOOL_CALL, call) for call in calls])
        one, two, none, *results = columns(outline_of(archive, "calls"))["calls"]
    assert none == 0
    assert len({one, two, none}) == 3
    assert results == [one, two]


changes = st.lists(
    st.tuples(
        st.sampled_from(["trimmed", "pinned", "committed", "fate"]),
        st.integers(0, COUNT),
        st.integers(0, COUNT),
        st.one_of(st.none(), st.integers(-1, 3)),
    ),
    max_size=10,
)


@settings(max_examples=settings().max_examples // 2)
@given(changes=changes)
def test_what_changes_about_items_stands_in_the_outline(
    archive: vox.Archive, changes: list[tuple[str, int, int, int | None]]
) -> None:
    number = archive.window("journal:a").number
    says: dict[str, list[int | None]] = {}
    for overlay in ("trimmed", "pinned", "committed", "fate"):
        archive._native.set_overlay(number, overlay, 0, COUNT, None)
        says[overlay] = [None] * COUNT
    for overlay, first, count, value in changes:
        count = min(count, COUNT - first)
        if overlay == "fate" and value is not None:
            value %= 4
        archive._native.set_overlay(number, overlay, first, count, value)
        says[overlay][first : first + count] = [value] * count

    found = columns(_native.outline(archive._native, number))
    none: dict[str, Any] = {"committed": -2, "fate": -1}
    for column, overlay in (("committed", "committed"), ("fates", "fate")):
        expected = [none[overlay] if value is None else value for value in says[overlay]]
        assert found[column] == expected
    for flag, overlay in ((PINNED, "pinned"), (TRIMMED, "trimmed")):
        held = [bool(flags & flag) for flags in found["flags"]]
        assert held == [value is not None for value in says[overlay]]


def test_an_empty_window_has_an_empty_outline(tmp_path: Path) -> None:
    journal.write(tmp_path / "in" / "a.journal", [journal.Opening(window="a")])
    with vox.open(tmp_path / "archive") as archive:
        journal.ingest(archive, tmp_path / "in")
        outline = outline_of(archive, "journal:a")
    assert len(outline) == 0
    assert outline.name_texts == [""]
    assert outline.chain == bytes(32)
    assert set(map(len, columns(outline).values())) == {0}


def test_a_window_that_is_not_there_is_named(archive: vox.Archive) -> None:
    with pytest.raises(NotFoundError, match="no window number 99"):
        _native.outline(archive._native, 99)


def test_an_outline_of_a_window_that_grows_is_of_one_moment(tmp_path: Path) -> None:
    """Its items are a beginning of the window, and the chain is that of its last item."""

    def entry(number: int) -> NewItem:
        return NewItem(role=Role.USER, kind=ItemKind.MESSAGE, content=f"item {number}")

    with vox.open(tmp_path / "archive") as archive:
        archive.append("grows", [entry(0)])
        grows = archive.window("grows").number
        taken: list[_native.Outline] = []
        stop = threading.Event()

        def look() -> None:
            while not stop.is_set():
                taken.append(_native.outline(archive._native, grows))

        looking = threading.Thread(target=look)
        looking.start()
        try:
            for number in range(1, 40):
                archive.append("grows", [entry(number)])
        finally:
            stop.set()
            looking.join()
        rows = archive.window("grows").items(0, 40, hashes=True).to_pylist()
    assert taken
    for outline in taken:
        found = columns(outline)["items"]
        assert found == [row["item"] for row in rows[: len(found)]]
        assert outline.chain == rows[len(found) - 1]["chain_hash"]
