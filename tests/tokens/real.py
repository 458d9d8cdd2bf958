"""Tokenizer files of real models, under terms that keep them out of this repository."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest


def real_files(pattern: str) -> list[Any]:
    """Parameters of a test: the files that `$VOX_PERF/vocab` has for `pattern`; where the variable
    names no folder with any, one that is skipped and says so."""
    folder = os.environ.get("VOX_PERF")
    found = sorted(Path(folder, "vocab").glob(pattern)) if folder else []
    if found:
        return [pytest.param(file, id=f"{file.parent.name}-{file.stem}") for file in found]
    skipped = pytest.mark.skip(reason=f"no $VOX_PERF/vocab/{pattern}, files of real models")
    return [pytest.param(None, id="none", marks=skipped)]
