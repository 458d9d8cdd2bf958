"""Transcripts as no tool writes them: each record is taken or set aside, the import goes on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.sources import mutations

TRANSCRIPTS = 30 * int(os.environ.get("VOX_SOAK", "1"))


@pytest.mark.parametrize("tool", mutations.TOOLS)
def test_whatever_stands_in_a_transcript_its_import_ends_well(tool: str, tmp_path: Path) -> None:
    for seed in range(TRANSCRIPTS):
        place = tmp_path / str(seed)
        place.mkdir()
        mutations.check(tool, seed, place)
