"""What tests of counting share: tiktoken, offline."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import tiktoken

ENCODINGS = ["o200k_base", "cl100k_base", "p50k_base"]
"""Those that ship with vox."""

_SOURCE = "https://openaipublic.blob.core.windows.net/encodings"


@pytest.fixture(scope="session")
def oracle(
    contracts: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], tiktoken.Encoding]:
    """tiktoken's encoding of a name. It finds the vocabularies that ship with vox where it keeps
    what it downloads, and checks their sums."""
    folder = tmp_path_factory.mktemp("tiktoken")
    for name in ENCODINGS:
        place = hashlib.sha1(f"{_SOURCE}/{name}.tiktoken".encode()).hexdigest()
        packed = contracts / "vocabularies" / f"{name}.tiktoken.gz"
        (folder / place).write_bytes(gzip.decompress(packed.read_bytes()))

    @cache
    def encoding(name: str) -> tiktoken.Encoding:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
            return tiktoken.get_encoding(name)

    return encoding
