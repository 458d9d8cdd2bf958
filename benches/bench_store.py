"""Content store: put and get of many small items, against py-lmdb and SQLite.

    python benches/bench_store.py                        1 M items into empty stores
    python benches/bench_store.py --preload 10000000     vox also when it holds 10 M already
    python benches/bench_store.py --corpus items.pickle  one's own items, a pickled list of bytes

Everything is durable when a batch returns (SQLite: `synchronous = NORMAL`, which is less; FULL for
single puts). Gets are of content that was put, in random order, with the store in the page cache.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from corpus import load, numbered
from harness import (
    NotHereError,
    Row,
    anonymous_bytes,
    disk_bytes,
    find,
    main,
    percentiles_us,
    ratio,
    table,
    timed,
    work_folder,
)
from limit import derived_limit
from peers import LmdbStore, SortedLmdbStore, SqliteStore

GETS, GROUPS, GROUP = 20_000, 50, 1_000
PRELOAD_STEP = 200_000


class Store(Protocol):
    """What `vox.ContentStore` and the peers have in common."""

    def put_many(self, items: list[bytes], batch: int = ...) -> list[bytes]: ...
    def get(self, key: bytes) -> Any: ...
    def get_many(self, keys: list[bytes]) -> list[Any]: ...


def vox_store(path: Path) -> Any:
    """vox's store at a path."""
    try:
        from vox import ContentStore
    except ImportError as error:
        raise NotHereError(str(error)) from error
    return ContentStore(path)


def new_folder(name: str) -> Path:
    """An empty place for a store, below the work folder."""
    path = work_folder() / "stores" / name
    shutil.rmtree(path, ignore_errors=True)
    path.parent.mkdir(exist_ok=True)
    return path


def close(store: Any) -> None:
    """Closes what can be closed."""
    if hasattr(store, "close"):
        store.close()


def batches(name: str, opened: Callable[[Path], Any]) -> Callable[..., Row]:
    """A contestant: many items in durable batches into an empty store, then gets."""

    def run(*, items: int, corpus: Path | None, batch: int, **_: Any) -> Row:
        values = load(items, corpus)
        path = new_folder(name)
        store = opened(path)
        row = puts(store, values, batch) | gets(store, values)
        close(store)
        row |= {"disk_bytes": disk_bytes(path), **parts_of(path)}
        shutil.rmtree(path)
        return row

    return run


def parts_of(path: Path) -> Row:
    """Of a store of vox, the bytes of the content (blobs and their index) and of all other tables,
    in whole pages; nothing for a peer's."""
    if not (path / "CURRENT").exists():
        return {}
    import vox

    with vox.open(path, read_only=True) as archive:
        stats = archive.stats()
    return {"content_bytes": stats["content_bytes"], "spine_bytes": stats["spine_bytes"]}


def puts(store: Store, values: list[bytes], batch: int) -> Row:
    """Items per second, and what the store's own memory grew to."""
    before = anonymous_bytes()
    seconds = timed(lambda: store.put_many(values, batch=batch))
    return {
        "items": len(values),
        "seconds": round(seconds, 3),
        "items_s": round(len(values) / seconds),
        "mb_s": round(sum(map(len, values)) / seconds / 1e6, 1),
        "anonymous_mb": round((anonymous_bytes() - before) / 1e6, 1),
    }


def gets(store: Store, values: list[bytes]) -> Row:
    """Latency of single gets, and items per second of groups; every answer is checked."""
    from blake3 import blake3

    rng = random.Random(1)
    chosen = rng.choices(values, k=GETS)
    keys = [blake3(value).digest() for value in chosen]
    if any(bytes(store.get(key)) != value for key, value in zip(keys, chosen, strict=True)):
        raise AssertionError("a store gave back something else than was put")
    latencies = []
    for key in keys:
        start = time.perf_counter_ns()
        store.get(key)
        latencies.append(time.perf_counter_ns() - start)
    groups = [rng.sample(keys, GROUP) for _ in range(GROUPS)]
    seconds = timed(lambda: [store.get_many(group) for group in groups])
    figures = percentiles_us(latencies)
    return {
        "get_p50_us": figures["p50_us"],
        "get_p99_us": figures["p99_us"],
        "get_many_items_s": round(GROUPS * GROUP / seconds),
    }


def preloaded(name: str, opened: Callable[[Path], Any]) -> Callable[..., Row]:
    """A contestant: as `batches`, into a store that already holds `--preload` other items."""

    def run(*, items: int, corpus: Path | None, batch: int, preload: int, **_: Any) -> Row:
        if not preload:
            raise NotHereError("no --preload")
        values = load(items, corpus)
        path = new_folder(f"{name}-{preload}")
        store = opened(path)
        filling = timed(lambda: fill(store, numbered(values, preload), batch))
        row = puts(store, values, batch) | gets(store, values)
        close(store)
        row |= {"held": preload, "fill_items_s": round(preload / filling)}
        row |= {"disk_bytes": disk_bytes(path), **parts_of(path)}
        shutil.rmtree(path)
        return row

    return run


