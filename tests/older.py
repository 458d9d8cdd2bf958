"""The archive of format 1 that is kept for tests."""

from __future__ import annotations

import json
import shutil
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

ARCHIVES = Path(__file__).parent / "data" / "archives"


def unpack(place: Path) -> None:
    """Puts it to `place`, instead of what is there."""
    shutil.rmtree(place, ignore_errors=True)
    with tarfile.open(ARCHIVES / "format-1.tar.gz") as tar:
        tar.extractall(place, filter="data")


@cache
def contents() -> dict[str, Any]:
    """What is in it, by the list beside it."""
    listed: dict[str, Any] = json.loads((ARCHIVES / "format-1.json").read_text())
    return listed
