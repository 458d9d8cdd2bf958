"""What all tests share: where things are, and how long random tests search."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).resolve().parents[1]

# No deadlines: a slow machine is no fault. `make soak` raises the number of examples.
settings.register_profile(
    "vox",
    deadline=None,
    max_examples=100 * int(os.environ.get("VOX_SOAK", "1")),
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("vox")


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the source tree."""
    return REPOSITORY


@pytest.fixture(scope="session")
def contracts() -> Path:
    """What crosses a language or a wire."""
    return REPOSITORY / "contracts"


@pytest.fixture(scope="session")
def transcripts() -> Path:
    """Example transcripts of real tools, one folder for each tool."""
    return REPOSITORY / "tests" / "data"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for every test: none may see, or touch, the archive of whoever runs it."""
    home = tmp_path / "vox-home"
    monkeypatch.setenv("VOX_HOME", str(home))
    return home