def fill(store: Store, values: Iterator[bytes], batch: int) -> None:
    """Puts items as they come."""
    while part := list(islice(values, PRELOAD_STEP)):
        store.put_many(part, batch=batch)


def single(name: str, opened: Callable[[Path], Any], threads: int) -> Callable[..., Row]:
    """A contestant: one durable put after the other, from one or many threads."""

    def run(*, singles: int, corpus: Path | None, items: int, **_: Any) -> Row:
        values = load(items, corpus)[:singles]
        path = new_folder(name)
        store = opened(path)

        def put_all(mine: list[bytes]) -> None:
            for value in mine:
                store.put_many([value])

        with ThreadPoolExecutor(threads) as pool:
            shares = [values[which::threads] for which in range(threads)]
            seconds = timed(lambda: list(pool.map(put_all, shares)))
        if threads == 1:
            close(store)
        return {"items": len(values), "threads": threads, "items_s": round(len(values) / seconds)}

    return run


def single_sqlite(*, singles: int, corpus: Path | None, items: int, **_: Any) -> Row:
    """SQLite with `synchronous = FULL`, one put after the other (it takes one writer at a time)."""
    values = load(items, corpus)[:singles]
    store = SqliteStore(new_folder("sqlite-single"), synchronous="FULL")
    seconds = timed(lambda: [store.put_many([value]) for value in values])
    store.close()
    return {"items": len(values), "threads": 1, "items_s": round(len(values) / seconds)}


def limit(*, items: int, corpus: Path | None, batch: int, **_: Any) -> Row:
    """The derived limit of two threads."""
    return derived_limit(load(items, corpus), work_folder(), batch)


CONTESTANTS: dict[str, Callable[..., Row]] = {
    "limit": limit,
    "vox": batches("vox", vox_store),
    "py-lmdb": batches("py-lmdb", LmdbStore),
    "py-lmdb sorted": batches("py-lmdb-sorted", SortedLmdbStore),
    "sqlite": batches("sqlite", SqliteStore),
    "vox holding more": preloaded("vox", vox_store),
    "vox single puts": single("vox-single", vox_store, threads=1),
    "vox single puts 16 threads": single("vox-single-16", vox_store, threads=16),
    "py-lmdb single puts": single("py-lmdb-single", LmdbStore, threads=1),
    "sqlite single puts": single_sqlite,
}


def report(rows: list[Row], options: argparse.Namespace) -> None:
    """Ratios beside their targets."""
    vox, lmdb, sqlite = find(rows, "vox"), find(rows, "py-lmdb"), find(rows, "sqlite")
    floor, more = find(rows, "limit"), find(rows, "vox holding more")
    one, many = find(rows, "vox single puts"), find(rows, "vox single puts 16 threads")
    full, in_order = find(rows, "sqlite single puts"), find(rows, "py-lmdb sorted")
    tree = find(rows, "py-lmdb single puts")
    table(
        "Content store: vox against its peers",
        [
            ("put, items/s over py-lmdb", ratio(vox, lmdb, "items_s"), ">= 8"),
            ("  over py-lmdb with sorted batches", ratio(vox, in_order, "items_s"), ""),
            ("put, items/s over SQLite WAL", ratio(vox, sqlite, "items_s"), ">= 8"),
            ("put when holding more, over empty py-lmdb", ratio(more, lmdb, "items_s"), ">= 6"),
            ("put when holding more, over empty SQLite", ratio(more, sqlite, "items_s"), ">= 6"),
            ("put, share of the limit of two threads", ratio(vox, floor, "items_s"), ">= 0.5"),
            ("single durable puts over SQLite FULL", ratio(one, full, "items_s"), ">= 0.3"),
            ("  py-lmdb", ratio(tree, full, "items_s"), ""),
            ("same from 16 threads", ratio(many, full, "items_s"), ">= 1"),
            ("get p50 over py-lmdb's", ratio(vox, lmdb, "get_p50_us"), "<= 0.6"),
            ("get_many(1000), items/s over py-lmdb", ratio(vox, lmdb, "get_many_items_s"), ">= 4"),
            (
                "content over zstd-1 bytes of distinct items",
                share(vox, floor, "content"),
                "<= 1.10",
            ),
            ("whole store on disk over the same", share(vox, floor, "disk"), ""),
            ("  py-lmdb", share(lmdb, floor, "disk"), ""),
            ("  SQLite", share(sqlite, floor, "disk"), ""),
        ],
    )


def share(row: Row | None, floor: Row | None, what: str) -> float | None:
    """Bytes of a store, or of its content, over the compressed bytes of the distinct items."""
    return row[f"{what}_bytes"] / floor["zstd1_bytes"] if row and floor else None


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--batch", type=int, default=10_000, help="items of one commit")
    parser.add_argument("--preload", type=int, default=0, help="items vox holds beforehand")
    parser.add_argument("--singles", type=int, default=2_000, help="single durable puts")
    parser.add_argument("--corpus", type=Path, help="pickled list of bytes to use as items")
    sys.exit(main("store", CONTESTANTS, parser, report))
