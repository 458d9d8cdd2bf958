"""The interposer (`interposer.c`), which stands between a process and its files.

It is compiled once for all tests, and loaded into the processes of `workers.py` with LD_PRELOAD.
Inside them the functions here say what it is to do; it does nothing before.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).with_name("interposer.c")


def compile_to(folder: Path) -> Path | None:
    """The compiled interposer; None where it can't be had."""
    compiler = shutil.which("cc")
    if sys.platform != "linux" or compiler is None:
        return None
    library = folder / "interposer.so"
    command = [compiler, "-O1", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl", "-lpthread"]
    done = subprocess.run(command, capture_output=True, check=False)
    return library if done.returncode == 0 else None


def _functions() -> Any:
    return ctypes.CDLL(None)


def is_there() -> bool:
    """Whether this process runs under it."""
    return hasattr(_functions(), "interposer_watch")


def watch(folder: str) -> None:
    """From now on what happens below `folder` counts."""
    _functions().interposer_watch(os.fsencode(folder))


def kill_at(call: int) -> None:
    """Ends this process at the so many-th call: before it, in its middle or after it."""
    _functions().interposer_kill_at(ctypes.c_long(call))


def fail(code: str, first: int, count: int, *, syncs: bool) -> None:
    """Lets `count` calls fail from the `first` one on, such as with `EROFS`."""
    number = getattr(errno, code)
    last = ctypes.c_long(first + count)
    _functions().interposer_fail(ctypes.c_long(first), last, number, int(syncs))


def room(left: int | None) -> None:
    """Lets files grow by so many bytes together, then the disk is full; None: without end."""
    _functions().interposer_room(ctypes.c_longlong(-1 if left is None else left))


def calls() -> int:
    """How many calls were counted since the last of the functions here."""
    functions = _functions()
    functions.interposer_calls.restype = ctypes.c_long
    return int(functions.interposer_calls())


def move_clock(seconds: float) -> None:
    """Sets the clock of this process off from that of the system."""
    _functions().interposer_move_clock(ctypes.c_longlong(int(seconds * 1e9)))


def record(file: int) -> None:
    """Writes down every call, for `disk.py`, into the descriptor `file`."""
    _functions().interposer_record(file)


def mark(text: str) -> None:
    """Puts a text into what is written down."""
    _functions().interposer_mark(text.encode())
