"""The work that no store can avoid, timed by itself: hash, compress, write.

The derived limit of two threads is the sum of three times: hashing all items on two processes,
compressing the distinct ones on two threads, and writing the compressed bytes with one sync for
each batch. What Python itself costs for a call is measured on empty items and taken off, so that
the limit is that of the libraries.
"""

from __future__ import annotations

import os
import time
from multiprocessing import get_context
from pathlib import Path

import zstandard
from blake3 import blake3

from corpus import distinct
from harness import Row, timed

THREADS = 2


def derived_limit(items: list[bytes], folder: Path, batch: int = 10_000) -> Row:
    """Seconds of each part for these items, items/s of the whole, and the bytes written."""
    unique = distinct(items)
    hashing = _hash_seconds(items)
    compressing, bodies = _compress(unique, batch)
    writing = _write_seconds(bodies, folder / "limit.tmp")
    total = hashing + compressing + writing
    return {
        "hash_s": round(hashing, 3),
        "compress_s": round(compressing, 3),
        "write_s": round(writing, 3),
        "items_s": round(len(items) / total),
        "distinct": len(unique),
        "zstd1_bytes": sum(map(len, bodies)),
    }


def _hash_seconds(items: list[bytes]) -> float:
    """Of the slower of two processes that hash half of the items each, without Python's calls."""
    calls = timed(lambda: [blake3(b"").digest() for _ in range(len(items) // THREADS)])
    context = get_context("fork")
    queue = context.SimpleQueue()

    def half(which: int) -> None:
        mine = items[which::THREADS]
        queue.put(timed(lambda: [blake3(item).digest() for item in mine]))

    workers = [context.Process(target=half, args=(which,)) for which in range(THREADS)]
    for worker in workers:
        worker.start()
    slower = max(float(queue.get()) for _ in workers)
    for worker in workers:
        worker.join()
    return max(0.0, slower - calls)


def _compress(items: list[bytes], batch: int) -> tuple[float, list[bytes]]:
    """Seconds to compress items one by one on two threads, and the frames of each batch."""
    compressor = zstandard.ZstdCompressor(level=1)
    seconds = 0.0
    bodies = []
    for first in range(0, len(items), batch):
        part = items[first : first + batch]
        start = time.perf_counter()
        frames = compressor.multi_compress_to_buffer(part, threads=THREADS)
        seconds += time.perf_counter() - start
        bodies.append(b"".join(frame.tobytes() for frame in frames))
    return seconds, bodies


def _write_seconds(bodies: list[bytes], path: Path) -> float:
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    start = time.perf_counter()
    for body in bodies:
        os.write(file, body)
        os.fdatasync(file)
    seconds = time.perf_counter() - start
    os.close(file)
    path.unlink()
    return seconds
