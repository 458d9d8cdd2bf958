"""Content by hash, as services use it."""

from __future__ import annotations

import random
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

import vox
from tests.archive import journal
from vox.archive import verify_path
from vox.errors import (
    ConflictError,
    InvalidArgumentError,
    NotFoundError,
    ReadOnlyError,
    TooLargeError,
)

MISSING = bytes(32)


def digest(item: bytes | str) -> bytes:
    return blake3(item.encode() if isinstance(item, str) else item).digest()


@pytest.fixture
def store(tmp_path: Path) -> vox.ContentStore:
    return vox.ContentStore(tmp_path / "store")


# One and many.


@pytest.mark.parametrize(
    "item", [b"", b"\0", b"hello", "", "größer 漢🙂", b"\xff\xfe", b"x" * 70_000, bytes(3_000_000)]
)
def test_what_was_put_is_got_under_its_hash(store: vox.ContentStore, item: bytes | str) -> None:
    key = store.put(item)
    assert key == digest(item)
    content = store.get(key)
    assert content == (item.encode() if isinstance(item, str) else item)
    assert type(content) is bytes


def sizes() -> Iterator[int]:
    """Around the bounds of tails, segments and segments of their own."""
    yield from (0, 1, 255, 256, 4095, 65_000)
    yield from range(65_520 - 40, 65_520 + 3)
    yield from (1 << 17, (1 << 20) + 1)


@pytest.mark.parametrize("batch", [None, 1, 7, 1000])
def test_many_of_all_sizes_come_back_in_order(tmp_path: Path, batch: int | None) -> None:
    pick = random.Random(1)
    items = [pick.randbytes(size) for size in sizes()] + [b"ab" * size for size in sizes()]
    pick.shuffle(items)
    store = vox.ContentStore(tmp_path / "store")
    keys = store.put_many(items, batch=batch)
    assert keys == [digest(item) for item in items]
    assert store.get_many(keys) == items
    assert [store.get(key) for key in keys] == items
    again = vox.ContentStore(tmp_path / "store", read_only=True)
    pick.shuffle(keys)
    assert [digest(item) for item in again.get_many(keys)] == keys
    assert verify_path(tmp_path / "store").ok


def test_nothing_is_nothing(store: vox.ContentStore) -> None:
    assert store.put_many([]) == []
    assert store.put_many([], batch=10) == []
    assert store.get_many([]) == []
    assert store.refs([]) == []
    store.release_many([])


def test_text_is_its_utf8_and_any_sequence_will_do(store: vox.ContentStore) -> None:
    assert store.put_many(("ä", b"\xc3\xa4", bytearray(b"\xc3\xa4"))) == [digest("ä")] * 3
    assert store.refs([digest("ä")]) == [(0, 3)]


@pytest.mark.parametrize("wrong", [1, None, 1.5, ["x"], memoryview(b"x")])
def test_what_is_no_bytes_is_refused_before_anything_is_stored(
    store: vox.ContentStore, wrong: Any
) -> None:
    with pytest.raises(TypeError, match=f"bytes or str wanted, not {type(wrong).__name__}"):
        store.put_many([b"good", wrong])
    with pytest.raises(TypeError, match="bytes or str wanted"):
        store.put(wrong)
    with pytest.raises(TypeError, match="bytes or str wanted"):
        vox.hash_many([wrong])
    assert store.refs([digest(b"good")]) == [None]


@pytest.mark.parametrize("wrong", ["text", b"bytes"])
def test_one_item_is_no_sequence_of_items(store: vox.ContentStore, wrong: Any) -> None:
    with pytest.raises(TypeError):
        store.put_many(wrong)
    with pytest.raises(TypeError):
        vox.hash_many(wrong)


def test_half_a_surrogate_has_no_utf8(store: vox.ContentStore) -> None:
    with pytest.raises(UnicodeEncodeError):
        store.put("\ud800")
    with pytest.raises(UnicodeEncodeError):
        vox.hash_many(["fine", "\ud800"])


def test_more_than_a_gibibyte_is_too_large_and_costs_nothing(store: vox.ContentStore) -> None:
    large = bytes((1 << 30) + 1)  # zeros that the system lends only when they are looked at
    with pytest.raises(TooLargeError, match="1073741825"):
        store.put_many([b"before", large])
    assert store.refs([digest(b"before")]) == [None], "all or nothing"
    with pytest.raises(TooLargeError):
        store.put_many([b"first", b"second", large, b"third"], batch=2)
    counts = store.refs([digest(item) for item in (b"first", b"second", b"third")])
    assert counts == [(0, 1), (0, 1), None], "batches before the error are kept"


def test_an_archive_and_a_store_are_one(tmp_path: Path) -> None:
    """Items of windows are got by their hashes, and counted."""
    entries = list(journal.entries("a", 50, seed=3))
    journal.write(tmp_path / "in" / "a.journal", entries)
    with vox.open(tmp_path / "archive") as archive:
        journal.ingest(archive, tmp_path / "in")
        store = vox.ContentStore(tmp_path / "archive")
        assert store.path == archive.path
        times = Counter(entry.bytes for entry in entries)
        for content, number in times.items():
            assert store.get(digest(content)) == content
            # Once as an item, once as what its record holds.
            assert store.refs([digest(content)]) == [(2 * number, 0)]
        store.put(entries[0].bytes)
        assert store.refs([digest(entries[0].bytes)]) == [(2 * times[entries[0].bytes], 1)]


# Counting.


