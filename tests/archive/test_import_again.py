"""Importing what was imported before: only what is new is read, and nothing is doubled or lost."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path

import pytest

from tests import corpus
from tests.archive.contents import contents, every_item, windows
from tests.archive.transcripts import SESSION, record, session, write
from vox.archive import Archive, ImportReport
from vox.errors import InvalidArgumentError

NewArchive = Callable[[], Archive]


def added(report: ImportReport) -> tuple[int, int, int, int]:
    return (report.windows, report.added, report.rewritten, report.responses)


NOTHING = (0, 0, 0, 0)


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """Copies of the examples."""
    shutil.copytree(corpus.EXAMPLES, tmp_path / "examples")
    return tmp_path / "examples"


def test_a_second_import_adds_nothing_and_says_so(archive: Archive, examples: Path) -> None:
    first = archive.ingest(paths=[examples])
    before = contents(archive)
    second = archive.ingest(paths=[examples])
    assert second.unchanged == first.files >= 40
    assert (second.files, second.items, second.shared, *added(second)) == (0, 0, 0, *NOTHING)
    assert second.record_types == {}
    assert contents(archive) == before


def test_an_unchanged_file_is_not_read(archive: Archive, tmp_path: Path) -> None:
    file = write(tmp_path, session(6))
    archive.ingest(paths=[file])
    before = contents(archive)
    was = file.stat()
    with file.open("r+b") as stream:
        stream.write(session(6, prefix="v"))
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
    is_now = file.stat()
    assert (is_now.st_size, is_now.st_ino, is_now.st_mtime_ns) == (
        was.st_size,
        was.st_ino,
        was.st_mtime_ns,
    )
    report = archive.ingest(paths=[file])
    assert (report.unchanged, report.items) == (1, 0)
    assert contents(archive) == before
    report = archive.ingest(paths=[file], verify_sources=True)
    assert (report.unchanged, report.items, report.responses) == (0, 6, 3)
    assert archive.verify().ok


def test_an_unchanged_file_is_not_even_opened(archive: Archive, tmp_path: Path) -> None:
    file = write(tmp_path / "folder", session(6))
    archive.ingest(paths=[tmp_path / "folder"])
    os.utime(file, ns=(1, file.stat().st_mtime_ns))
    before = file.stat().st_atime_ns
    file.read_bytes()
    if file.stat().st_atime_ns == before:
        pytest.skip("this file system doesn't note when files are read")
    os.utime(file, ns=(1, file.stat().st_mtime_ns))
    for chosen in ({"paths": [file]}, {"paths": [file.parent]}, {"root": file.parent}):
        assert archive.ingest(**chosen).unchanged == 1
        assert file.stat().st_atime_ns == 1


def test_comparing_all_of_an_unchanged_source_adds_nothing(
    archive: Archive, examples: Path
) -> None:
    archive.ingest(paths=[examples])
    before = contents(archive)
    report = archive.ingest(paths=[examples], verify_sources=True)
    assert report.unchanged == 0
    assert report.items > 1000
    assert added(report) == NOTHING
    assert contents(archive) == before


def boundaries(data: bytes) -> list[int]:
    ends = [at + 1 for at, byte in enumerate(data) if byte == 0x0A]
    return ends if ends and ends[-1] == len(data) else [*ends, len(data)]


GROWING = [
    "claude_code/spotter/short.jsonl",
    "claude_code/spotter/tool_heavy.jsonl",
    "claude_code/agent-sessions/small.jsonl",
    "claude_code/claude-code-log/todowrite_examples.jsonl",
    "claude_code/git-ai/claude-code-with-plan.jsonl",
    "codex/agent-sessions/large.jsonl",
    "codex/agent-sessions/small.jsonl",
    "codex/live-0.171.0/rollout-2026-11-30T08-23-36-01a22b8d-63dc-7be0-ac0d-e45dd0047b0e.jsonl",
]


def tool_name(name: str, data: bytes) -> str:
    """Claude Code names a file after its session; the examples were renamed."""
    named = re.search(rb'"sessionId":"([^"]+)"', data)
    return f"{named[1].decode()}.jsonl" if named else Path(name).name


def first_time(data: bytes) -> int:
    """The time that leading records without one are given, in ns: that of the next in their
    conversation which has one."""
    records = [json.loads(line) for line in data.splitlines() if line.strip()]
    untimed = next((n for n, record in enumerate(records) if "timestamp" not in record), 0)
    named = [r for r in records[untimed:] if "timestamp" in r and not r.get("isSidechain")]
    at = datetime.fromisoformat(named[0]["timestamp"]) if named else datetime.now()
    return int(at.timestamp() * 1000) * 1_000_000


@pytest.mark.parametrize("name", GROWING)
def test_a_file_imported_record_by_record_gives_the_archive_of_one_import(
    new_archive: NewArchive, tmp_path: Path, name: str
) -> None:
    data = (corpus.EXAMPLES / name).read_bytes()
    file = write(tmp_path, b"", tool_name(name, data))
    grown, whole = new_archive(), new_archive()
    first = first_time(data)
    start = 0
    for end in boundaries(data):
        with file.open("ab") as stream:
            stream.write(data[start:end])
        # Records without a time, and none before them, are as old as the file.
        os.utime(file, ns=(first, first))
        report = grown.ingest(paths=[file])
        assert not any(problem.file_failed for problem in report.problems), report.problems
        assert report.rewritten == 0
        start = end
    whole.ingest(paths=[file])
    assert contents(grown) == contents(whole)
    assert read_stretches(grown, file)[-1][1] == len(data)
    assert grown.verify().ok


def read_stretches(archive: Archive, file: Path) -> list[tuple[int, int]]:
    """From where to where a file was read, by the archive's log of events, in order."""
    import lmdb
    import msgspec

    generation = (archive.path / "CURRENT").read_text().split()[-1]
    place = str(archive.path / "db" / generation)
    found = []
    with lmdb.open(place, readonly=True, lock=False, max_dbs=64, create=False) as env:
        table = env.open_db(b"events", create=False)
        with env.begin(table) as transaction:
            for _, value in transaction.cursor():
                event = msgspec.msgpack.decode(value)
                if event["kind"] == "source_read" and event["path"] == str(file):
                    found.append((event["from"], event["to"]))
    return found


