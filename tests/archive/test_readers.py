"""Readers of other processes: who they are, and that they don't disturb."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import vox
from tests.archive.contents import contents
from tests.archive.transcripts import session, write
from vox.archive import Archive, Reader

READ = """
import sys, vox
archive = vox.open(sys.argv[1], read_only=True)
while True:
    print(archive.verify().ok, flush=True)
"""

SECONDS = 60
"""How long a child may take to begin reading."""


@contextmanager
def stopped_reading(archive: Archive) -> Iterator[subprocess.Popen[str]]:
    """Another process, stopped while it reads one state of an archive."""
    child = subprocess.Popen(
        [sys.executable, "-c", READ, str(archive.path)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "True\n"
        end = time.monotonic() + SECONDS
        while True:
            assert time.monotonic() < end
            # Stopped now and then, it is found reading sooner or later.
            child.send_signal(signal.SIGSTOP)
            os.waitpid(child.pid, os.WUNTRACED)
            if archive.readers():
                break
            child.send_signal(signal.SIGCONT)
            child.stdout.readline()
        yield child
    finally:
        child.kill()
        child.communicate()


def test_a_reader_of_another_process_is_named_with_its_age(
    archive: Archive, tmp_path: Path
) -> None:
    write(tmp_path / "sessions", session(200))
    archive.ingest(paths=[tmp_path / "sessions"])
    assert archive.readers() == []
    with stopped_reading(archive) as child:
        assert archive.readers() == [Reader(process=child.pid, behind=0)]
        for number in range(3):
            vox.ContentStore(archive.path).put_many([b"%d" % number])
        assert archive.readers() == [Reader(process=child.pid, behind=3)]
        with vox.open(archive.path, read_only=True) as other:
            assert other.readers() == archive.readers()
    assert archive.readers() == []


def test_an_archive_is_compacted_under_a_reader_of_another_process(
    archive: Archive, tmp_path: Path
) -> None:
    write(tmp_path / "sessions", session(200))
    archive.ingest(paths=[tmp_path / "sessions"])
    before = contents(archive)
    with stopped_reading(archive) as child:
        archive.compact()
        assert [folder.name for folder in (archive.path / "db").iterdir()] == ["2"]
        assert contents(archive) == before
        child.send_signal(signal.SIGCONT)
        assert child.stdout is not None
        # First what it began in the files that have no name any more, then the new ones.
        assert [child.stdout.readline() for _ in range(3)] == ["True\n"] * 3
