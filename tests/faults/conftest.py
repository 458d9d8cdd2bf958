"""Workers, and the interposer that some of them run under."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import interposing, small_disk
from tests.faults.workers import Workers


@pytest.fixture(scope="session")
def interposer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled interposer."""
    library = interposing.compile_to(tmp_path_factory.mktemp("interposer"))
    if library is None:
        pytest.skip("needs Linux and a C compiler (cc)")
    return library


@pytest.fixture(scope="session")
def interposed(interposer: Path) -> Iterator[Workers]:
    """Processes whose calls can be counted, recorded and refused."""
    with Workers(interposer) as workers:
        yield workers


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """Processes as they are."""
    with Workers(None) as workers:
        yield workers


@pytest.fixture(scope="session")
def small_disks() -> None:
    """Skips where no process may have a disk of its own."""
    if not small_disk.can_be_had():
        pytest.skip("this system lets no user have a mount namespace")
