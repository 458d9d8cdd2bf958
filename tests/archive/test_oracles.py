"""Other libraries read a closed archive by its format, and agree with vox.

A separate process opens the data file with py-lmdb, for reading and without a lock; blobs are
decompressed by zstandard and hashed by blake3.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest
from blake3 import blake3

import vox
from tests import corpus
from tests.archive import plain_reader
from tests.archive.contents import items, windows
from tests.archive.transcripts import SESSION, record, session, write
from tests.sources import count_claude_code
from vox.archive import Archive

Read: TypeAlias = Callable[[Path], dict[str, Any]]


@pytest.fixture
def read(repository: Path, contracts: Path) -> Read:
    """What a reader without vox finds in a closed archive."""

    def read(place: Path) -> dict[str, Any]:
        generation = (place / "CURRENT").read_text().split()[-1]
        folder = place / "db" / generation
        before = (folder / "data.mdb").read_bytes()
        process = subprocess.run(
            [sys.executable, "-m", plain_reader.__name__, folder, contracts / "dictionaries"],
            cwd=repository,
            capture_output=True,
            timeout=120,
        )
        assert process.returncode == 0, process.stderr.decode()
        assert (folder / "data.mdb").read_bytes() == before
        return msgspec.msgpack.decode(process.stdout, type=dict[str, Any])

    return read


def sequences(archive: Archive) -> dict[tuple[str, int], list[list[Any]]]:
    """The items of every window, as vox says."""
    return {
        (row["key"], row["revision"]): [
            [
                item["role"],
                item["kind"],
                bytes(archive.read(item["item"])),
                item["created_at"],
                item["name"],
                item["chain_hash"],
            ]
            for item in items(archive.window(row["id"]))
        ]
        for row in windows(archive)
    }


def test_every_example_reads_the_same_without_vox(tmp_path: Path, read: Read) -> None:
    folders = [folder for tool in corpus.TOOLS for folder in corpus.folders(tool)]
    with vox.open(tmp_path / "archive") as archive:
        archive.ingest(paths=folders)
        expected = sequences(archive)
        blobs = archive.stats()["blobs"]
    found = read(tmp_path / "archive")
    assert {
        (window["key"], window["revision"]): window["items"] for window in found["windows"]
    } == expected
    assert found["blobs"] == blobs
    assert found["segments"] + found["tails"] > 1
    assert found["holds"] == 0


@pytest.mark.parametrize("tool", corpus.TOOLS)
def test_every_record_of_every_example_comes_back_byte_for_byte(
    tmp_path: Path, read: Read, tool: str
) -> None:
    with vox.open(tmp_path / "archive") as archive:
        archive.ingest([tool], root=corpus.folders(tool)[-1])
        files = [path for path, *_ in archive._native.sources()]
    found = read(tmp_path / "archive")
    rebuilt = set(found["records"])
    kept = {Path(os.fsdecode(path)): source for path, _, _, source in found["files"]}
    assert len(files) > 10
    for file in files:
        assert kept.get(file, b"") == file.read_bytes()
        for line in count_claude_code.split(file.read_bytes())[0]:
            assert line in rebuilt, (file, line[:300])


def test_quarantined_bytes_and_rewritten_windows_count_as_references(
    tmp_path: Path, read: Read
) -> None:
    file = write(tmp_path, session(3) + b"what is this\n" + record(3))
    with vox.open(tmp_path / "archive") as archive:
        archive.ingest(paths=[file])
        file.write_bytes(session(2) + record(2).replace(b"says", b"had said") + b"what is this\n")
        archive.ingest(paths=[file])
        expected = sequences(archive)
    found = read(tmp_path / "archive")
    assert {(w["key"], w["revision"]): w["items"] for w in found["windows"]} == expected
    assert {revision for _, revision in expected} == {0, 1}
    # Five items; the cuts of two readings of four records and of three; two places set aside.
    assert found["references"] == 5 + 4 + 3 + 2
    assert blake3(b"what is this").digest() in found["hashes"]


def test_an_index_that_was_merged_reads_the_same_without_vox(tmp_path: Path, read: Read) -> None:
    """More blobs than the recent index holds; some put twice, some released."""
    contents = [f"blob {number} ".encode() * (1 + number % 9) for number in range(70_000)]
    write(tmp_path / "p", session(20))
    with vox.open(tmp_path / "archive") as archive:
        archive.ingest(paths=[tmp_path / "p"])
        expected = sequences(archive)
    store = vox.ContentStore(tmp_path / "archive")
    hashes = store.put_many(contents)
    store.put_many(contents[:500])
    store.release_many(hashes[100:400])
    del store
    found = read(tmp_path / "archive")
    assert found["in_levels"] >= 65_536
    assert found["holds"] == 70_000 + 500 - 300
    assert set(hashes) <= set(found["hashes"])
    assert hashes == [blake3(content).digest() for content in contents]
    (window,) = found["windows"]
    assert window["items"] == expected[f"claude-code:{SESSION}", 0]
