"""The archive of format 1 on a disk that may lose power, and its facts."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from tests import older
from tests.faults.facts import Facts, state


def unpack(place: Path) -> None:
    """Puts it to `place`, on disk when it returns."""
    older.unpack(place)
    for path in [*place.rglob("*"), place, place.parent]:
        opened = os.open(path, os.O_RDONLY)
        os.fsync(opened)
        os.close(opened)


@cache
def windows() -> Facts:
    """What its windows are, by the list beside it."""
    told = older.contents()
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
        if window["model_route"]:
            facts[f"route {window['key']}"] = window["model_route"]
    return facts
