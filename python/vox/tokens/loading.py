"""Tokenizers in this process: each is loaded once and shared."""

from __future__ import annotations

import threading
from functools import cache
from pathlib import Path
from typing import TypeAlias

from vox._native import Tokenizer
from vox.errors import of_system

_State: TypeAlias = tuple[int, int, int, int]

_lock = threading.Lock()
_by_file: dict[Path, tuple[_State, Tokenizer]] = {}
_by_fingerprint: dict[str, Tokenizer] = {}


@cache
def shipped(encoding: str) -> Tokenizer:
    """The tokenizer of an encoding that vox has with it."""
    return _shared(Tokenizer.shipped(encoding))


def of_file(path: Path, compiled: Path) -> Tokenizer:
    """The tokenizer in a `tokenizer.json` or GGUF file. What is compiled of it is kept in the
    folder `compiled`.

    Raises `UnsupportedError` if it needs what vox doesn't have, `MalformedError` for a file that
    is none, and what the system says.
    """
    path = path.absolute()
    try:
        file = path.stat()
    except OSError as error:
        raise of_system(error) from error
    state = (file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns)
    with _lock:
        known = _by_file.get(path)
        if known is None or known[0] != state:
            known = state, _shared(_load(path, compiled))
            _by_file[path] = known
    return known[1]


def is_gguf(path: Path) -> bool:
    """Whether this is a GGUF file, whatever its name."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"GGUF"
    except OSError as error:
        raise of_system(error) from error


def _load(path: Path, compiled: Path) -> Tokenizer:
    load = Tokenizer.from_gguf if is_gguf(path) else Tokenizer.from_tokenizer_json
    return load(path, compiled)


def _shared(tokenizer: Tokenizer) -> Tokenizer:
    return _by_fingerprint.setdefault(tokenizer.fingerprint, tokenizer)
