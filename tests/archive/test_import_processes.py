"""Imports beside others: while files grow, from two processes at once, killed at any moment."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import vox
from tests import corpus
from tests.archive.contents import contents, every_item, windows
from tests.archive.transcripts import SESSION, record, session, write
from vox.archive import Archive, Progress

NewArchive = Callable[[], Archive]

SECONDS = 60
"""How long a child may take before the test fails."""

IMPORT = """
import sys
from pathlib import Path
import vox

def show(progress):
    print(progress.files_done, progress.items, flush=True)

archive = vox.open(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
report = archive.ingest(paths=[Path(sys.argv[2])], progress=show)
for problem in report.problems:
    print("problem", problem, flush=True)
print("done", report.added, report.shared, report.unchanged, flush=True)
"""


def importing(archive: Path, folder: Path) -> subprocess.Popen[str]:
    """A process that imports `folder` once it is given a line, and says how far it is."""
    child = subprocess.Popen(
        [sys.executable, "-c", IMPORT, str(archive), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


def go(child: subprocess.Popen[str]) -> None:
    assert child.stdin is not None
    child.stdin.write("\n")
    child.stdin.flush()


def test_a_file_that_grows_meanwhile_is_completed_by_the_next_import(
    archive: Archive, new_archive: NewArchive, tmp_path: Path
) -> None:
    file = write(tmp_path, session(1))
    count = 3000

    def append() -> None:
        with file.open("ab", buffering=0) as stream:
            for number in range(1, count):
                line = record(number)
                # In two pieces: a reader may see half a record.
                stream.write(line[:90])
                stream.write(line[90:])

    writer = threading.Thread(target=append)
    imports = 0
    writer.start()
    while writer.is_alive():
        report = archive.ingest(paths=[file])
        assert (report.rewritten, report.quarantined) == (0, 0)
        assert not any(problem.file_failed for problem in report.problems), report.problems
        imports += 1
    writer.join()
    last = archive.ingest(paths=[file])
    assert last.problems == []
    assert archive.ingest(paths=[file]).unchanged == 1
    whole = new_archive()
    whole.ingest(paths=[file])
    assert imports >= 1
    assert len(every_item(archive)) == count
    assert contents(archive) == contents(whole)
    assert archive.verify().ok


def test_lines_that_come_while_a_file_is_read_are_read_then_or_next_time(
    archive: Archive, new_archive: NewArchive, tmp_path: Path
) -> None:
    """The file grows after each batch of an import, and after its last one."""
    padding = "x" * 40_000
    file = write(tmp_path, b"".join(record(n, padding=padding) for n in range(500)))
    number = 500

    def grow(progress: Progress) -> None:
        nonlocal number
        if number < 520:
            with file.open("ab") as stream:
                stream.write(record(number, padding=padding))
            number += 1

    archive.ingest(paths=[file], progress=grow)
    archive.ingest(paths=[file])
    whole = new_archive()
    whole.ingest(paths=[file])
    assert number > 502
    assert len(every_item(archive)) == number
    assert contents(archive) == contents(whole)


def crowd(folder: Path) -> Path:
    """Sessions of some length, the examples, and a session that repeats another."""
    for number in range(12):
        name = f"session-{number}"
        write(folder / "p", session(150, session=name, prefix=f"{name}-"), f"{name}.jsonl")
    write(folder / "p", session(300))
    for name in ("claude_code/spotter", "codex/agent-sessions"):
        for file in sorted((corpus.EXAMPLES / name).rglob("*.jsonl")):
            target = folder / file.relative_to(corpus.EXAMPLES)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    for file in folder.rglob("*.jsonl"):
        os.utime(file, (1_790_000_000, 1_790_000_000))
    return folder


@pytest.fixture
def undisturbed(tmp_path: Path) -> dict[str, dict[str, object]]:
    """What an archive holds that imported the crowd in peace."""
    with vox.open(tmp_path / "undisturbed") as archive:
        archive.ingest(paths=[crowd(tmp_path / "crowd")])
        return contents(archive)


def test_two_processes_that_import_the_same_folder_at_once_double_nothing(
    archive: Archive, tmp_path: Path, undisturbed: dict[str, object]
) -> None:
    children = [importing(archive.path, tmp_path / "crowd") for _ in range(2)]
    for child in children:
        go(child)
    for child in children:
        output, _ = child.communicate(timeout=SECONDS)
        assert child.returncode == 0
        assert "problem" not in output, output
        assert "done" in output
    assert contents(archive) == undisturbed
    report = archive.ingest(paths=[tmp_path / "crowd"])
    assert (report.files, report.added) == (0, 0)
    assert archive.verify().findings == []


def test_two_threads_that_import_the_same_folder_at_once_double_nothing(
    archive: Archive, tmp_path: Path, undisturbed: dict[str, object]
) -> None:
    start = threading.Barrier(2, timeout=SECONDS)
    problems: list[object] = []

    def run() -> None:
        start.wait()
        problems.extend(archive.ingest(paths=[tmp_path / "crowd"]).problems)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert problems == []
    assert contents(archive) == undisturbed
    assert archive.verify().ok


def test_an_import_that_was_killed_is_completed_by_the_next(
    new_archive: NewArchive, tmp_path: Path, undisturbed: dict[str, object]
) -> None:
    folder = tmp_path / "crowd"
    files = len(list(folder.rglob("*.jsonl")))
    chance = random.Random(20260131)
    partial = 0
    for _ in range(8 * int(os.environ.get("VOX_SOAK", "1"))):
        archive = new_archive()
        place = archive.path
        for _ in range(2):
            child = importing(place, folder)
            go(child)
            assert child.stdout is not None
            for _ in range(chance.randrange(files + 2)):
                child.stdout.readline()
            child.kill()
            child.communicate(timeout=SECONDS)
            assert archive.verify().findings == []
        so_far = len(windows(archive))
        partial += 0 < so_far < len(undisturbed)
        report = archive.ingest(paths=[folder])
        assert report.problems == []
        assert report.rewritten == 0
        assert contents(archive) == undisturbed
        assert archive.verify().findings == []
    assert partial, "no import was killed between its first and its last commit"


def test_what_a_killed_import_had_committed_is_there(archive: Archive, tmp_path: Path) -> None:
    """Killed after it said that a first import was done, and before a second one was."""
    first = write(tmp_path / "a", session(50))
    child = importing(archive.path, first)
    go(child)
    assert child.stdout is not None
    while not child.stdout.readline().startswith("done"):
        assert child.poll() is None or child.returncode == 0
    child.kill()
    child.communicate(timeout=SECONDS)
    assert archive.window(f"claude-code:{SESSION}").info["items"] == 50
    assert archive.ingest(paths=[first]).unchanged == 1


@pytest.mark.parametrize("how", ["replaced", "cut off"])
def test_a_file_that_is_exchanged_while_it_is_read_is_read_anew_next_time(
    archive: Archive, tmp_path: Path, how: str
) -> None:
    padding = "x" * 40_000
    count = 500  # More than one batch.
    before = b"".join(record(n, padding=padding) for n in range(count))
    after = (before if how == "replaced" else session(7)).replace(b"says", b"said")
    file = write(tmp_path, before)
    exchanged = False

    def exchange(progress: Progress) -> None:
        nonlocal exchanged
        if not exchanged and how == "replaced":
            write(tmp_path, after, "new").replace(file)
        elif not exchanged:
            file.write_bytes(after)
        exchanged = True

    archive.ingest(paths=[file], progress=exchange)
    archive.ingest(paths=[file])
    found = {bytes(archive.read(item)) for item in every_item(archive)}
    said = {message_of(line) for line in after.splitlines()}
    assert said <= found
    assert archive.verify().ok


def message_of(line: bytes) -> bytes:
    return str(json.loads(line)["message"]["content"]).encode()
