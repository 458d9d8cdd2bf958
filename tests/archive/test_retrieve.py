"""Retrieval from an archive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import vox
from vox.archive import NewItem
from vox.context.retrieval import Retrieved
from vox.errors import InvalidArgumentError
from vox.models import ModelProfile
from vox.sources.base import ItemKind, Role, WindowDraft

PROFILE = ModelProfile("gpt-5", 100_000)


def said(text: str, role: Role = Role.USER) -> NewItem:
    return NewItem(role=role, kind=ItemKind.MESSAGE, content=text)


@pytest.fixture
def archive(tmp_path: Path) -> vox.Archive:
    archive = vox.open(tmp_path / "archive")
    draft = WindowDraft(key="one", title="Scrolling")
    archive.append(draft, [said("the terminal swallows the mouse wheel"), said("unrelated")])
    archive.append("two", [said("the terminal swallows the mouse wheel"), said("wheel of time")])
    return archive


def texts(answer: Retrieved) -> list[str]:
    return [one.shown for one in answer.references]


def test_copies_are_one_reference_that_says_how_many_windows_hold_it(
    archive: vox.Archive,
) -> None:
    answer = archive.retrieve("mouse wheel", PROFILE, 2000)
    by_text = {one.shown: one.about.windows for one in answer.references}
    assert by_text == {"the terminal swallows the mouse wheel": 2, "wheel of time": 1}
    (counted,) = PROFILE.cap([answer.text])
    assert counted <= answer.tokens <= 2000


def test_filters_stand_beside_the_question(archive: vox.Archive) -> None:
    answer = archive.retrieve("mouse wheel", PROFILE, 2000, where="in:two")
    assert {one.about.windows for one in answer.references} == {1}
    assert archive.retrieve("wheel", PROFILE, 2000, where="role:tool").references == []
    with pytest.raises(InvalidArgumentError, match="only filters can stand beside a question"):
        archive.retrieve("wheel", PROFILE, 2000, where="mouse", lanes=["text"])


def test_what_a_reference_names_can_be_opened(archive: vox.Archive) -> None:
    (first, *_) = archive.retrieve("of time", PROFILE, 2000).references
    assert first.handle == f"item:{first.about.item}"
    assert bytes(archive.read(first.about.item)) == b"wheel of time"


def test_without_a_service_meaning_is_left_out_with_a_note(archive: vox.Archive) -> None:
    notes = {lane.name: lane.note for lane in archive.retrieve("wheel", "gpt-5", 500).lanes}
    assert list(notes) == ["text", "structural", "semantic"]
    assert notes["semantic"] == "skipped: no embedding service is attached"


def test_what_came_last_is_found_as_the_index_catches_up_first(archive: vox.Archive) -> None:
    archive.update_index()
    archive.append("two", [said("a wheel that came last")])
    answer = archive.retrieve("last", PROFILE, 2000, lanes=["text"])
    assert texts(answer) == ["a wheel that came last"]
    assert answer.lanes[0].note is None


def test_where_nothing_can_be_written_a_note_says_what_was_left_out(archive: vox.Archive) -> None:
    archive.update_index()
    archive.append("two", [said("a wheel that came last")])
    reader = vox.open(archive.path, read_only=True)
    answer = reader.retrieve("last", PROFILE, 2000, lanes=["text"])
    assert answer.references == []
    assert answer.lanes[0].note == "newest items that aren't in the index yet: 1"


class Letters:
    """Vectors of how often letters occur: a service that is small and real."""

    name = "letters"
    dimensions = 26

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        letters = "abcdefghijklmnopqrstuvwxyz"
        rows = [[text.lower().count(letter) for letter in letters] for text in texts]
        return np.array(rows, np.float32).reshape(len(texts), 26)


def test_each_content_gets_vectors_once_and_loses_them_when_it_is_purged(
    archive: vox.Archive,
) -> None:
    assert archive.embed(Letters()) == 3
    assert archive.embed(Letters()) == 0
    archive.append("two", [said("new")])
    assert archive.embed(Letters()) == 1
    from vox.archive.vectors import VectorStore

    store = VectorStore.of_service(archive.path / "vectors", "letters", 26)
    assert len(store.contents()) == 4
    archive.trim(["two"])
    archive.purge(["two"], trimmed=True, now=True, dry_run=False)
    assert len(store.contents()) == 2
