"""Files as they are found: torn, damaged, odd, unreadable. The rest of an import goes on."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

import vox
from tests.archive.contents import contents, every_item, items, set_aside, windows
from tests.archive.transcripts import CODEX, ROLLOUT, SESSION, record, rollout, session, write
from vox.archive import Archive

NewArchive = Callable[[], Archive]


def texts(archive: Archive) -> list[bytes]:
    """What was said in the one conversation of an archive, in order."""
    newest = archive.window(f"claude-code:{SESSION}")
    return [
        bytes(archive.read(item["item"]))
        for item in newest.items(0, 1 << 40, preview=False).to_pylist()
    ]


def said(*numbers: int) -> list[bytes]:
    return [f"{'assistant' if n % 2 else 'user'} says {n} of {SESSION}".encode() for n in numbers]


def test_a_torn_last_line_is_read_once_it_is_whole(archive: Archive, tmp_path: Path) -> None:
    data = session(4)
    file = write(tmp_path, data[:-40])
    report = archive.ingest(paths=[file])
    assert texts(archive) == said(0, 1, 2)
    (problem,) = report.problems
    assert (problem.reason, problem.file_failed) == ("torn", False)
    assert problem.offset == len(session(3))
    assert problem.length == len(data) - 40 - problem.offset
    assert (report.quarantined, set_aside(archive, file)) == (0, [])
    file.write_bytes(data[:-20])
    assert archive.ingest(paths=[file]).added == 0
    file.write_bytes(data + session(6)[len(data) :])
    report = archive.ingest(paths=[file])
    assert (report.added, report.quarantined, report.problems) == (3, 0, [])
    assert texts(archive) == said(*range(6))
    assert archive.verify().ok


def test_a_last_line_without_a_line_end_is_taken_as_soon_as_it_is_whole(
    archive: Archive, tmp_path: Path
) -> None:
    data = session(5)
    file = write(tmp_path, session(3)[:-1])
    assert archive.ingest(paths=[file]).added == 3
    file.write_bytes(data)
    report = archive.ingest(paths=[file])
    assert (report.items, report.added, report.quarantined) == (2, 2, 0)
    assert texts(archive) == said(*range(5))


def damaged(middle: bytes) -> bytes:
    return record(0) + middle + record(2) + record(3)


TORN = record(1)[:120]
ODD: dict[str, tuple[bytes, list[int], list[tuple[int, int, str]]]] = {
    "torn": (damaged(TORN + b"\n"), [0, 2, 3], [(0, 120, "torn")]),
    "torn and continued by the next record": (damaged(TORN), [0, 2, 3], [(0, 120, "torn")]),
    "not JSON": (damaged(b"what is this\n"), [0, 2, 3], [(0, 12, "malformed")]),
    "JSON but no record": (damaged(b'[1, "two"]\n'), [0, 2, 3], [(0, 10, "not_a_record")]),
    "a number": (damaged(b"42\n"), [0, 2, 3], [(0, 2, "not_a_record")]),
    "padded with NUL": (damaged(b"\0" * 4096 + b"\n"), [0, 2, 3], [(0, 4096, "malformed")]),
    "NUL before one": (damaged(b"\0" * 300 + record(1)), [0, 1, 2, 3], [(0, 300, "malformed")]),
    "two on a line": (record(0) + record(1)[:-1] + record(2) + record(3), [0, 1, 2, 3], []),
    "over several lines": (
        damaged(record(1).replace(b', "', b',\n  "').replace(b"}", b"\n}")),
        [0, 1, 2, 3],
        [],
    ),
    "empty lines": (damaged(b"\n\n  \n" + record(1) + b"\r\n\n"), [0, 1, 2, 3], []),
    "CRLF": (session(4).replace(b"\n", b"\r\n"), [0, 1, 2, 3], []),
    "a byte order mark": (b"\xef\xbb\xbf" + session(4), [0, 1, 2, 3], []),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_what_is_no_record_is_set_aside_and_the_rest_goes_on(
    archive: Archive, tmp_path: Path, name: str
) -> None:
    data, numbers, expected = ODD[name]
    file = write(tmp_path, data)
    report = archive.ingest(paths=[file])
    assert texts(archive) == said(*numbers)
    start = len(record(0))
    places = [(start + offset, length, reason) for offset, length, reason in expected]
    assert set_aside(archive, file) == places
    assert report.quarantined == len(expected)
    assert [(p.path, p.offset, p.length, p.reason) for p in report.problems] == [
        (str(file), *place) for place in places
    ]
    assert not any(problem.file_failed for problem in report.problems)
    assert archive.verify().findings == []
    before = contents(archive)
    again = archive.ingest(paths=[file], verify_sources=True)
    assert (again.added, again.windows, again.quarantined) == (0, 0, len(expected))
    assert set_aside(archive, file) == places
    assert contents(archive) == before
    with file.open("ab") as stream:
        stream.write(record(4))
    assert archive.ingest(paths=[file]).added == 1
    assert texts(archive) == said(*numbers, 4)


def test_invalid_utf_8_is_kept_byte_for_byte(archive: Archive, tmp_path: Path) -> None:
    broken = record(1).replace(b"says 1", b"says \xff\xfe\xc3( 1")
    file = write(tmp_path, record(0) + broken + record(2))
    report = archive.ingest(paths=[file])
    kept = b"".join(bytes(archive.read(item)) for item in every_item(archive))
    aside = set_aside(archive, file)
    assert b"\xff\xfe\xc3(" in kept or [place[:2] for place in aside] == [
        (len(record(0)), len(broken) - 1)
    ]
    assert texts(archive)[0] == said(0)[0]
    assert texts(archive)[-1] == said(2)[0]
    assert not any(problem.file_failed for problem in report.problems)
    assert archive.verify().ok


def test_lone_surrogates_and_escapes_come_back_as_they_were(
    archive: Archive, tmp_path: Path
) -> None:
    odd = record(1).replace(b"says 1", rb"says \ud800 \u0000 \u00e4 \"\\\/ 1")
    file = write(tmp_path, record(0) + odd + record(2))
    archive.ingest(paths=[file])
    assert texts(archive)[1] == said(1)[0].replace(
        b"says 1", b'says \xed\xa0\x80 \x00 \xc3\xa4 "\\/ 1'
    )


@pytest.mark.parametrize("data", [b"", b"\n", b" \n\n", b"\0" * 4096])
def test_an_empty_file_is_no_transcript_until_something_is_in_it(
    archive: Archive, tmp_path: Path, data: bytes
) -> None:
    file = write(tmp_path / "folder", data)
    report = archive.ingest(paths=[file.parent])
    assert (report.files, report.problems) == (0, [])
    (problem,) = archive.ingest(paths=[file]).problems
    assert (problem.reason, problem.file_failed) == ("source_unreadable", True)
    file.write_bytes(data + session(2))
    assert archive.ingest(paths=[file.parent]).added == 2


def test_a_line_of_70_mb_is_an_ordinary_record(archive: Archive, tmp_path: Path) -> None:
    text = random.Random(7).randbytes(1 << 18).hex() * 140
    long = record(1).replace(b"assistant says 1", text.encode() + b" assistant says 1")
    file = write(tmp_path, record(0) + long + record(2))
    assert file.stat().st_size > 70_000_000
    report = archive.ingest(paths=[file])
    assert (report.added, report.quarantined, report.problems) == (3, 0, [])
    found = texts(archive)
    assert found[1] == text.encode() + b" " + said(1)[0]
    assert [found[0], found[2]] == said(0, 2)
    assert archive.ingest(paths=[file]).unchanged == 1


@pytest.mark.parametrize("position", ["first", "middle"])
def test_a_record_nested_too_deeply_is_set_aside(
    archive: Archive, tmp_path: Path, position: str
) -> None:
    deep = b'{"type":"user","more":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    cut = 0 if position == "first" else len(session(1))
    head, tail = session(3)[:cut], session(3)[cut:]
    file = write(tmp_path, head + deep + tail)
    archive.ingest(["claude-code"], root=tmp_path)
    assert texts(archive) == said(0, 1, 2)
    assert set_aside(archive, file) == [(len(head), len(deep) - 1, "too_deep")]
    assert archive.verify().ok


def test_a_record_nested_to_the_limit_is_taken(archive: Archive, tmp_path: Path) -> None:
    deep = b'{"type":"user","more":' + b"[" * 500 + b"]" * 500 + b"}\n"
    write(tmp_path, session(1) + deep)
    report = archive.ingest(paths=[tmp_path])
    assert (report.items, report.quarantined) == (2, 0)
    assert deep[:-1] in [bytes(archive.read(item)) for item in every_item(archive)]


# Compressed rollouts.


def turns(archive: Archive) -> list[bytes]:
    window = archive.window(f"codex:{CODEX}")
    return [bytes(archive.read(item["item"])) for item in window.items(0, 1 << 40).to_pylist()]


def expected_turns(count: int) -> list[bytes]:
    return [f"turn {n}".encode() for n in range(count)]


def compress(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def test_a_compressed_rollout_is_what_the_plain_one_is(
    new_archive: NewArchive, tmp_path: Path
) -> None:
    packed, plain = new_archive(), new_archive()
    file = write(tmp_path / "a", compress(rollout(50)), ROLLOUT + ".zst")
    other = write(tmp_path / "b", rollout(50), ROLLOUT)
    at = other.stat().st_mtime_ns
    os.utime(file, ns=(at, at))
    packed.ingest(paths=[file])
    plain.ingest(paths=[other])
    assert contents(packed) == contents(plain)
    assert packed.ingest(paths=[file]).unchanged == 1


def test_a_rollout_of_several_frames_is_read_to_its_end(archive: Archive, tmp_path: Path) -> None:
    data = rollout(60)
    pieces = [data[:1000], data[1000:1001], b"", data[1001:5000], data[5000:]]
    write(tmp_path, b"".join(map(compress, pieces)), ROLLOUT + ".zst")
    report = archive.ingest(paths=[tmp_path])
    assert (report.problems, turns(archive)) == ([], expected_turns(60))


def test_a_cut_off_compressed_rollout_gives_what_is_whole_and_the_rest_later(
    archive: Archive, tmp_path: Path
) -> None:
    cut = zstandard.ZstdCompressor().compressobj()
    first = cut.compress(rollout(30)) + cut.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    rest = cut.compress(rollout(40)[len(rollout(30)) :]) + cut.flush()
    file = write(tmp_path, first, ROLLOUT + ".zst")
    report = archive.ingest(paths=[file])
    assert turns(archive) == expected_turns(30)
    assert not any(problem.file_failed for problem in report.problems)
    file.write_bytes(first + rest)
    report = archive.ingest(paths=[file])
    assert (report.added, report.rewritten) == (10, 0)
    assert turns(archive) == expected_turns(40)
    assert archive.verify().ok


def test_a_damaged_frame_is_set_aside_and_the_next_is_read(
    archive: Archive, tmp_path: Path
) -> None:
    data = rollout(40)
    cut = len(rollout(20))
    first, second = compress(data[:cut]), compress(data[cut:])
    broken = bytearray(first)
    broken[len(first) // 2 :] = bytes(len(first) - len(first) // 2)
    file = write(tmp_path, bytes(broken) + second, ROLLOUT + ".zst")
    report = archive.ingest(paths=[file])
    assert turns(archive)[-20:] == expected_turns(40)[20:]
    assert "bad_frame" in {reason for *_, reason in set_aside(archive, file)}
    assert not any(problem.file_failed for problem in report.problems)
    assert archive.verify().ok


def test_of_a_plain_rollout_and_its_compressed_copy_one_is_read_and_both_are_one(
    archive: Archive, tmp_path: Path
) -> None:
    plain = write(tmp_path, rollout(20), ROLLOUT)
    packed = write(tmp_path, compress(rollout(20)), ROLLOUT + ".zst")
    report = archive.ingest(paths=[tmp_path])
    assert (report.files, report.added) == (1, 21)
    plain.unlink()
    report = archive.ingest(paths=[tmp_path])
    assert (report.files, report.added, report.windows) == (1, 0, 0)
    assert {path for path, *_ in archive._native.sources()} == {plain, packed}
    assert turns(archive) == expected_turns(20)


# What is no file, or can't be read.


def test_folders_pipes_and_links_that_lead_nowhere_do_not_stop_an_import(
    archive: Archive, tmp_path: Path
) -> None:
    folder = tmp_path / "projects"
    good = write(folder / "p", session(3))
    (folder / "p" / "folder.jsonl").mkdir()
    (folder / "p" / "loop.jsonl").symlink_to("loop.jsonl")
    (folder / "p" / "nowhere.jsonl").symlink_to("gone.jsonl")
    (folder / "p" / "up").symlink_to(folder, target_is_directory=True)
    os.mkfifo(folder / "p" / "pipe.jsonl")
    os.mkfifo(folder / "p" / "rollout-1.jsonl")
    for chosen in ({"root": folder}, {"paths": [folder]}):
        report = archive.ingest(**chosen)
        problems = {Path(problem.path).name: problem for problem in report.problems}
        assert problems.keys() == {"loop.jsonl", "nowhere.jsonl", "pipe.jsonl", "rollout-1.jsonl"}
        for problem in problems.values():
            assert (problem.reason, problem.file_failed) == ("source_unreadable", True)
    assert texts(archive) == said(0, 1, 2)
    assert [path for path, *_ in archive._native.sources()] == [good]


@pytest.mark.parametrize("name", ["pipe", "folder", "gone", "loop", "notes.txt"])
def test_a_path_that_is_no_transcript_is_a_problem_by_name(
    archive: Archive, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    good = write(tmp_path, session(2))
    if name == "pipe":
        os.mkfifo(path)
    elif name == "folder":
        path.mkdir()
    elif name == "loop":
        path.symlink_to(path)
    elif name == "notes.txt":
        path.write_text("hello")
    report = archive.ingest(paths=[path, good])
    assert report.added == 2
    if name == "folder":
        assert report.problems == []
    else:
        (problem,) = report.problems
        assert (problem.path, problem.reason) == (str(path), "source_unreadable")


@pytest.fixture
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that anyone may enter; the test runs as a user whom permissions bind."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    yield folder
    if is_root:
        os.seteuid(0)
    shutil.rmtree(folder)


def test_files_without_permission_are_named_and_the_rest_goes_on(guarded: Path) -> None:
    with vox.open(guarded / "archive") as archive:
        good = write(guarded / "projects", session(3))
        closed = write(guarded / "projects", session(3, session="x"), "x.jsonl")
        closed.chmod(0)
        for chosen in ({"root": good.parent}, {"paths": [good.parent]}, {"paths": [closed]}):
            (problem,) = archive.ingest(**chosen).problems
            assert (problem.path, problem.file_failed) == (str(closed), True)
            assert "Permission denied" in problem.message
        assert texts(archive) == said(0, 1, 2)
        closed.chmod(0o644)
        assert archive.ingest(paths=[good.parent]).added == 3
        closed.write_bytes(session(4, session="x"))
        closed.chmod(0)
        (problem,) = archive.ingest(paths=[good.parent]).problems
        assert (problem.path, problem.file_failed) == (str(closed), True)
        closed.chmod(0o644)
        assert archive.ingest(paths=[good.parent]).added == 1


def test_files_of_the_tool_that_are_no_transcripts_are_left_alone(
    archive: Archive, tmp_path: Path
) -> None:
    write(tmp_path / "p", session(2))
    write(tmp_path / "p", b'{"version":1,"entries":[{"sessionId":"a"}]}', "sessions-index.json")
    write(tmp_path / "p", b'{"display":"ls","project":"/w"}\n', "notes.jsonl")
    report = archive.ingest(["claude-code"], root=tmp_path)
    assert (report.files, report.windows, report.problems) == (1, 1, [])


def test_counts_by_role_hold_after_all_kinds_of_damage_at_once(
    archive: Archive, tmp_path: Path
) -> None:
    """Every odd file in one folder, one session each: none disturbs another."""
    expected: Counter[str] = Counter()
    for number, (data, numbers, _) in enumerate(ODD.values()):
        name = f"session-{number}"
        write(tmp_path, data.replace(SESSION.encode(), name.encode()), f"{name}.jsonl")
        expected[f"claude-code:{name}"] = len(numbers)
    report = archive.ingest(paths=[tmp_path])
    assert report.files == len(ODD)
    found: dict[str, Any] = {row["key"]: row for row in windows(archive)}
    shown = {key: archive.window(row["id"]).count() for key, row in found.items()}
    assert shown == expected
    assert sum(len(items(archive.window(row["id"]))) for row in found.values()) == report.items
    assert archive.verify().ok