def test_a_blob_has_as_many_holds_as_it_was_put(store: vox.ContentStore) -> None:
    store.put_many([b"a", b"b", b"a"])
    store.put(b"a")
    keys = [digest(b"a"), MISSING, digest(b"b"), digest(b"a")]
    assert store.refs(keys) == [(0, 3), None, (0, 1), (0, 3)]
    store.release_many([digest(b"a"), digest(b"b"), digest(b"a")])
    assert store.refs(keys) == [(0, 1), None, (0, 0), (0, 1)]
    assert store.get(digest(b"b")) == b"b", "what nobody holds is there until it is collected"


def test_a_release_that_fails_gives_nothing_back(store: vox.ContentStore) -> None:
    first, second = store.put_many([b"a", b"b"])
    with pytest.raises(NotFoundError, match="no blob has the hash 0000"):
        store.release_many([first, MISSING])
    with pytest.raises(ConflictError, match="isn't held"):
        store.release_many([first, second, second])
    assert store.refs([first, second]) == [(0, 1), (0, 1)]


def test_what_is_missing_is_not_found(store: vox.ContentStore) -> None:
    key = store.put(b"here")
    with pytest.raises(NotFoundError, match="no blob has the hash 0000"):
        store.get(MISSING)
    with pytest.raises(NotFoundError):
        store.get_many([key] * 100 + [MISSING])
    near = key[:8] + bytes(24)
    with pytest.raises(NotFoundError):
        store.get(near)
    assert store.refs([near]) == [None]


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_hash_is_32_bytes(store: vox.ContentStore, length: int) -> None:
    for use in (store.get, lambda key: store.get_many([key]), lambda key: store.refs([key])):
        with pytest.raises(InvalidArgumentError, match=f"32 bytes long, not {length}"):
            use(bytes(length))
    for wrong in ("0" * 32, bytearray(32), list(range(32))):
        with pytest.raises(TypeError):
            store.get(wrong)  # type: ignore[arg-type]


def test_reading_only_refuses_writes_and_reads_what_others_write(tmp_path: Path) -> None:
    writer = vox.ContentStore(tmp_path / "store")
    reader = vox.ContentStore(tmp_path / "store", read_only=True)
    key = writer.put(b"new")
    assert reader.get(key) == b"new"
    for use in (
        lambda: reader.put(b"x"),
        lambda: reader.put_many([b"x"], batch=1),
        lambda: reader.release_many([key]),
    ):
        with pytest.raises(ReadOnlyError, match="was opened for reading only"):
            use()
    assert writer.refs([key, digest(b"x")]) == [(0, 1), None]


def test_a_store_says_where_it_is(tmp_path: Path) -> None:
    store = vox.ContentStore(tmp_path / "store")
    assert store.path == tmp_path / "store"
    assert str(tmp_path / "store") in repr(store)
    with pytest.raises(NotFoundError):
        vox.ContentStore(tmp_path / "missing", create=False)


# Hashing.


@given(items=st.lists(st.one_of(st.binary(max_size=3000), st.text(max_size=50)), max_size=200))
def test_hash_many_is_blake3_of_each(items: list[bytes | str]) -> None:
    assert vox.hash_many(items) == b"".join(map(digest, items))


def test_hash_many_hashes_large_items_whole() -> None:
    items = [random.Random(size).randbytes(size) for size in (1023, 1024, 1025, 1 << 20)]
    assert vox.hash_many(items) == b"".join(map(digest, items))


# Threads.


def test_sixteen_threads_share_a_store(tmp_path: Path) -> None:
    """All begin at once; items overlap, so that some are new in one commit and known in another."""
    store = vox.ContentStore(tmp_path / "store")
    begin = threading.Barrier(16)

    def work(number: int) -> list[bytes]:
        pick = random.Random(number)
        mine: list[bytes] = []
        begin.wait()
        for turn in range(12):
            items = [b"shared %d" % pick.randrange(40) for _ in range(5)]
            items.append(b"%d in turn %d" % (number, turn))
            keys = store.put_many(items)
            assert store.get_many(keys) == items
            mine += items
        return mine

    with ThreadPoolExecutor(16) as pool:
        put = Counter(item for items in pool.map(work, range(16)) for item in items)
    assert store.refs([digest(item) for item in put]) == [(0, number) for number in put.values()]
    assert verify_path(tmp_path / "store").ok


@pytest.fixture
def others_run_while() -> Iterator[Callable[[Callable[[], object]], bool]]:
    """Whether another Python thread gets a turn within a call. Threads aren't made to take turns
    meanwhile, so it gets one only if the call lets go of the interpreter; not every time, since
    it must also be awake by then."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)

    def run(call: Callable[[], object]) -> bool:
        return any(once(call) for _ in range(100))

    def once(call: Callable[[], object]) -> bool:
        turns: list[int] = []
        go = threading.Lock()
        go.acquire()

        def wait() -> None:
            with go:
                turns.append(1)

        thread = threading.Thread(target=wait)
        thread.start()
        before = list(turns)
        go.release()
        call()
        after = list(turns)
        thread.join()
        assert before == []
        return after == [1]

    yield run
    sys.setswitchinterval(interval)


def test_other_threads_run_while_the_store_works(
    store: vox.ContentStore, others_run_while: Callable[[Callable[[], object]], bool]
) -> None:
    items = [random.Random(number).randbytes(1 << 20) for number in range(8)]
    keys = [digest(item) for item in items]
    assert not others_run_while(lambda: sum(range(30_000))), "the measure is sound"
    assert others_run_while(lambda: store.put_many(items))
    assert others_run_while(lambda: store.put_many(items[:4], batch=2))
    assert others_run_while(lambda: store.get_many(keys))
    assert others_run_while(lambda: [store.get(key) for key in keys])
    assert others_run_while(lambda: vox.hash_many(items * 4))
    assert others_run_while(lambda: store.refs(keys * 2000))
