"""Tokenizers in this process: each is loaded once and shared."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from vox._native import Tokenizer
from vox.errors import UnsupportedError

_by_fingerprint: dict[str, Tokenizer] = {}


@cache
def shipped(encoding: str) -> Tokenizer:
    """The tokenizer of an encoding that vox has with it."""
    return _shared(Tokenizer.shipped(encoding))


def of_file(path: Path, compiled: Path) -> Tokenizer:
    """The tokenizer in a `tokenizer.json` or GGUF file."""
    raise UnsupportedError(f"{path}: not read yet, nor kept in {compiled}")


def _shared(tokenizer: Tokenizer) -> Tokenizer:
    return _by_fingerprint.setdefault(tokenizer.fingerprint, tokenizer)
