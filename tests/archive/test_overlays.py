"""What may change about items: views that hide, show and single out trimmed ones, and the columns
that say what is pinned, committed and trimmed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vox
from tests.archive import journal
from vox.errors import InvalidArgumentError, NotFoundError, ReadOnlyError

COUNT = 1100
OVERLAYS = ["trimmed", "pinned", "committed", "fate"]
ENTRIES = list(journal.entries("a", COUNT, seed=9))
SHOWN = [
    ordinal for ordinal, entry in enumerate(ENTRIES) if entry.kind is not journal.ItemKind.RECORD
]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> vox.Archive:
    folder = tmp_path_factory.mktemp("overlays")
    journal.write(folder / "in" / "a.journal", ENTRIES)
    journal.write(
        folder / "in" / "a.journal",
        [journal.Opening(window="b", parent="a", link="forked_from", shares=COUNT)],
    )
    archive = vox.open(folder / "archive")
    journal.ingest(archive, folder / "in")
    return archive


changes = st.lists(
    st.tuples(
        st.sampled_from(OVERLAYS),
        st.integers(0, COUNT),
        st.one_of(st.integers(0, 30), st.integers(0, COUNT)),
        st.one_of(st.none(), st.integers(0, 3), st.integers(-(2**63), 2**63 - 1)),
    ),
    max_size=12,
)


@settings(max_examples=settings().max_examples // 2)
@given(changes=changes, start=st.integers(0, COUNT), count=st.integers(0, COUNT))
def test_views_and_columns_say_what_a_plain_list_says(
    archive: vox.Archive,
    changes: list[tuple[str, int, int, int | None]],
    start: int,
    count: int,
) -> None:
    native = archive._native
    number = archive.window("journal:a").number
    for overlay in OVERLAYS:
        native.set_overlay(number, overlay, 0, COUNT, None)
    says: dict[str, list[int | None]] = {overlay: [None] * COUNT for overlay in OVERLAYS}
    for overlay, first, length, value in changes:
        length = min(length, COUNT - first)
        if overlay == "fate" and value is not None:
            value %= 4
        before = says[overlay][first : first + length]
        covered = native.set_overlay(number, overlay, first, length, value)
        assert covered == sum(value is not None for value in before)
        says[overlay][first : first + length] = [value] * length

    window = archive.window(number)
    trimmed = says["trimmed"]
    assert window.info["trimmed"] == sum(value is not None for value in trimmed)
    views: dict[str, list[int]] = {
        "show": SHOWN,
        "hide": [ordinal for ordinal in SHOWN if trimmed[ordinal] is None],
        "only": [ordinal for ordinal in SHOWN if trimmed[ordinal] is not None],
    }
    for how, ordinals in views.items():
        wanted: Any = {"trimmed": how}
        page = window.items(start, count, preview=False, **wanted)
        assert page.column("ordinal") == ordinals[start : start + count]
        assert window.count(**wanted) == len(ordinals)
        for row in page.to_pylist():
            ordinal = row["ordinal"]
            assert row["trimmed_at"] == trimmed[ordinal]
            assert row["committed"] == says["committed"][ordinal]
            assert row["pinned"] == (says["pinned"][ordinal] is not None)


def test_overlays_belong_to_their_window_alone(archive: vox.Archive) -> None:
    """Another window that shows the same items is as it was."""
    first, second = archive.window("journal:a"), archive.window("journal:b")
    archive._native.set_overlay(first.number, "trimmed", 0, COUNT, 77)
    archive._native.set_overlay(first.number, "pinned", 3, 2, 77)
    try:
        assert archive.window("journal:a").count(records=True) == 0
        assert second.count(records=True) == COUNT
        every = second.items(0, COUNT, records=True)
        assert set(every.column("trimmed_at")) == {None}
        assert set(every.column("pinned")) == {False}
        assert archive.window("journal:a").info["pinned"] is False, "items are pinned, it isn't"
        assert archive.verify().ok
    finally:
        archive._native.set_overlay(first.number, "trimmed", 0, COUNT, None)
        archive._native.set_overlay(first.number, "pinned", 0, COUNT, None)


def test_trimming_takes_nothing_away(archive: vox.Archive) -> None:
    window = archive.window("journal:a")
    item = window.items(0, 1).column("item")[0]
    archive._native.set_overlay(window.number, "trimmed", 0, COUNT, 5)
    try:
        assert archive.window(window.number).count() == 0
        assert archive.read(item) == ENTRIES[SHOWN[0]].bytes
        assert len(archive.timeline(count=2 * COUNT)) == len(SHOWN)
    finally:
        archive._native.set_overlay(window.number, "trimmed", 0, COUNT, None)


@pytest.mark.parametrize(("first", "count"), [(COUNT, 1), (0, COUNT + 1), (2**64 - 1, 2)])
def test_items_past_the_end_are_refused(archive: vox.Archive, first: int, count: int) -> None:
    with pytest.raises(InvalidArgumentError, match=f"has {COUNT} items"):
        archive._native.set_overlay(0, "trimmed", first, count, 1)


def test_overlays_of_nothing_are_named(archive: vox.Archive) -> None:
    with pytest.raises(NotFoundError, match="window 99"):
        archive._native.set_overlay(99, "trimmed", 0, 1, 1)
    with pytest.raises(InvalidArgumentError, match="tinted"):
        archive._native.set_overlay(0, "tinted", 0, 1, 1)


def test_an_archive_opened_for_reading_takes_no_overlay(tmp_path: Path) -> None:
    journal.write(tmp_path / "in" / "a.journal", journal.entries("a", 2, seed=1))
    with vox.open(tmp_path / "archive") as archive:
        journal.ingest(archive, tmp_path / "in")
    with (
        vox.open(tmp_path / "archive", read_only=True) as archive,
        pytest.raises(ReadOnlyError, match="opened for reading only"),
    ):
        archive._native.set_overlay(0, "pinned", 0, 1, 1)
