"""Files that are mapped are counted where they are."""

from __future__ import annotations

import mmap
import subprocess
import sys
from pathlib import Path

import pytest

from vox.tokens import TokenEstimator, content_class

TEXT = "Zweite Frage: äöü 漢字 🙂\n".encode() * 500 + b"\xff\xfe\0"
SIZE = 300 << 20
"""Bytes of a file that a process can't read into its memory, which may be no larger."""


def test_a_mapped_file_has_the_tokens_of_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(TEXT)
    estimator = TokenEstimator("gpt-4o")
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as pages,
        memoryview(pages) as view,
    ):
        for count in (estimator.exact, estimator.bound, estimator.ratio):
            # Whole, a part of it, and every other byte, which is no stretch of the file.
            given = [view, view[7:900], view[::2]]
            assert count(given).tolist() == count([bytes(each) for each in given]).tolist()
            # A map can't be closed while parts of it are held.
            del given
        assert content_class(view) == content_class(TEXT)


@pytest.mark.skipif(sys.platform != "linux", reason="a limit that only Linux has")
def test_a_file_larger_than_the_memory_that_a_process_may_have_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(SIZE)
    limited = (
        "import resource, sys; from vox.cli import main; import vox.tokens.estimator, numpy; "
        f"resource.setrlimit(resource.RLIMIT_DATA, ({SIZE}, {SIZE})); "
        "main(['tokens', sys.argv[1], '-m', 'claude-opus-5'])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", limited, path], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.split("\t")[1:3] == ["1", str(SIZE)]
