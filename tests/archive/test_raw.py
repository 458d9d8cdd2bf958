"""What was imported comes back byte for byte, whatever the files were like."""

from __future__ import annotations

import io
from pathlib import Path
from random import Random

import pytest
import zstandard
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

import vox
from tests import corpus
from tests.archive.transcripts import ROLLOUT, SESSION, record, rollout, session, write
from vox.archive import Archive
from vox.archive.raw import RawExport
from vox.errors import InvalidArgumentError, NotFoundError


def raw(archive: Archive, ref: str | Path, reading: int | None = None) -> bytes:
    to = io.BytesIO()
    archive.export_raw(ref, to, reading=reading)
    return to.getvalue()


def report(archive: Archive, ref: str | Path) -> RawExport:
    return archive.export_raw(ref, io.BytesIO())


@pytest.mark.parametrize("tool", corpus.TOOLS)
def test_every_file_of_every_example_comes_back(archive: Archive, tool: str) -> None:
    for folder in corpus.folders(tool):
        archive.ingest([tool], root=folder)
    sources = [path for path, *_ in archive._native.sources()]
    assert len(sources) > 10
    for path in sources:
        assert blake3(raw(archive, path)).digest() == blake3(path.read_bytes()).digest(), path
    assert archive.verify().ok


ODDITIES = {
    "a torn tail": session(3) + record(3)[:-20],
    "nothing but a torn tail": record(0)[:-5],
    "a torn tail after blank lines": session(2) + b"\n\n  \n" + record(2)[:40],
    "what is no record": session(2) + b"no record\n{]\n" + record(2),
    "what is no record at the end": session(2) + b"what is this\n",
    "line ends of two bytes": session(3).replace(b"\n", b"\r\n"),
    "a byte order mark": b"\xef\xbb\xbf" + session(2),
    "blank lines everywhere": b"\n\n" + session(2).replace(b"\n", b"\n \n\t\n"),
    "nothing at all": b"",
    "nothing but line ends": b"\n\n\n",
    "two records on a line": session(2).replace(b"\n", b" ", 1),
    "bytes that are no UTF-8": session(1) + record(1).replace(b"says", b"sa\xff\xfes"),
    "a long stretch that is no record": session(1) + b"x" * 3_000_000 + b"\n" + record(1),
    "a stretch longer than what is set aside": b"y" * 18_000_000 + b"\n" + session(2),
    "a record longer than a run": session(1) + record(1, note="long " * 500_000),
    "a broken document before a record": session(1) + b'{"a": [\n"b",\n' + record(1),
}


@pytest.mark.parametrize("content", ODDITIES.values(), ids=list(ODDITIES))
def test_odd_files_come_back(archive: Archive, tmp_path: Path, content: bytes) -> None:
    file = write(tmp_path, session(1))
    archive.ingest(paths=[file])
    file.write_bytes(content)
    archive.ingest(paths=[file])
    assert raw(archive, file) == content
    assert archive.verify().ok


@given(cuts=st.lists(st.integers(0, 4000), max_size=6), less=st.integers(0, 200))
def test_a_file_that_grows_comes_back_whatever_the_steps(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int], less: int
) -> None:
    folder = tmp_path_factory.mktemp("grows")
    whole = session(5) + b"no record\r\n\n" + record(5) + b'{"open": [\n' + record(6)
    whole = whole[: len(whole) - less]
    with vox.open(folder / "archive") as archive:
        first = len(record(0))
        steps = sorted(max(first, cut % (len(whole) + 1)) for cut in cuts)
        for step in [*steps, len(whole)]:
            file = write(folder / "in", whole[:step])
            archive.ingest(paths=[file])
        assert raw(archive, file) == whole
        assert archive.verify().ok
        assert archive.ingest(paths=[file], verify_sources=True).added == 0
        assert report(archive, file).readings == [0]
        assert raw(archive, file) == whole


def test_a_file_is_found_by_its_path_its_end_and_its_window(
    archive: Archive, tmp_path: Path
) -> None:
    file = write(tmp_path / "project", session(3))
    archive.ingest(paths=[file])
    file.unlink()
    for ref in (file, file.name, f"project/{file.name}", f"claude-code:{SESSION}"):
        assert raw(archive, ref) == session(3)
    with pytest.raises(NotFoundError, match="no window and no source file"):
        raw(archive, "elsewhere.jsonl")


def test_the_end_of_two_paths_names_none(archive: Archive, tmp_path: Path) -> None:
    files = [write(tmp_path / name, session(2)) for name in "ab"]
    archive.ingest(paths=files)
    with pytest.raises(InvalidArgumentError, match="2 source files have paths that end"):
        raw(archive, files[0].name)


def test_a_rewritten_file_comes_back_in_both_readings(archive: Archive, tmp_path: Path) -> None:
    first, second = session(4), session(2) + record(2).replace(b"says", b"had said")
    file = write(tmp_path, first)
    archive.ingest(paths=[file])
    file.write_bytes(second)
    archive.ingest(paths=[file])
    assert report(archive, file).readings == [0, 1]
    assert raw(archive, file) == second
    assert raw(archive, file, reading=0) == first
    with pytest.raises(NotFoundError, match="of these they are: 0, 1"):
        raw(archive, file, reading=2)
    assert archive.verify().ok


def test_comparing_sources_again_adds_nothing(archive: Archive, tmp_path: Path) -> None:
    file = write(tmp_path, session(3))
    archive.ingest(paths=[file])
    file.write_bytes(session(6) + b"no record\n")
    archive.ingest(paths=[file])
    before = archive.stats()["tables"]
    for _ in range(2):
        archive.ingest(paths=[file], verify_sources=True)
    after = archive.stats()["tables"]
    for table in ("raw_runs", "raw_files", "raw_samples", "segments", "tails"):
        assert after[table] == before[table]
    assert raw(archive, file) == file.read_bytes()


