"""Files that are whole or aren't there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO


@contextmanager
def whole_file(to: Path, *, private: bool = False) -> Iterator[BinaryIO]:
    """A file to write, unbuffered, that becomes `to` when all is written and on disk, in place of
    one that has the name already; `private` for nobody but its owner to read. Whatever fails before
    leaves `to` as it was."""
    draft = to.with_name(f"{to.name}.draft-{token_hex(8)}")
    mode = 0o600 if private else 0o666
    try:
        with open(draft, "xb", 0, opener=lambda path, flags: os.open(path, flags, mode)) as file:
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
