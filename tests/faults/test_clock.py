"""A clock that jumps, forwards and backwards, while an archive is written."""

from __future__ import annotations

import os
from pathlib import Path

import vox
from tests.faults.facts import Told
from tests.faults.operations import OPERATIONS
from tests.faults.workers import Workers

SOAK = int(os.environ.get("VOX_SOAK", "1"))
YEARS = 50 * 365 * 86_400_000


def test_whatever_the_clock_shows_all_that_was_written_is_there_and_in_order(
    interposed: Workers, tmp_path: Path
) -> None:
    for seed in range(SOAK):
        disk, inputs = tmp_path / f"disk{seed}", tmp_path / f"in{seed}"
        disk.mkdir()
        inputs.mkdir()
        outcome = interposed.run(
            "work",
            disk=disk,
            inputs=inputs,
            seed=seed,
            known={},
            operations=sorted(OPERATIONS),
            steps=60,
            trouble={"clock_jumps": True},
        )
        told = Told({})
        for line in outcome.said:
            told.hear(line)
        assert (outcome.ended, told.error) == (0, None)
        seen = interposed.run("look", disk=disk, names=sorted(told.facts)).answer
        assert seen["findings"] == []
        assert told.wrong(seen["facts"]) == []
        with vox.open(disk / "archive") as archive:
            updated = archive.windows(count=1000).column("updated_at")
            assert updated == sorted(updated, reverse=True), "the latest changed come first"
            times = archive.timeline(0, 100_000).column("created_at")
            assert times == sorted(times)
        assert max(updated) - min(updated) > YEARS, "the clock did jump"
