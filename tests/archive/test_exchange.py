"""Exports as lines of JSON make equal archives, and damaged ones make none."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any

import lmdb
import pytest
from blake3 import blake3

import vox
from tests import corpus, layout
from tests.archive.contents import exported
from tests.archive.examples import fill
from vox.archive import Archive, import_jsonl
from vox.errors import DamagedError, InvalidArgumentError, VoxError

INDEXES = {"blob_recent", "blob_levels", "chain_recent", "chain_levels"}
PACKED = {"segments", "tails"}


def tables(archive: Path) -> dict[str, Any]:
    """Every row of an archive but those of how it is packed, blobs by their hashes."""
    (data,) = archive.glob("db/*/data.mdb")
    with lmdb.open(str(data.parent), readonly=True, lock=False, max_dbs=100) as env:
        with env.begin() as txn:
            names = [name for name, _ in txn.cursor()]
        dbs = {name.decode(): env.open_db(name, create=False) for name in names}
        with env.begin() as txn:
            rows = {name: list(txn.cursor(db)) for name, db in dbs.items()}
    hashes = dict(blobs(rows))
    compared: dict[str, Any] = {
        name: dict(found) for name, found in rows.items() if name not in INDEXES | PACKED
    }
    compared["blobs"] = sorted(hashes.values())
    compared["meta"] = {k: v for k, v in rows["meta"] if not k.endswith(b"_merges")}
    compared["chunks"] = {key: items(value, hashes) for key, value in rows["chunks"]}
    compared["names"] = {k: hashes.get(v[1:], v) if v[0] == 0 else v for k, v in rows["names"]}
    compared["raw_runs"] = {key: raw_run(value, hashes) for key, value in rows["raw_runs"]}
    # The number of the blob is the only thing that may differ.
    compared["quarantine"] = [key for key, _ in rows["quarantine"]]
    return compared


def blobs(rows: dict[str, list[tuple[bytes, bytes]]]) -> list[tuple[bytes, bytes]]:
    """The reference of each blob, as names hold it, and its hash."""
    found = []
    for name in ("segments", "tails"):
        for key, value in rows[name]:
            first = int.from_bytes(key[:8], "big") << 16 | int.from_bytes(key[8:], "big")
            source = layout.Fields(value)
            for slot in range(source.header()):
                source.take(9)
                found.append(((first + slot).to_bytes(8, "little"), source.take(32)))
    return found


def raw_run(value: bytes, hashes: dict[bytes, bytes]) -> Any:
    run = layout.raw_run(value)
    names = [hashes.get(blob.to_bytes(8, "little")) for blob, *_ in run["cuts"]]
    return run | {"cuts": [(name, *cut[1:]) for name, cut in zip(names, run["cuts"], strict=True)]}


def items(chunk: bytes, hashes: dict[bytes, bytes]) -> Any:
    before, found = layout.chunk(chunk)
    for item in found:
        item["content"] = hashes[item["content"].to_bytes(8, "little")]
        if item["rest"] and "extra" in item["rest"]:
            item["rest"] = hashes[item["rest"]["extra"].to_bytes(8, "little")]
    return before, found


@pytest.fixture
def lines(archive: Archive, transcripts: Path) -> bytes:
    """The export of an archive of all examples, names, holds and overlays."""
    fill(archive, transcripts)
    return exported(archive)


def test_the_copy_equals_the_archive_and_exports_the_same(
    archive: Archive, lines: bytes, tmp_path: Path, transcripts: Path
) -> None:
    import_jsonl(io.BytesIO(lines), tmp_path / "copy")
    theirs = tables(archive.path)
    assert theirs["windows"]
    assert tables(tmp_path / "copy") == theirs
    with vox.open(tmp_path / "copy", create=False) as copy:
        assert exported(copy) == lines
        assert copy.verify().ok
        assert vox.ContentStore(copy.path).refs([blake3(b"held").digest()]) == [(0, 2)]
        for tool, folder in corpus.TOOLS.items():
            report = copy.ingest([tool], root=transcripts / folder)
            assert (report.files, report.added, report.windows) == (0, 0, 0)
            assert report.unchanged > 0


def test_every_line_is_described_and_readable(
    lines: bytes, contracts: Path, archive: Archive
) -> None:
    described = (contracts / "jsonl-export.md").read_text()
    seen = set()
    for line in lines.splitlines():
        row = json.loads(line)
        seen.add(row["type"])
        assert f"\n| {row['type']} |" in described
        # No character can act on a terminal.
        assert line.decode().isprintable() or not set(line.decode()) & set(map(chr, range(32)))
    assert {"header", "symbol", "blob", "window", "run", "item", "event", "trailer"} <= seen
    texts = {r["hash"]: r for r in map(json.loads, lines.splitlines()) if r["type"] == "blob"}
    assert texts[blake3(b"held").hexdigest()] == {
        "type": "blob",
        "hash": blake3(b"held").hexdigest(),
        "holds": 2,
        "text": "held",
    }


def test_a_file_is_written_whole_or_not_at_all(archive: Archive, tmp_path: Path) -> None:
    target = tmp_path / "out" / "all.jsonl"
    with pytest.raises(FileNotFoundError):
        archive.export_jsonl(target)
    target.parent.mkdir()
    target.write_text("before")
    done = archive.export_jsonl(target)
    assert target.stat().st_size == done.bytes
    assert target.read_bytes().count(b"\n") == done.lines
    assert [*target.parent.iterdir()] == [target]


def test_a_truncated_export_makes_no_archive(lines: bytes, tmp_path: Path) -> None:
    target = tmp_path / "copy"
    for length in (0, 1, 500, len(lines) // 2, lines.rindex(b'{"type":"trailer"'), len(lines) - 9):
        with pytest.raises(DamagedError, match=r"^line \d+: "):
            import_jsonl(io.BytesIO(lines[:length]), target)
        assert not target.exists()


def test_an_edited_export_makes_no_archive(lines: bytes, tmp_path: Path) -> None:
    target = tmp_path / "copy"
    numbers = random.Random(5)
    for _ in range(60):
        at = numbers.randrange(len(lines) - 1)
        edited = lines[:at] + bytes([lines[at] ^ 1 << numbers.randrange(7)]) + lines[at + 1 :]
        with pytest.raises(VoxError):
            import_jsonl(io.BytesIO(edited), target)
        assert not target.exists()


def test_an_archive_with_content_is_left_as_it_is(
    archive: Archive, lines: bytes, tmp_path: Path
) -> None:
    before = tables(archive.path)
    with pytest.raises(InvalidArgumentError, match="folder that doesn't exist"):
        import_jsonl(io.BytesIO(lines), archive.path)
    assert tables(archive.path) == before


def test_whoever_has_the_empty_archive_open_sees_the_imported_one(
    lines: bytes, tmp_path: Path
) -> None:
    with vox.open(tmp_path / "empty") as empty:
        assert empty.count_windows() == 0
        import_jsonl(io.BytesIO(lines), tmp_path / "empty")
        assert empty.count_windows() > 0
        empty.append("another", [])
        assert empty.verify().ok


def test_an_error_of_the_file_is_the_error(archive: Archive, tmp_path: Path) -> None:
    class Full(io.RawIOBase):
        def write(self, data: object) -> int:
            raise OSError(28, "No space left on device")

        def read(self, size: int = -1) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(OSError, match="No space"):
        archive.export_jsonl(Full())  # type: ignore[arg-type]
    with pytest.raises(OSError, match="Input/output"):
        import_jsonl(Full(), tmp_path / "copy")  # type: ignore[arg-type]
    assert not (tmp_path / "copy").exists()
