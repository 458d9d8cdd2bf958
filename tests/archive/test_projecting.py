"""Projections of windows that stand in an archive."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import vox
import vox.models
from tests import corpus
from vox.archive import Archive, NewItem, projecting
from vox.context.projection import Fate, Projection
from vox.errors import InvalidArgumentError, NotFoundError
from vox.models import ModelProfile
from vox.sources.base import ItemKind, Role

SMALL = ModelProfile("deepseek-v3", 8_192, locality="local")
LARGE = ModelProfile("gpt-4o", 1_000_000, sees_images=True)


def said(text: str | bytes, role: Role = Role.USER) -> NewItem:
    return NewItem(content=text, role=role, kind=ItemKind.MESSAGE)


def called(text: str, name: str = "Read") -> NewItem:
    return NewItem(content=text, role=Role.ASSISTANT, kind=ItemKind.TOOL_CALL, name=name)


def answered(text: str | bytes) -> NewItem:
    return NewItem(content=text, role=Role.TOOL, kind=ItemKind.TOOL_RESULT, name="Read")


def fates(projection: Projection) -> list[str]:
    return [str(one.fate) for one in projection.entries]


def test_real_windows_fit_a_small_and_a_large_model(archive: Archive, transcripts: Path) -> None:
    for tool, folder in corpus.TOOLS.items():
        archive.ingest([tool], root=transcripts / folder)
    windows = archive.windows(count=1_000).to_pylist()
    assert windows
    dropped = 0
    for info in windows:
        window = archive.window(info["id"])
        large = archive.project(window, LARGE)
        small = archive.project(window, SMALL, budget=2_000)
        assert len(large.entries) == len(small.entries) == len(window)
        assert small.used <= 2_000
        assert large.fates()["dropped"] == sum(
            one.fate == Fate.DROPPED and one.reason != "others are worth more for its tokens"
            for one in large.entries
        )
        assert [one.item for one in large.entries] == [one.item for one in small.entries]
        dropped += small.fates()["dropped"] - large.fates()["dropped"]
    assert dropped > 0


def test_nothing_that_a_model_is_shown_is_stored(archive: Archive) -> None:
    archive.append("a", [said("hello " * 900), said("there")])
    before = archive.stats()
    archive.project("a", SMALL, budget=300)
    after = archive.stats()
    assert {key: after[key] for key in ("items", "blobs") if key in after} == {
        key: before[key] for key in ("items", "blobs") if key in before
    }


def test_one_result_of_two_megabytes(archive: Archive) -> None:
    lines = "".join(f"{number:07} of the log\n" for number in range(110_000))
    archive.append("a", [said("Run it."), called("{}"), answered(lines)])
    projection = archive.project("a", SMALL)
    assert fates(projection) == ["included", "included", "summarized"]
    form = projection.entries[2].form or ""
    assert form.startswith("0000000 of the log")
    assert form.endswith("0109999 of the log\n")
    assert f"item:{projection.entries[2].item}" in form
    assert fates(archive.project("a", LARGE)) == ["included"] * 3


def test_a_model_is_named_or_described(archive: Archive) -> None:
    archive.append("a", [said("hello")])
    named = archive.project("a", "gpt-4o")
    assert named.profile == vox.models.profile("gpt-4o")
    assert named.budget < named.profile.max_context_tokens
    with pytest.raises(NotFoundError):
        archive.project("a", "no-such-family-of-models")
    unknown = archive.project("a", ModelProfile("nobody-knows-it", 4_096))
    assert unknown.kind_of_count == "assumed"
    assert fates(unknown) == ["included"]


def test_an_empty_window_and_a_budget_of_nothing(archive: Archive) -> None:
    archive.append("a", [])
    assert archive.project("a", LARGE).used == 0
    archive.append("a", [said("x")])
    assert archive.project("a", LARGE, budget=0).used == 0
    with pytest.raises(InvalidArgumentError, match="between 0 and the 1000000"):
        archive.project("a", LARGE, budget=-1)
    with pytest.raises(InvalidArgumentError):
        archive.project("a", LARGE, budget=1_000_001)
    with pytest.raises(NotFoundError):
        archive.project("nothing-like-it", LARGE)


def test_pins_trims_and_purges_of_the_archive_are_heeded(archive: Archive) -> None:
    archive.append("a", [said("pinned " * 200), said("trimmed"), said("purged"), said("x " * 400)])
    window = archive.window("a")
    window.pin_items([0])
    window.trim([1, 2])
    projection = archive.project("a", LARGE, budget=400)
    assert [one.reason for one in projection.entries][:3] == ["pinned", "trimmed", "trimmed"]
    assert projection.entries[0].fate == Fate.INCLUDED


def test_a_query_finds_what_answers_it(archive: Archive) -> None:
    texts = [f"note {number} about the weather in town {number} " * 6 for number in range(60)]
    texts[5] = "the database password rotates every ninety days " * 6
    archive.append("a", [said(text) for text in texts])
    without = archive.project("a", LARGE, budget=900)
    found = archive.project("a", LARGE, budget=900, query="how often does the password rotate")
    assert without.entries[5].fate != Fate.INCLUDED
    assert found.entries[5].fate == Fate.INCLUDED


def test_a_window_that_is_appended_to_meanwhile_is_of_one_moment(archive: Archive) -> None:
    archive.append("a", [said(f"first {number}") for number in range(50)])
    done = threading.Event()

    def append() -> None:
        number = 0
        while not done.is_set():
            archive.append("a", [called(f'{{"n": {number}}}'), answered(f"result {number}")])
            number += 1

    writer = threading.Thread(target=append)
    writer.start()
    try:
        for _ in range(25):
            projection = archive.project("a", SMALL, budget=1_500)
            assert projection.used <= 1_500
            ordinals = [one.ordinal for one in projection.entries]
            assert ordinals == list(range(len(ordinals)))
            kept = {one.pair for one in projection.shown if one.pair is not None}
            for one in projection.entries:
                assert (one.pair in kept) == (one.fate != Fate.DROPPED) or one.pair is None
    finally:
        done.set()
        writer.join()


def test_what_was_sent_stays(archive: Archive) -> None:
    archive.append("a", [said(f"turn {number} " * 40) for number in range(40)])
    first = archive.project("a", SMALL, budget=2_000)
    archive.append("a", [said("next")])
    frozen = archive.project("a", SMALL, previous=first.sent)
    assert frozen.state == "frozen"
    assert fates(frozen) == [*fates(first), "included"]
    assert frozen.chain != first.chain


def test_an_archive_that_is_open_for_reading_only_projects_as_well(tmp_path: Path) -> None:
    with vox.open(tmp_path / "a") as archive:
        archive.append("a", [said("hello " * 500), called('{"path": "src/x.py"}'), answered("x")])
        written = archive.project("a", SMALL, budget=400)
    with vox.open(tmp_path / "a", read_only=True) as archive:
        assert list(archive.project("a", SMALL, budget=400).entries) == list(written.entries)


def test_files_and_names_that_the_core_knows_of_are_weighed(archive: Archive) -> None:
    archive.append(
        "a",
        [
            said("The entry is handle_overflow_page in src/deep/btree_cursor.rs " * 3),
            *[said(f"something else, number {number} " * 12) for number in range(120)],
            called('{"file_path": "/repo/src/deep/btree_cursor.rs"}'),
            answered("fn handle_overflow_page() {}"),
            *[said(f"again handle_overflow_page, {number}") for number in range(6)],
        ],
    )
    material = projecting.material_of(archive._native, archive.window("a").number, LARGE)
    assert material.related.mentions[0] >= 6
    assert material.related.last_uses[0] == len(material.outline) - 1
    assert material.related.touched[121] == 0
    entries = archive.project("a", LARGE, budget=5_000).entries
    assert entries[0].fate == Fate.INCLUDED
    assert entries[1].fate != Fate.INCLUDED
