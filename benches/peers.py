"""What a user would take instead of vox's store, with the interface of `vox.ContentStore`.

Both keep what vox keeps: content under its BLAKE3 hash, compressed by zstd at level 1, stored once,
with a count of how often it was put. A peer's faster way is used wherever there is one.
"""

from __future__ import annotations

import sqlite3
import struct
from collections import Counter
from pathlib import Path

import lmdb
import zstandard
from blake3 import blake3

COUNT = struct.Struct("<q")
MAP_BYTES = 64 << 30


class LmdbStore:
    """py-lmdb + blake3 + zstandard: one tree of blobs, one of counts."""

    def __init__(self, path: Path) -> None:
        self.env = lmdb.open(str(path), map_size=MAP_BYTES, max_dbs=2)
        self.blobs = self.env.open_db(b"blobs")
        self.counts = self.env.open_db(b"counts")
        self.compress = zstandard.ZstdCompressor(level=1).compress
        self.decompress = zstandard.ZstdDecompressor().decompress

    def put_many(self, items: list[bytes], batch: int = 10_000) -> list[bytes]:
        """Hashes of the items, durable on return; a commit for each batch."""
        hashes: list[bytes] = []
        for first in range(0, len(items), batch):
            with self.env.begin(write=True) as txn:
                for item in items[first : first + batch]:
                    key = blake3(item).digest()
                    count = txn.get(key, db=self.counts)
                    if count is None:
                        txn.put(key, self.compress(item), db=self.blobs)
                        txn.put(key, COUNT.pack(1), db=self.counts)
                    else:
                        txn.put(key, COUNT.pack(COUNT.unpack(count)[0] + 1), db=self.counts)
                    hashes.append(key)
        return hashes

    def get(self, key: bytes) -> bytes:
        """Content by its hash."""
        with self.env.begin(buffers=True) as txn:
            return self.decompress(txn.get(key, db=self.blobs))

    def get_many(self, keys: list[bytes]) -> list[bytes]:
        """Contents in the order of the keys, by one cursor (the fastest of py-lmdb's ways)."""
        with self.env.begin(buffers=True, db=self.blobs) as txn:
            found = dict(txn.cursor().getmulti(keys))
            return [self.decompress(found[key]) for key in keys]

    def close(self) -> None:
        """Closes the environment."""
        self.env.close()


class SortedLmdbStore(LmdbStore):
    """As `LmdbStore`, with the keys of a batch sorted and written by one call for each tree."""

    def put_many(self, items: list[bytes], batch: int = 10_000) -> list[bytes]:
        """Hashes of the items, durable on return; a commit for each batch."""
        hashes: list[bytes] = []
        for first in range(0, len(items), batch):
            part = items[first : first + batch]
            keys = [blake3(item).digest() for item in part]
            values = dict(zip(keys, part, strict=True))
            times = Counter(keys)
            order = sorted(times)
            with self.env.begin(write=True) as txn:
                counts = txn.cursor(self.counts)
                known = {key: COUNT.unpack(count)[0] for key, count in counts.getmulti(order)}
                new = [(key, self.compress(values[key])) for key in order if key not in known]
                txn.cursor(self.blobs).putmulti(new)
                counts.putmulti([(k, COUNT.pack(known.get(k, 0) + times[k])) for k in order])
            hashes += keys
        return hashes


class SqliteStore:
    """SQLite in WAL mode: one table of blobs and counts."""

    def __init__(self, path: Path, synchronous: str = "NORMAL") -> None:
        path.mkdir(parents=True, exist_ok=True)
        self.db = sqlite3.connect(path / "store.db", isolation_level=None)
        self.db.execute("pragma journal_mode = wal")
        self.db.execute(f"pragma synchronous = {synchronous}")
        self.db.execute("pragma cache_size = -262144")
        self.db.execute("pragma mmap_size = 17179869184")
        self.db.execute(
            "create table if not exists blob (hash blob primary key, count int not null, body blob)"
        )
        self.compress = zstandard.ZstdCompressor(level=1).compress
        self.decompress = zstandard.ZstdDecompressor().decompress

    def put_many(self, items: list[bytes], batch: int = 10_000) -> list[bytes]:
        """Hashes of the items; a commit for each batch, as durable as `synchronous` makes it."""
        hashes: list[bytes] = []
        execute = self.db.execute
        for first in range(0, len(items), batch):
            execute("begin")
            for item in items[first : first + batch]:
                key = blake3(item).digest()
                seen = execute("update blob set count = count + 1 where hash = ?", (key,))
                if seen.rowcount == 0:
                    execute("insert into blob values (?, 1, ?)", (key, self.compress(item)))
                hashes.append(key)
            execute("commit")
        return hashes

    def get(self, key: bytes) -> bytes:
        """Content by its hash."""
        row = self.db.execute("select body from blob where hash = ?", (key,)).fetchone()
        return self.decompress(row[0])

    def get_many(self, keys: list[bytes]) -> list[bytes]:
        """Contents in the order of the keys, one statement each (faster here than one `in`)."""
        return [self.get(key) for key in keys]

    def close(self) -> None:
        """Moves the log into the database and closes it."""
        self.db.execute("pragma wal_checkpoint(truncate)")
        self.db.close()