def test_equal_bytes_are_kept_once(archive: Archive, tmp_path: Path) -> None:
    files = [write(tmp_path / name, session(30)) for name in "abc"]
    archive.ingest(paths=files)
    tables = archive.stats()["tables"]
    assert (tables["raw_runs"]["rows"], tables["raw_files"]["rows"]) == (1, 3)
    assert [raw(archive, file) for file in files] == [session(30)] * 3


def test_the_records_of_a_fork_are_compressed_against_those_of_its_parent(
    archive: Archive, tmp_path: Path
) -> None:
    random = Random(1)
    lines = [record(n, trace=random.randbytes(200).hex()) for n in range(60)]
    parent = write(tmp_path / "p", b"".join(lines))
    other = f"{SESSION[:-1]}e"
    named, renamed = (f'"sessionId": "{name}"'.encode() for name in (SESSION, other))
    fork = write(tmp_path / "f", parent.read_bytes().replace(named, renamed), f"{other}.jsonl")
    report = archive.ingest(paths=[parent, fork])
    assert report.windows == 2
    kept = archive.stats()["kept"]["claude-code"]
    alone = len(zstandard.compress(parent.read_bytes()))
    assert alone > 10_000
    assert kept["run_bytes"] < alone * 1.3
    assert raw(archive, fork) == fork.read_bytes()
    assert archive.verify().ok


def test_a_compressed_file_comes_back_as_it_was(archive: Archive, tmp_path: Path) -> None:
    frames = [
        zstandard.ZstdCompressor(level=level).compress(part)
        for level, part in ((1, rollout(40)), (7, rollout(3)), (3, b"no record\n"))
    ]
    file = write(tmp_path, b"".join(frames), f"{ROLLOUT}.zst")
    archive.ingest(paths=[file])
    assert raw(archive, file) == file.read_bytes()
    assert archive.verify().ok


def test_without_custody_only_items_are_kept(archive: Archive, tmp_path: Path) -> None:
    file = write(tmp_path, session(3))
    archive.ingest(paths=[file], raw=False)
    assert archive.stats()["tables"]["raw_runs"]["rows"] == 0
    with pytest.raises(NotFoundError, match="no bytes of"):
        raw(archive, file)
    item = archive.window(0).items(0, 1).column("item")[0]
    assert archive.extra(item) is None
    file.write_bytes(session(5))
    archive.ingest(paths=[file])
    (hole,) = report(archive, file).holes
    assert (hole.offset, hole.length, hole.reason) == (0, len(session(3)), "not_kept")
    assert raw(archive, file) == b" " * len(session(3)) + session(5)[len(session(3)) :]
    assert archive.verify().ok
    archive.ingest(paths=[file], verify_sources=True)
    assert raw(archive, file) == session(5)
    assert archive.verify().ok


def test_what_was_purged_is_a_hole_and_stays_one(archive: Archive, tmp_path: Path) -> None:
    file = write(tmp_path, session(5))
    archive.ingest(paths=[file])
    archive._native.set_overlay(0, "trimmed", 2, 1, 5)
    archive.purge(trimmed=True, dry_run=False)
    done = report(archive, file)
    (hole,) = done.holes
    start, length = len(session(2)), len(record(2)) - 1
    expected = session(2) + b" " * length + session(5)[start + length :]
    assert (hole.offset, hole.length, hole.reason) == (start, length, "purged")
    assert not done.is_whole
    assert raw(archive, file) == expected
    archive.ingest(paths=[file], verify_sources=True)
    assert raw(archive, file) == expected
    assert archive.verify().ok
    archive.ingest(paths=[file], restore_purged=True)
    assert raw(archive, file) == session(5)
    assert archive.verify().ok


def test_purging_also_takes_what_a_compressed_file_held(archive: Archive, tmp_path: Path) -> None:
    file = write(tmp_path, zstandard.compress(rollout(5)), f"{ROLLOUT}.zst")
    archive.ingest(paths=[file])
    archive._native.set_overlay(0, "trimmed", 2, 1, 5)
    archive.purge(trimmed=True, dry_run=False)
    (hole,) = report(archive, file).holes
    lines = rollout(5).splitlines(keepends=True)
    assert hole.length in {len(line) - 1 for line in lines}
    blank = b" " * hole.length
    expected = rollout(5)[: hole.offset] + blank + rollout(5)[hole.offset + hole.length :]
    assert raw(archive, file) == expected
    assert archive.verify().ok


def test_a_share_is_told_of_each_tool(archive: Archive) -> None:
    archive.ingest(["claude-code"], root=corpus.EXAMPLES / "claude_code")
    kept = archive.stats()["kept"]["claude-code"]
    sizes = [path.stat().st_size for path, *_ in archive._native.sources()]
    assert kept["source_bytes"] == sum(sizes)
    taken = kept["item_bytes"] + kept["run_bytes"]
    assert kept["share"] == taken / kept["source_bytes"]
    assert kept["share_with_tables"] > kept["share"]


@pytest.mark.skipif(not corpus.CORPUS.is_dir(), reason="the larger corpus isn't here")
def test_items_and_bytes_of_the_claude_code_examples_take_15_percent(archive: Archive) -> None:
    archive.ingest(["claude-code"], root=corpus.CORPUS / "claude_code")
    assert archive.stats()["kept"]["claude-code"]["share"] <= 0.15
