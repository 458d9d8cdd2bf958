"""Places that may not be written or read, and read-only copies.

As root everything may be written, so each test runs in a child that gives up its rights.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

import vox
from tests import corpus
from tests.archive import journal

pytestmark = pytest.mark.skipif(
    not hasattr(os, "setresuid"), reason="this system has no users that could be given up"
)

NOBODY = 65534

Program: TypeAlias = Callable[[str], str]

PRELUDE = f"""
import os, sys
from pathlib import Path
import vox, vox.archive, vox.archive.ingest, vox.config, vox.sources
from vox.errors import DamagedError, NotFoundError, PermissionDeniedError, ReadOnlyError
place = Path(sys.argv[1])
if os.geteuid() == 0:
    os.setgroups([])
    os.setresgid({NOBODY}, {NOBODY}, {NOBODY})
    os.setresuid({NOBODY}, {NOBODY}, {NOBODY})

def error_of(work):
    try:
        work()
    except vox.VoxError as error:
        print(error.code, error)
    else:
        print("no error")
"""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """An archive of three items in a folder that everybody may reach."""
    folder = Path(tempfile.mkdtemp(prefix="vox-test-"))
    folder.chmod(0o755)
    journal.write(tmp_path / "in" / "a.journal", journal.entries("a", 3, seed=1))
    with vox.open(folder / "archive") as archive:
        journal.ingest(archive, tmp_path / "in")
    yield folder / "archive"
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o700)
    shutil.rmtree(folder)


@pytest.fixture
def powerless(place: Path) -> Program:
    """Runs a program as somebody to whom the files in `place` give only what their modes say."""

    def run(program: str) -> str:
        ran = subprocess.run(
            [sys.executable, "-c", PRELUDE + program, str(place)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    return run


def set_modes(place: Path, *, folders: int, files: int) -> None:
    for path in [*place.rglob("*"), place]:
        path.chmod(folders if path.is_dir() else files)


def test_an_archive_that_may_only_be_read_is_read_as_a_snapshot(
    place: Path, powerless: Program
) -> None:
    set_modes(place, folders=0o555, files=0o444)
    before = {path: path.stat() for path in place.rglob("*")}
    output = powerless("""
archive = vox.open(place)
print(len(archive.window("journal:a")))
print(archive.verify().ok)
print(*archive.warnings)
error_of(lambda: vox.ContentStore(place).put(b"x"))
""")
    read, sound, warning, error = output.splitlines()
    assert (read, sound) == ("3", "True")
    assert "read as a snapshot" in warning
    assert error.startswith("read_only ")
    for path, stat in before.items():
        now = path.stat()
        assert (now.st_size, now.st_mtime_ns) == (stat.st_size, stat.st_mtime_ns), path


def test_an_archive_whose_lock_may_be_written_is_read_under_it(
    place: Path, powerless: Program
) -> None:
    set_modes(place, folders=0o555, files=0o444)
    (lock,) = place.glob("db/*/lock.mdb")
    lock.chmod(0o666)
    output = powerless("""
archive = vox.open(place)
print(len(archive.window("journal:a")), archive.warnings)
error_of(lambda: vox.ContentStore(place).put(b"x"))
""")
    read, error = output.splitlines()
    assert read == "3 []"
    assert error.startswith("read_only ")


def test_a_file_that_may_not_be_read_is_named(place: Path, powerless: Program) -> None:
    set_modes(place, folders=0o755, files=0o644)
    (data,) = place.glob("db/*/data.mdb")
    data.chmod(0)
    code, message = powerless("error_of(lambda: vox.open(place))").split(" ", 1)
    assert code == "permission_denied"
    assert str(place) in message


def test_a_folder_that_may_not_be_entered_is_named(place: Path, powerless: Program) -> None:
    set_modes(place, folders=0o755, files=0o644)
    place.chmod(0)
    code, message = powerless("error_of(lambda: vox.open(place))").split(" ", 1)
    assert code == "permission_denied"
    assert str(place) in message


def test_no_archive_is_made_where_none_may_be(place: Path, powerless: Program) -> None:
    output = powerless("""
error_of(lambda: vox.open(place.parent / "new"))
print((place.parent / "new").exists())
""")
    error, made = output.splitlines()
    assert error.startswith("permission_denied ")
    assert str(place.parent / "new") in error
    assert made == "False"


def test_an_empty_folder_that_may_not_be_written_becomes_no_archive(
    place: Path, powerless: Program
) -> None:
    empty = place.parent / "empty"
    empty.mkdir(mode=0o555)
    output = powerless("""
error_of(lambda: vox.open(place.parent / "empty"))
print(list((place.parent / "empty").iterdir()))
""")
    error, left = output.splitlines()
    assert error.startswith("permission_denied ")
    assert left == "[]"


def test_a_copy_on_a_read_only_medium_opens_for_reading(place: Path, powerless: Program) -> None:
    copy = place.parent / "copy"
    shutil.copytree(place, copy, ignore=shutil.ignore_patterns("lock.mdb"))
    set_modes(copy, folders=0o555, files=0o444)
    output = powerless("""
with vox.open(place.parent / "copy", read_only=True) as archive:
    print(len(archive.window("journal:a")), archive.verify().ok)
""")
    assert output.split() == ["3", "True"]
    assert not list(copy.rglob("lock.mdb"))


def test_transcripts_in_a_folder_that_may_no_longer_be_entered_are_named_and_not_gone(
    place: Path, powerless: Program
) -> None:
    folder = place.parent / "transcripts"
    folder.mkdir()
    transcript = shutil.copy(corpus.transcripts("claude-code")[0], folder)
    set_modes(place.parent, folders=0o777, files=0o666)
    output = powerless("""
archive = vox.open(place.parent / "own")
print(archive.ingest(root=place.parent / "transcripts").files)
""")
    assert output == "1\n"
    folder.chmod(0)
    output = powerless(f"""
archive = vox.open(place.parent / "own")
known = Path({str(transcript)!r})
for path in (known, known.with_name("new.jsonl")):
    (problem,) = archive.ingest(paths=[path]).problems
    print(problem.file_failed, problem)
for source in ("claude-code", "codex"):
    print([str(problem) for problem in archive.ingest([source], root=place.parent).problems])
print([gone for *_, gone in archive._native.sources()])
""")
    known, new, *searched, gone = output.splitlines()
    assert known.startswith(f"True {transcript}: ")
    assert "Permission denied" in known
    assert new == f"True {folder / 'new.jsonl'}: Permission denied"
    assert searched == [str([f"{folder}: Permission denied"])] * 2
    assert gone == "[None]"