def test_only_the_new_bytes_of_a_file_that_grew_are_read(archive: Archive, tmp_path: Path) -> None:
    data = session(40)
    ends = boundaries(data)
    file = write(tmp_path, data[: ends[19]])
    assert archive.ingest(paths=[file]).items == 20
    with file.open("ab") as stream:
        stream.write(data[ends[19] :])
    report = archive.ingest(paths=[file])
    assert (report.files, report.items, report.added, report.shared) == (1, 20, 20, 0)
    assert report.record_types == {"claude-code:assistant": 10, "claude-code:user": 10}
    assert read_stretches(archive, file) == [(0, ends[19]), (ends[19], len(data))]


def test_a_response_that_goes_on_in_a_later_import_is_one_response(
    archive: Archive, tmp_path: Path
) -> None:
    def part(number: int, output: int) -> bytes:
        line = json.loads(record(number))
        line["type"] = "assistant"
        line["message"] = {
            "role": "assistant",
            "id": "msg-1",
            "model": "model-1",
            "content": [{"type": "text", "text": f"part {number}"}],
            "usage": {"input_tokens": 7, "output_tokens": output, "cache_read_input_tokens": 50},
        }
        line["requestId"] = "req-1"
        return json.dumps(line).encode() + b"\n"

    file = write(tmp_path, record(0) + part(1, 3))
    assert archive.ingest(paths=[file]).responses == 1
    with file.open("ab") as stream:
        stream.write(part(2, 90) + part(3, 90))
    archive.ingest(paths=[file])
    (window,) = windows(archive)
    (usage,) = archive.window(window["id"]).usage()
    assert (usage["input"], usage["output"], usage["cache_read"]) == (7, 90, 50)
    assert window["items"] == 4


def test_a_rewritten_file_is_read_anew_alone_and_what_it_was_is_kept(
    archive: Archive, tmp_path: Path
) -> None:
    other = write(tmp_path / "other", session(8, session="other", prefix="o"), "other.jsonl")
    file = write(tmp_path / "one", session(8))
    archive.ingest(paths=[tmp_path / "one", tmp_path / "other"])
    (before,) = [w for w in windows(archive) if w["key"].endswith(SESSION)]
    kept = contents(archive)
    changed = session(4) + b"".join(record(n).replace(b"says", b"now says") for n in range(4, 10))
    file.write_bytes(changed)
    report = archive.ingest(paths=[tmp_path / "one", tmp_path / "other"])
    assert (report.files, report.unchanged, report.items) == (1, 1, 10)
    assert (report.rewritten, report.windows, report.added, report.shared) == (1, 1, 6, 4)
    now = contents(archive)
    for key, window in kept.items():
        assert now[key]["item_rows"] == window["item_rows"]
    newest = now[f"claude-code:{SESSION} 1"]
    assert newest["items"] == 10
    assert newest["item_rows"][:4] == now[f"claude-code:{SESSION} 0"]["item_rows"][:4]
    assert archive.window(f"claude-code:{SESSION}").info["revision"] == 1
    assert archive.window(before["id"]).info["items"] == 8
    assert other.exists()
    with file.open("ab") as stream:
        stream.write(record(10))
    report = archive.ingest(paths=[file])
    assert (report.items, report.added, report.rewritten) == (1, 1, 0)
    assert archive.window(f"claude-code:{SESSION}").info["items"] == 11
    assert archive.verify().ok


