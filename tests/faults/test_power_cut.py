"""The power is cut: what was acknowledged had reached the disk by then.

Killing a process shows nothing of this, as the system still has what was written. So every call
that changes a file is recorded, and the disk made again as it may be after a cut at any of them:
what was synced is there, and of the rest nothing, a part, or all.
"""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import msgspec
import pytest

from tests.faults import disk
from tests.faults.facts import Told
from tests.faults.operations import OPERATIONS
from tests.faults.workers import Workers

SOAK = int(os.environ.get("VOX_SOAK", "1"))


class Recording:
    """Work on an archive, written down call by call."""

    def __init__(self, workers: Workers, folder: Path, seed: int) -> None:
        self.workers = workers
        self.pick = random.Random(seed)
        self.file = folder / f"recorded{seed}"
        self.disk = folder / f"disk{seed}"
        self.inputs = folder / f"in{seed}"
        self.after = folder / f"after{seed}"
        self.known = Told({})
        self.disk.mkdir()
        self.inputs.mkdir()

    def work(self, operations: list[str], steps: int) -> int:
        """Does so many of `operations`; gives how many calls are written down now."""
        done = self.workers.run(
            "work",
            disk=self.disk,
            inputs=self.inputs,
            seed=self.pick.randrange(1 << 30),
            known=self.known.facts,
            operations=operations,
            steps=steps,
            trouble={"record": str(self.file)},
        )
        for line in done.said:
            self.known.hear(line)
        assert (done.ended, self.known.error) == (0, None)
        return sum(1 for _ in disk.recording(self.file))

    def cut_at(self, moments: set[int]) -> None:
        """Makes the disk again as it may be after a cut before each of these calls, and looks."""
        model = disk.Disk(str(self.disk))
        told = Told({})
        for moment, call in enumerate([*disk.recording(self.file), disk.END]):
            if moment in moments:
                self.look(model, told, disk.nothing, moment)
                self.look(model, told, disk.some(self.pick), moment)
            model.take(call)
            if call.what == "M" and call.data:
                told.hear(msgspec.json.decode(call.data))

    def look(self, model: disk.Disk, told: Told, choose: disk.Choice, moment: int) -> None:
        model.after_power_cut(self.after, choose)
        change = told.under_way
        names = sorted(told.facts.keys() | (change.facts.keys() if change else set()))
        seen = self.workers.run("look", disk=self.after, names=names)
        where = (moment, choose.__name__, change and change.operation)
        assert seen.ended == 0, (where, seen)
        assert seen.answer["findings"] == [], where
        assert told.wrong(seen.answer["facts"]) == [], where
        shutil.rmtree(self.after)

    def moments(self, first: int, last: int, syncs: int, others: int) -> set[int]:
        """Just before and after some of the syncs from call `first` on, and some other moments."""
        calls = list(disk.recording(self.file))[first:last]
        at_syncs = [first + number for number, call in enumerate(calls) if call.syncs]
        chosen = self.pick.sample(at_syncs, min(syncs, len(at_syncs)))
        chosen += [number + 1 for number in chosen]
        return {*chosen, *self.pick.sample(range(first, last), min(others, last - first)), last}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_was_acknowledged_before_a_power_cut_is_there(
    interposed: Workers, tmp_path: Path, operation: str
) -> None:
    for seed in range(SOAK):
        recording = Recording(interposed, tmp_path, seed)
        # Something to work on first.
        recording.work(["put", "append", "import"], 6)
        begun = recording.work([*OPERATIONS[operation].after], 2)
        ended = recording.work([operation], 4)
        recording.cut_at(recording.moments(begun, ended, syncs=8, others=4))


def test_an_archive_whose_making_was_cut_off_is_made_by_the_next_who_opens_it(
    interposed: Workers, tmp_path: Path
) -> None:
    recording = Recording(interposed, tmp_path, 1)
    ended = recording.work(["put"], 1)
    recording.cut_at(set(range(ended + 1)))
