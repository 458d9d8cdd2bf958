"""Reads a closed archive without vox, by the text of `contracts/archive-format.md` alone.

Run as a module with the folder that holds `data.mdb` and the folder of dictionaries, it checks
what it reads and writes what the archive holds to standard output as MessagePack.
"""

from __future__ import annotations

import itertools
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lmdb
import msgspec
import zstandard
from blake3 import blake3

from tests.layout import HOLE, Fields, chained, chunk, raw_run, signed, source_of

JOINT, MEMBER, GONE = 32, 254, 255


class Plain:
    """A data file, and what is read of it."""

    def __init__(self, folder: Path, dictionaries: Path) -> None:
        self.env = lmdb.open(
            str(folder), readonly=True, lock=False, create=False, max_dbs=64, readahead=False
        )
        self.dictionaries = {
            int(file.stem): zstandard.ZstdCompressionDict(
                file.read_bytes(), dict_type=zstandard.DICT_TYPE_FULLDICT
            )
            for file in dictionaries.glob("*.zdict")
        }
        self.blobs: dict[int, bytes] = {}
        self.hashes: dict[int, bytes] = {}
        self._read_blobs()
        self.items: dict[int, dict[str, Any]] = {}
        self._read_items()
        self.runs: dict[int, dict[str, Any]] = {}
        self.sources: dict[int, bytes] = {}
        self._read_runs()

    def rows(self, table: str) -> Iterator[tuple[bytes, bytes]]:
        database = self.env.open_db(table.encode(), create=False)
        with self.env.begin(database) as transaction:
            yield from transaction.cursor()

    def documents(self, table: str) -> Iterator[tuple[bytes, dict[str, Any]]]:
        for key, value in self.rows(table):
            yield key, msgspec.msgpack.decode(value)

    def _read_blobs(self) -> None:
        for key, value in self.rows("segments"):
            self._group(int.from_bytes(key), 0, value)
        for key, value in self.rows("tails"):
            self._group(int.from_bytes(key[:8]), int.from_bytes(key[8:]), value)

    def _group(self, segment: int, first: int, value: bytes) -> None:
        fields = Fields(value)
        count = fields.header()
        table = [
            (fields.number(4), fields.number(4), fields.number(1), fields.take(32))
            for _ in range(count)
        ]
        ends, lengths, codecs, hashes = zip(*table, strict=True)
        bodies = [fields.take(end - start) for start, end in zip([0, *ends], ends, strict=False)]
        assert fields.at == len(value)
        contents = self._contents(codecs, lengths, bodies)
        for slot, content in enumerate(contents):
            reference = segment << 16 | first + slot
            assert reference not in self.blobs
            if codecs[slot] == GONE:
                assert content == b""
            else:
                assert len(content) == lengths[slot]
                assert blake3(content).digest() == hashes[slot]
            self.blobs[reference] = content
            self.hashes[reference] = hashes[slot]

    def _contents(
        self, codecs: tuple[int, ...], lengths: tuple[int, ...], bodies: list[bytes]
    ) -> Iterator[bytes]:
        frame = Fields(b"")
        for slot, (codec, length, body) in enumerate(zip(codecs, lengths, bodies, strict=True)):
            if JOINT <= codec < 2 * JOINT:
                others = itertools.takewhile(
                    lambda i: codecs[i] in (MEMBER, GONE), range(slot + 1, len(codecs))
                )
                size = length + sum(lengths[i] for i in others if codecs[i] == MEMBER)
                frame = Fields(self._decode(codec - JOINT + 16 if codec > JOINT else 1, body, size))
                yield frame.take(length)
            elif codec == MEMBER:
                assert body == b""
                yield frame.take(length)
            else:
                yield self._decode(codec, body, length)

    def _decode(self, codec: int, body: bytes, length: int, before: bytes | None = None) -> bytes:
        """`before` are the bytes that a frame takes as if they came before it."""
        if codec in (0, GONE):
            return body
        dictionary = self.dictionaries[codec - 16] if codec >= 16 else None
        if before is not None and codec == 1:
            dictionary = zstandard.ZstdCompressionDict(
                before, dict_type=zstandard.DICT_TYPE_RAWCONTENT
            )
        reader = zstandard.ZstdDecompressor(
            dict_data=dictionary, format=zstandard.FORMAT_ZSTD1_MAGICLESS
        )
        return reader.decompress(body, max_output_size=length)

    def _read_items(self) -> None:
        symbols = {int.from_bytes(key): text.decode() for key, text in self.rows("symbols")}
        for key, value in self.rows("chunks"):
            run, first = int.from_bytes(key[:4]), int.from_bytes(key[4:])
            chain, rows = chunk(value)
            for place, row in enumerate(rows):
                row["name"] = symbols.get(row["name"])
                content = self.hashes[row["content"]]
                row["chain"] = blake3(chained(chain, row["role"], row["kind"], content)).digest()
                if not row["side"]:
                    chain = row["chain"]
                assert row["purged"] or row["byte_len"] == len(self.blobs[row["content"]])
                self.items[run << 32 | first + place] = row

    def sequence(self, window: int) -> list[int]:
        """The ids of a window's items, in order."""
        items: list[int] = []
        for key, value in self.rows("extents"):
            if int.from_bytes(key[:4]) == window:
                fields = Fields(value)
                run, first, count = fields.number(4), fields.number(4), fields.number(4)
                assert int.from_bytes(key[4:]) == len(items)
                items += [run << 32 | first + place for place in range(count)]
        return items

    def windows(self) -> list[dict[str, Any]]:
        found = []
        for key, row in self.documents("windows"):
            items = self.sequence(int.from_bytes(key))
            assert len(items) == row.get("items", 0)
            on_path = [self.items[item]["chain"] for item in items if not self.items[item]["side"]]
            assert row["chain"] == (on_path[-1] if on_path else bytes(32))
            found.append(
                {
                    "key": row["key"],
                    "revision": row.get("revision", 0),
                    "items": [self.shown(item) for item in items],
                }
            )
        return found

    def shown(self, item: int) -> list[Any]:
        row = self.items[item]
        content = self.blobs[row["content"]]
        return [row["role"], row["kind"], content, row["created_at"], row["name"], row["chain"]]

    def references(self) -> dict[str, Any]:
        """What the index says of each blob, and a recount."""
        indexed: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
        for key, value in self.rows("blob_recent"):
            fields = Fields(value)
            entry = indexed[int.from_bytes(key[:8]), int.from_bytes(key[8:])]
            entry[0] += fields.number(4, signed=True)
            entry[1] += fields.number(4, signed=True)
        levels = 0
        for _, value in self.rows("blob_levels"):
            fields = Fields(value)
            count = fields.header()
            prefixes = [fields.number(8) for _ in range(count)]
            columns = [fields.packed(count) for _ in range(3)]
            assert fields.at == len(value)
            assert [*zip(prefixes, columns[0], strict=True)] == sorted(
                zip(prefixes, columns[0], strict=True)
            )
            for prefix, payload, references, holds in zip(prefixes, *columns, strict=True):
                entry = indexed[prefix, payload]
                entry[0] += signed(references)
                entry[1] += signed(holds)
            levels += count
        counted: Counter[int] = Counter()
        for row in self.items.values():
            counted[row["content"]] += 1
            if row["rest"] is not None and "extra" in row["rest"]:
                counted[row["rest"]["extra"]] += 1
        for run in self.runs.values():
            counted.update(blob for blob, _, _, form in run["cuts"] if form != HOLE)
        for _, row in self.documents("quarantine"):
            if row.get("blob") is not None:
                counted[row["blob"]] += 1
        expected = {
            (int.from_bytes(self.hashes[reference][:8]), reference): counted[reference]
            for reference in self.blobs
        }
        assert {key: entry[0] for key, entry in indexed.items()} == expected
        holds = sum(entry[1] for entry in indexed.values())
        return {"references": counted.total(), "holds": holds, "in_levels": levels}

    def _read_runs(self) -> None:
        self.runs = {int.from_bytes(key): raw_run(value) for key, value in self.rows("raw_runs")}
        for number, run in self.runs.items():
            source = source_of(run, self._rest(run), self.blobs)
            holes = any(form == HOLE for *_, form in run["cuts"])
            assert holes or blake3(source).digest() == run["hash"]
            self.sources[number] = source

    def _rest(self, run: dict[str, Any]) -> bytes:
        base = None
        if run["base"] is not None:
            assert self.runs[run["base"]]["base"] is None
            base = self._rest(self.runs[run["base"]])
        return self._decode(run["codec"], run["body"], run["rest_len"], base)

    def records(self) -> set[bytes]:
        """Every record whose bytes are kept; those of items are the records that they name."""
        found: dict[int, bytes] = {}
        for number, run in self.runs.items():
            for place, (start, length) in enumerate(run["records"]):
                found[number << 16 | place] = self.sources[number][start : start + length]
        named = {item["rest"]["record"] for item in self.items.values() if item["rest"]}
        assert named <= set(found)
        return set(found.values())

    def files(self) -> list[list[Any]]:
        """Path, reading, domain and bytes of each source file that is kept."""
        paths = {key: row["path"] for key, row in self.documents("cursors")}
        found: dict[tuple[bytes, int, int], bytes] = defaultdict(bytes)
        for key, value in self.rows("raw_files"):
            cursor, reading, domain = key[:16], int.from_bytes(key[16:20]), key[20]
            row = Fields(value)
            run, length = row.number(8), row.number(8)
            assert int.from_bytes(key[21:]) == len(found[cursor, reading, domain])
            assert length == len(self.sources[run])
            found[cursor, reading, domain] += self.sources[run]
        return [[paths[cursor], *rest, source] for (cursor, *rest), source in found.items()]


def main(folder: str, dictionaries: str) -> None:
    plain = Plain(Path(folder), Path(dictionaries))
    answer = {
        "blobs": len(plain.blobs),
        "segments": sum(1 for _ in plain.rows("segments")),
        "tails": sum(1 for _ in plain.rows("tails")),
        "windows": plain.windows(),
        "records": sorted(plain.records()),
        "files": plain.files(),
        "hashes": sorted(plain.hashes.values()),
        **plain.references(),
    }
    sys.stdout.buffer.write(msgspec.msgpack.encode(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
