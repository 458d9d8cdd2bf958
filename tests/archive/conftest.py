"""An archive for each test, and transcripts to import into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import vox
from vox.archive import Archive


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """An empty archive."""
    with vox.open(tmp_path / "archive") as archive:
        yield archive


@pytest.fixture
def new_archive(tmp_path: Path) -> Iterator[Callable[[], Archive]]:
    """Makes as many more archives as a test needs."""
    opened: list[Archive] = []

    def make() -> Archive:
        opened.append(vox.open(tmp_path / f"archive-{len(opened)}"))
        return opened[-1]

    yield make
    for archive in opened:
        archive.close()
