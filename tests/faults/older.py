"""The archive of format 1 that is kept for tests."""

from __future__ import annotations

import json
import os
import shutil
import tarfile
from functools import cache
from pathlib import Path

from tests.faults.facts import Facts, state

ARCHIVES = Path(__file__).parents[1] / "data" / "archives"


def unpack(place: Path) -> None:
    """Puts it to `place`, on disk when it returns."""
    shutil.rmtree(place, ignore_errors=True)
    with tarfile.open(ARCHIVES / "format-1.tar.gz") as tar:
        tar.extractall(place, filter="data")
    for path in [*place.rglob("*"), place, place.parent]:
        opened = os.open(path, os.O_RDONLY)
        os.fsync(opened)
        os.close(opened)


@cache
def windows() -> Facts:
    """What its windows are, by the list beside it."""
    told = json.loads((ARCHIVES / "format-1.json").read_text())
    facts: Facts = {
        f"window {window['key']}": [
            state(
                bytes.fromhex(item["content_hash"]),
                trimmed=item["trimmed"],
                pinned=item["pinned"],
            )
            for item in window["items"]
        ]
        for window in told["windows"]
    }
    for window in told["windows"]:
        if window["title"]:
            facts[f"title {window['key']}"] = window["title"]
    return facts
