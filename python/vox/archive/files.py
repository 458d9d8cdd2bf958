"""Files that are whole or aren't there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole_file(to: Path) -> Iterator[BinaryIO]:
    """A file to write, unbuffered, that becomes `to` when all is written and on disk, in place of
    one that has the name already. Whatever fails before leaves `to` as it was."""
    draft = to.with_name(f"{to.name}.draft-{os.getpid()}")
    try:
        with draft.open("xb", buffering=0) as file:
            yield file
            os.fsync(file.fileno())
        draft.replace(to)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def write_whole(file: BinaryIO, data: bytes) -> None:
    """Writes all of `data` to an unbuffered file, which may take less than it is given."""
    left = memoryview(data)
    while left:
        left = left[file.write(left) or 0 :]
