"""Tokens of items, counted in the archive: those of their bytes."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy
import pyarrow as pa
import pytest

import vox
from vox.archive import NewItem
from vox.archive.counts import ItemWish
from vox.archive.window import Window
from vox.errors import InvalidArgumentError, NotFoundError, UnsupportedError
from vox.sources.base import ItemKind, Role
from vox.tokens import TokenEstimator

MODEL = "gpt-4o"


def message(text: str | bytes, kind: ItemKind = ItemKind.MESSAGE) -> NewItem:
    return NewItem(content=text, role=Role.USER, kind=kind)


def numbers(window: Window, **filters: bool) -> list[int]:
    return pa.table(window.items(0, 10_000, **filters))["item"].to_pylist()  # type: ignore[arg-type]


@pytest.fixture
def archive(tmp_path: Path) -> vox.Archive:
    archive = vox.open(tmp_path / "archive")
    archive.append("a", [message(f"item {n}: " + "größe 日本 " * (n % 40)) for n in range(1500)])
    archive.append(
        "b", [message(f"item {n}: " + "größe 日本 " * (n % 40)) for n in range(700, 2000)]
    )
    return archive


def bytes_counted(archive: vox.Archive, items: list[int]) -> list[int]:
    return list(vox.count_tokens([archive.read(item) for item in items], MODEL).tolist())


def test_items_by_their_numbers_in_lists_and_arrays(archive: vox.Archive) -> None:
    items = [*numbers(archive.window("b"))[::-3], *numbers(archive.window("a"))[:100]]
    wanted = bytes_counted(archive, items)
    given = [
        items,
        tuple(items),
        iter(items),
        numpy.array(items),
        pa.chunked_array([items[:7], items[7:]]),
    ]
    for some in given:
        counts = archive.count_tokens(some, MODEL)
        assert counts.dtype == numpy.uint32
        assert counts.tolist() == wanted
    assert archive.count_tokens([], MODEL).shape == (0,)


def test_a_window_with_filters_and_pages(archive: vox.Archive) -> None:
    archive.append("a", [message(b'{"type":"x"}', ItemKind.RECORD), message("last")])
    window = archive.window("a")
    window.trim([range(10, 20)])
    for filters in ({}, {"records": True}, {"trimmed": "show"}, {"trimmed": "only"}):
        items = numbers(window, **filters)  # type: ignore[arg-type]
        counted = window.count_tokens(MODEL, **filters)  # type: ignore[arg-type]
        assert counted.items.tolist() == items
        assert counted.tokens.tolist() == bytes_counted(archive, items)
        assert counted.total == sum(counted.tokens.tolist())
        page = window.count_tokens(MODEL, 5, 30, **filters)  # type: ignore[arg-type]
        assert page.tokens.tolist() == counted.tokens.tolist()[5:35]
    assert len(window.count_tokens(MODEL, 5000).tokens) == 0


def test_what_was_counted_is_known_to_the_next_who_opens_it_also_for_reading(
    archive: vox.Archive,
) -> None:
    items = numbers(archive.window("a"))
    first = archive.item_tokens(items, MODEL)
    assert (first.known, first.kept, first.kind) == (0, True, "exact")
    other = vox.open(archive.path, read_only=True).item_tokens(items, MODEL)
    assert (other.known, other.kept) == (len(items), True)
    assert other.tokens.tolist() == first.tokens.tolist()


def test_counting_is_no_event_and_no_transaction_of_the_archive(archive: vox.Archive) -> None:
    data = next(archive.path.glob("db/*/data.mdb"))
    before = data.read_bytes()
    archive.window("a").count_tokens(MODEL)
    assert data.read_bytes() == before


def test_a_purged_item_counts_nothing_and_is_named(archive: vox.Archive) -> None:
    window = archive.window("a")
    before = window.count_tokens(MODEL)
    window.trim([3])
    archive.purge([window], now=True, dry_run=False)
    after = archive.window("a").count_tokens(MODEL, trimmed="show")
    wanted = before.tokens.tolist()
    wanted[3] = 0
    assert after.tokens.tolist() == wanted
    assert after.purged.tolist() == [3]


def test_an_image_counts_nothing_here_and_is_named(archive: vox.Archive) -> None:
    image = message(b"\x89PNG\r\n\x1a\n\xff" * 100, ItemKind.ATTACHMENT)
    archive.append("c", [message("look"), image])
    for _ in range(2):
        counted = archive.window("c").count_tokens(MODEL)
        assert counted.no_text.tolist() == [1]
        assert counted.tokens.tolist() == [1, 0]


def test_a_family_without_tokenizer_is_bounded_or_refused(archive: vox.Archive) -> None:
    items = numbers(archive.window("a"))[:50]
    counted = archive.item_tokens(items, "claude-sonnet-4")
    contents = [archive.read(item) for item in items]
    wanted = TokenEstimator("claude-sonnet-4").count(contents, "cap")
    assert (counted.kind, counted.kept) == ("assumed", False)
    assert counted.tokens.tolist() == wanted.tolist()
    with pytest.raises(UnsupportedError):
        archive.count_tokens(items, "claude-sonnet-4", kind="exact")


@pytest.mark.parametrize(
    ("model", "wish", "kind"),
    [
        ("claude-sonnet-4", "best", "ratio"),
        ("claude-sonnet-4", "ratio", "ratio"),
        (MODEL, "ratio", "ratio"),
        (MODEL, "best", "exact"),
    ],
)
def test_items_are_estimated_as_their_texts_are(
    archive: vox.Archive, model: str, wish: ItemWish, kind: str
) -> None:
    items = numbers(archive.window("a"))[:50]
    counted = archive.item_tokens(items, model, kind=wish)
    contents = [archive.read(item) for item in items]
    assert counted.tokens.tolist() == vox.count_tokens(contents, model, kind=wish).tolist()
    assert (counted.kind, counted.kept) == (kind, kind == "exact")
    assert counted.says == TokenEstimator(model).says_of(counted.kind)


def test_what_names_no_item_is_refused(archive: vox.Archive) -> None:
    with pytest.raises(NotFoundError):
        archive.count_tokens([1 << 40], MODEL)
    for wrong in ([-1], [1.5], ["a"], [[1]]):
        with pytest.raises(InvalidArgumentError):
            archive.count_tokens(wrong, MODEL)  # type: ignore[arg-type]


def test_gc_and_compacting_leave_counts_by_item(archive: vox.Archive) -> None:
    items = numbers(archive.window("a"))
    before = archive.item_tokens(items, MODEL)
    archive.gc(now=True)
    archive.compact()
    after = archive.item_tokens(items, MODEL)
    assert after.known == len(items)
    assert after.tokens.tolist() == before.tokens.tolist()
    assert not list(archive.path.glob("counts/*/contents"))


def test_threads_count_at_once_while_another_appends(archive: vox.Archive) -> None:
    items = numbers(archive.window("a"))
    wanted = bytes_counted(archive, items)
    found: list[list[int]] = []

    def count() -> None:
        found.append(archive.count_tokens(items, MODEL).tolist())

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for n in range(20):
        archive.append("a", [message(f"later {n}")])
    for thread in threads:
        thread.join()
    assert found == [wanted] * 4


def test_damaged_counts_are_counted_again(archive: vox.Archive) -> None:
    items = numbers(archive.window("a"))
    wanted = archive.count_tokens(items, MODEL).tolist()
    for path in archive.path.glob("counts/*/*"):
        data = bytearray(path.read_bytes())
        for at in range(4096, len(data), 37):
            data[at] ^= 16
        path.write_bytes(data)
    assert archive.count_tokens(items, MODEL).tolist() == wanted
    for path in archive.path.glob("counts/*/*"):
        path.unlink()
        path.mkdir()
    again = archive.item_tokens(items, MODEL)
    assert again.tokens.tolist() == wanted
    assert not again.kept