@pytest.mark.parametrize("cut", [1, 4, 7])
def test_a_file_that_was_cut_off_and_grew_again_loses_nothing_and_doubles_nothing(
    archive: Archive, tmp_path: Path, cut: int
) -> None:
    file = write(tmp_path, session(8))
    archive.ingest(paths=[file])
    before = contents(archive)
    file.write_bytes(session(cut))
    report = archive.ingest(paths=[file])
    assert (report.items, *added(report)) == (cut, *NOTHING)
    assert contents(archive) == before
    file.write_bytes(session(10))
    report = archive.ingest(paths=[file])
    assert (report.windows, report.added, report.rewritten) == (0, 2, 0)
    assert len(every_item(archive)) == 10
    assert archive.verify().ok


def test_a_file_that_vanished_takes_nothing_with_it(archive: Archive, tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    file = write(folder, session(8))
    archive.ingest(["claude-code"], root=folder)
    before = contents(archive)
    file.unlink()
    report = archive.ingest(["claude-code"], root=folder)
    assert (report.files, report.unchanged, report.problems) == (0, 0, [])
    assert contents(archive) == before
    ((path, *_, gone_at),) = archive._native.sources()
    assert path == file
    assert gone_at is not None
    write(folder, session(9))
    report = archive.ingest(["claude-code"], root=folder)
    assert (report.added, report.rewritten) == (1, 0)
    ((*_, gone_at),) = archive._native.sources()
    assert gone_at is None


def test_a_root_that_is_not_there_is_an_error_and_nothing_counts_as_gone(
    archive: Archive, tmp_path: Path
) -> None:
    folder = tmp_path / "projects"
    write(folder, session(2))
    archive.ingest(["claude-code"], root=folder)
    folder.rename(tmp_path / "elsewhere")
    with pytest.raises(InvalidArgumentError, match="is no folder"):
        archive.ingest(["claude-code"], root=folder)
    ((*_, gone_at),) = archive._native.sources()
    assert gone_at is None


def fingerprints(folder: Path) -> dict[str, tuple[str, int, int]]:
    return {
        str(path): (
            hashlib.blake2b(path.read_bytes() if path.is_file() else b"").hexdigest(),
            path.stat().st_mtime_ns,
            path.stat().st_mode,
        )
        for path in [folder, *folder.rglob("*")]
    }


def test_sources_are_only_read(archive: Archive, examples: Path) -> None:
    for path in [*examples.rglob("*"), examples]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    before = fingerprints(examples)
    try:
        report = archive.ingest(paths=[examples])
        archive.ingest(paths=[examples], verify_sources=True)
        assert fingerprints(examples) == before
    finally:
        for path in [examples, *examples.rglob("*")]:
            path.chmod(0o755)
    assert report.files >= 40
    assert not any(problem.file_failed for problem in report.problems)


def replay(count: int, of: int) -> bytes:
    """A resumed session: the tool wrote `of` records of the first out again, and went on."""
    again = [
        record(number, session="resumed").replace(b"of resumed", f"of {SESSION}".encode())
        for number in range(of)
    ]
    return b"".join(again) + b"".join(record(n, session="resumed") for n in range(of, count))


@pytest.mark.parametrize("first", ["original", "resumed"])
def test_a_session_that_another_file_repeats_is_shared_in_either_order(
    archive: Archive, tmp_path: Path, first: str
) -> None:
    original = write(tmp_path, session(10))
    resumed = write(tmp_path, replay(14, 10), "resumed.jsonl")
    files = [original, resumed] if first == "original" else [resumed, original]
    reports = [archive.ingest(paths=[file]) for file in files]
    assert sum(report.added for report in reports) == 14
    assert sum(report.shared for report in reports) == 10
    assert len(every_item(archive)) == 14
    assert {row["key"]: row["items"] for row in windows(archive)} == {
        f"claude-code:{SESSION}": 10,
        "claude-code:resumed": 14,
    }
    responses = [u["key"] for row in windows(archive) for u in archive.window(row["id"]).usage()]
    assert len(responses) == len(set(responses)) == 7
    assert archive.verify().ok


def test_a_codex_fork_repeats_its_parent_with_other_times_and_is_shared(
    archive: Archive, tmp_path: Path
) -> None:
    def line(kind: str, second: int, **payload: object) -> bytes:
        at = f"2026-01-31T12:00:{second:02}.000Z"
        record = {"timestamp": at, "type": kind, "payload": payload}
        return json.dumps(record).encode() + b"\n"

    def said(role: str, text: str, second: int) -> bytes:
        content = [{"type": "input_text" if role == "user" else "output_text", "text": text}]
        return line("response_item", second, type="message", role=role, content=content)

    def talk(start: int, turns: Iterable[int]) -> bytes:
        return b"".join(
            said("assistant" if turn % 2 else "user", f"turn {turn}", start + turn)
            for turn in turns
        )

    parent, fork = (f"019fc8be-3658-7ca3-9e29-00000000000{n}" for n in (1, 2))
    write(
        tmp_path,
        line("session_meta", 0, id=parent, cwd="/w", instructions="be good") + talk(1, range(6)),
        f"rollout-1-{parent}.jsonl",
    )
    write(
        tmp_path,
        line("session_meta", 30, id=fork, cwd="/w", instructions="be good", forked_from_id=parent)
        + talk(31, range(6))
        + talk(40, range(6, 9)),
        f"rollout-2-{fork}.jsonl",
    )
    report = archive.ingest(paths=[tmp_path])
    assert (report.items, report.shared, report.added) == (17, 7, 10)
    (below,) = [row for row in windows(archive) if row["key"] == f"codex:{fork}"]
    (above,) = [row for row in windows(archive) if row["key"] == f"codex:{parent}"]
    assert below["parent"] == above["id"]


def test_a_dry_run_reads_everything_and_writes_nothing(archive: Archive, examples: Path) -> None:
    write(examples / "claude_code", session(4))
    archive.ingest(paths=[examples / "claude_code" / f"{SESSION}.jsonl"])
    write(examples / "claude_code", session(6))

    def hashes() -> dict[str, str]:
        files = [path for path in archive.path.rglob("*") if path.name != "lock.mdb"]
        return {
            str(path): hashlib.blake2b(path.read_bytes()).hexdigest()
            for path in files
            if path.is_file()
        }

    before = hashes()
    dry = archive.ingest(paths=[examples], dry_run=True)
    assert hashes() == before
    assert dry.dry_run
    assert windows(archive)[0]["items"] == 4
    wet = archive.ingest(paths=[examples])
    assert hashes() != before
    assert (dry.files, dry.items, dry.quarantined) == (wet.files, wet.items, wet.quarantined)
    assert dry.record_types == wet.record_types


def test_a_file_is_the_same_source_by_whatever_path_it_is_named(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "folder", session(4))
    monkeypatch.chdir(tmp_path)
    archive.ingest(paths=[Path("folder") / file.name])
    monkeypatch.chdir(tmp_path / "folder")
    for path in (Path(file.name), Path("..", "folder", file.name), file, Path()):
        assert archive.ingest(paths=[path]).unchanged == 1
    assert len(archive._native.sources()) == 1


def test_a_file_moved_elsewhere_is_shared_with_what_it_was(
    archive: Archive, tmp_path: Path
) -> None:
    file = write(tmp_path / "here", session(6))
    archive.ingest(paths=[file])
    before = contents(archive)
    there = tmp_path / "there.jsonl"
    file.rename(there)
    report = archive.ingest(paths=[there])
    assert (report.items, report.shared, *added(report)) == (6, 6, *NOTHING)
    assert contents(archive) == before


def test_two_files_of_one_conversation_go_on_each_with_its_own_revision(
    archive: Archive, tmp_path: Path
) -> None:
    """A session was copied and continued elsewhere: neither file's items end up in the other's
    window, and comparing the files with the archive again finds nothing new."""
    common = session(3)
    ours = write(tmp_path, session(6), "a.jsonl")
    other = session(8)[len(common) :].replace(b"says", b"said")
    theirs = write(tmp_path, common + other, "b.jsonl")
    archive.ingest(paths=[ours, theirs])
    assert archive.ingest(paths=[ours, theirs], verify_sources=True).windows == 0
    with ours.open("ab") as stream:
        stream.write(record(6))
    assert archive.ingest(paths=[ours, theirs]).added == 1
    lengths = {window["revision"]: window["items"] for window in windows(archive)}
    assert lengths == {0: 7, 1: 8}
    items = archive.window(f"claude-code:{SESSION}").items(0, 100).column("preview")
    assert [text.split()[1] for text in items] == ["says"] * 3 + ["said"] * 5
