from __future__ import annotations

import pytest

from vox.archive import Archive
from vox.archive.content import Content
from vox.archive.history import Added, NewEntry
from vox.config import HistoryCaps
from vox.errors import InvalidArgumentError, NotFoundError, TooLargeError


def test_an_entry_is_kept_and_shown_in_the_window_of_its_kind_and_repository(
    archive: Archive,
) -> None:
    assert archive.history.add("command", "make", repo="r", at=5, name="zsh") == 0
    assert archive.history.add("clip", b"\xff", at=6) == 1
    clip, command = archive.history.entries()
    assert (command.number, command.kind, command.repo, command.content) == (
        *(0, "command", "r", "make"),
    )
    assert (command.name, command.at, command.bytes, command.pinned_at) == ("zsh", 5, 4, None)
    assert (clip.content, clip.repo) == (Content(data=b"\xff"), "")
    window = archive.window("vox-history:command:r")
    assert [window.info[name] for name in ("kind", "repo", "items")] == ["chat", "r", 1]
    assert archive.verify().ok


def test_entries_are_listed_by_kind_by_repository_and_by_page(archive: Archive) -> None:
    for number in range(6):
        kind = "clip" if number % 2 else "chat"
        archive.history.add(kind, str(number), repo="r" if number < 3 else None)

    def numbers(*arguments: object, **more: object) -> list[int]:
        return [entry.number for entry in archive.history.entries(*arguments, **more)]  # type: ignore[arg-type]

    assert numbers() == [5, 4, 3, 2, 1, 0]
    assert numbers("clip") == [5, 3, 1]
    assert numbers(repo="r") == [2, 1, 0]
    assert numbers(repo="") == [5, 4, 3]
    assert numbers("clip", before=5, count=1) == [3]


def test_the_oldest_unpinned_entries_go_when_more_come_than_the_caps_allow(
    archive: Archive,
) -> None:
    caps = HistoryCaps(entries=3, bytes=100)
    for text in ("a", "b", "c"):
        archive.history.add("clip", text, caps=caps)
    archive.history.pin(0)
    added = archive.history.add_many("clip", [NewEntry("d"), NewEntry("e")], caps=caps)
    assert added == Added(numbers=[3, 4], evicted=2)
    assert [entry.content for entry in archive.history.entries()] == ["e", "d", "a"]
    long = archive.history.add_many("clip", [NewEntry("x" * 99)], caps=caps)
    assert long.evicted == 2
    with pytest.raises(TooLargeError, match="101 bytes; history keeps 100"):
        archive.history.add("clip", "x" * 101, caps=caps)
    window = archive.window("vox-history:clip:")
    assert window.count() == 2
    assert window.count(trimmed="only") == 4
    assert archive.verify().ok


def test_a_removed_entry_goes_with_its_reference_and_its_item_is_trimmed(
    archive: Archive,
) -> None:
    archive.history.add("clip", "twice")
    archive.history.add("clip", "twice")
    archive.history.pin(0)
    assert archive.history.pin(0) == 0
    archive.history.remove(0)
    assert [entry.number for entry in archive.history.entries()] == [1]
    assert archive.window("vox-history:clip:").count() == 1
    with pytest.raises(NotFoundError, match="no history entry 0"):
        archive.history.unpin(0)
    archive.history.remove(1)
    assert archive.history.add("clip", "again") == 2
    assert archive.verify().ok


def test_a_kind_that_there_is_not_is_refused(archive: Archive) -> None:
    with pytest.raises(InvalidArgumentError, match="use one of: clip, command, chat"):
        archive.history.add("mood", "x")  # type: ignore[arg-type]
