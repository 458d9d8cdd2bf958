"""Counting again what was counted: by bytes and by item, against hashing alone and warm peers.

    python benches/bench_recount.py                  1 M texts, 300,000 for the peers
    python benches/bench_recount.py --items 20000

Every contestant counts all texts once before the clock runs: vox keeps the counts in files, the
peers remember words. Peers are left out where they, or `VOX_PERF` with the vocabulary, aren't
there.
"""

from __future__ import annotations

import argparse
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import corpus
import vox_windows
from harness import NotHereError, Row, find, main, ratio, table, work_folder

ROUNDS = 5
"""How often each is measured; the best counts."""
MODEL = "gpt-4o"
ENCODING = "o200k_base"
BATCH = 10_000


def best(count: Callable[[], object], items: int, size: int) -> Row:
    """The best of some rounds."""
    seconds = min(timed_once(count) for _ in range(ROUNDS))
    return {
        "items": items,
        "megabytes": round(size / 1e6, 1),
        "items_per_second": round(items / seconds),
        "mb_per_second": round(size / 1e6 / seconds, 1),
    }


def timed_once(count: Callable[[], object]) -> float:
    start = time.perf_counter()
    count()
    return time.perf_counter() - start


def hash_alone(*, items: int, peer_items: int) -> Row:
    """A contestant: the hashes of all texts, on all cores."""
    vox = vox_windows.the_module()
    texts = corpus.load(items)
    return best(lambda: vox.hash_many(texts), len(texts), sum(map(len, texts)))


def by_bytes(*, items: int, peer_items: int) -> Row:
    """A contestant: texts whose counts are kept."""
    vox_windows.the_module()
    from vox.tokens import CountCache, TokenEstimator

    texts = corpus.load(items)
    place = work_folder() / "counts"
    shutil.rmtree(place, ignore_errors=True)
    tokenizer = TokenEstimator(MODEL).tokenizer
    start = time.perf_counter()
    first, _, kept = CountCache(place).count_many(texts, tokenizer)
    cold = time.perf_counter() - start
    assert kept
    cache = CountCache(place)  # opens the files as another process would
    again, known, _ = cache.count_many(texts, tokenizer)
    assert again == first
    row = best(lambda: cache.count_many(texts, tokenizer), len(texts), sum(map(len, texts)))
    files = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
    return row | {
        "known": known,
        "first_mb_per_second": round(row["megabytes"] / cold, 1),
        "file_mb": round(files / 1e6, 1),
    }


def by_item(*, items: int, peer_items: int) -> Row:
    """A contestant: items of an archive whose counts are kept."""
    vox = vox_windows.the_module()
    from vox.archive import NewItem
    from vox.sources.base import ItemKind, Role
    from vox.tokens import TokenEstimator

    texts = corpus.load(items)
    place = work_folder() / "counted.vox"
    shutil.rmtree(place, ignore_errors=True)
    archive = vox.open(place)
    for start in range(0, len(texts), BATCH):
        new = [
            NewItem(content=text, role=Role.USER, kind=ItemKind.MESSAGE)
            for text in texts[start : start + BATCH]
        ]
        archive.append("recount", new)
    counter = TokenEstimator(MODEL)
    start_at = time.perf_counter()
    numbers = archive.window("recount").count_tokens(counter).items
    cold = time.perf_counter() - start_at
    archive = vox.open(place, read_only=True)
    assert archive.item_tokens(numbers, counter).known == len(texts)
    size = sum(map(len, texts))
    row = best(lambda: archive.count_tokens(numbers, counter), len(texts), size)
    mixed = numbers[[place * 7919 % len(numbers) for place in range(len(numbers))]]
    anywhere = best(lambda: archive.count_tokens(mixed, counter), len(texts), size)
    return row | {
        "first_mb_per_second": round(size / 1e6 / cold, 1),
        "mixed_items_per_second": anywhere["items_per_second"],
    }


def vocabulary() -> Path:
    """The published file of the encoding."""
    perf = os.environ.get("VOX_PERF")
    path = Path(perf or "") / "vocab" / "named" / f"{ENCODING}.tiktoken"
    if perf is None or not path.exists():
        raise NotHereError("VOX_PERF names no folder with vocabularies")
    return path


def warm(make: Callable[[], Callable[[list[str]], object]], peer_items: int) -> Row:
    """A peer's second pass."""
    try:
        count = make()
    except ImportError as error:
        raise NotHereError(str(error)) from error
    texts = [text.decode("utf-8", "replace") for text in corpus.load(peer_items)]
    count(texts)
    return best(lambda: count(texts), len(texts), sum(len(text.encode()) for text in texts))


def gigatoken(*, items: int, peer_items: int) -> Row:
    """A peer."""

    def make() -> Callable[[list[str]], object]:
        import awkward
        import gigatoken

        encoder = gigatoken.Tokenizer.from_tiktoken(str(vocabulary()))
        return lambda texts: awkward.num(encoder.encode_batch(texts, parallel=True))

    return warm(make, peer_items)


def fastokens(*, items: int, peer_items: int) -> Row:
    """A peer."""

    def make() -> Callable[[list[str]], object]:
        import fastokens as peer

        encoder: Any = peer.Tokenizer.from_tiktoken(str(vocabulary()), encoding=ENCODING)
        return lambda texts: encoder.encode_batch_flat(texts, split_special_tokens=True)

    return warm(make, peer_items)


def quicktok(*, items: int, peer_items: int) -> Row:
    """A peer."""

    def make() -> Callable[[list[str]], object]:
        import quicktok as peer

        encoder: Any = peer.get_encoding(ENCODING)
        return lambda texts: peer.count_batch(encoder, texts, threads=os.cpu_count())

    return warm(make, peer_items)


PEERS = {"gigatoken": gigatoken, "fastokens": fastokens, "quicktok": quicktok}
CONTESTANTS = {"hash": hash_alone, "bytes": by_bytes, "item": by_item, **PEERS}


def report(rows: list[Row], options: argparse.Namespace) -> None:
    by_rate = sorted(
        (row for row in [find(rows, peer) for peer in PEERS] if row),
        key=lambda row: float(row["mb_per_second"]),
    )
    ours, item = find(rows, "bytes"), find(rows, "item") or {}
    rate = item.get("items_per_second")
    table(
        f"Counting {options.items:,} texts again",
        [
            (
                "by bytes, over hashing alone",
                ratio(ours, find(rows, "hash"), "mb_per_second"),
                ">= 0.6",
            ),
            (
                "by bytes, over the best warm peer",
                ratio(ours, by_rate[-1] if by_rate else None, "mb_per_second"),
                ">= 4",
            ),
            ("by item, million items a second", rate and rate / 1e6, ">= 3"),
        ],
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--peer-items", type=int, default=300_000)
    raise SystemExit(main("recount", CONTESTANTS, parser, report))
