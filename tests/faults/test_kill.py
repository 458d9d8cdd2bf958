"""Processes that are killed: what was acknowledged is there, nothing is torn, no slot is lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import vox
from tests.faults.facts import Facts, Told
from tests.faults.operations import ALL, OPERATIONS
from tests.faults.workers import Kill, Workers

pytestmark = pytest.mark.skipif(
    not hasattr(signal, "SIGKILL"), reason="this system ends processes otherwise"
)

SOAK = int(os.environ.get("VOX_SOAK", "1"))
KILLS_OF_AN_ARCHIVE = 10


class Life:
    """An archive at which processes work that are killed, one after the other."""

    def __init__(self, workers: Workers, folder: Path, seed: int) -> None:
        self.workers = workers
        self.disk = folder / f"disk{seed}"
        self.inputs = folder / f"in{seed}"
        self.pick = random.Random(seed)
        self.facts: Facts = {}
        self.disk.mkdir()
        self.inputs.mkdir()

    def kill(self, operations: list[str], **how: Any) -> Told:
        """Lets a process work until it is killed, and looks at what it leaves. Gives what it
        said."""
        outcome = self.workers.run(
            "work",
            disk=self.disk,
            inputs=self.inputs,
            seed=self.pick.randrange(1 << 30),
            known=self.facts,
            operations=operations,
            **how,
        )
        told = Told(self.facts)
        for line in outcome.said:
            told.hear(line)
        assert outcome.ended == -signal.SIGKILL, told.error
        self.facts = self.look(told)
        if told.under_way and ALL[told.under_way.operation].again:
            name = told.under_way.operation
            done = self.workers.run(
                "again",
                disk=self.disk,
                inputs=self.inputs,
                operation=name,
                known=self.facts,
                coming=told.under_way.facts,
            )
            assert done.answer == "completed"
            self.facts = self.look(Told({**self.facts, **told.under_way.facts}))
        return told

    def look(self, told: Told) -> Facts:
        """Asserts that the archive is sound and says what it was told, and gives that."""
        change = told.under_way
        names = sorted(told.facts.keys() | (change.facts.keys() if change else set()))
        seen = self.workers.run("look", disk=self.disk, names=names).answer
        assert seen["findings"] == [], (change and change.operation, self.disk)
        wrong = told.wrong(seen["facts"])
        assert wrong == [], (change and change.operation, self.disk)
        facts: Facts = seen["facts"]
        return facts


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_was_acknowledged_before_a_kill_in_any_call_is_there(
    interposed: Workers, tmp_path: Path, operation: str
) -> None:
    """The process dies at a write, a sync or a change of a folder, or in its middle."""
    cut_off = 0
    for seed in range(SOAK):
        life = Life(interposed, tmp_path, seed)
        # Something to work on first.
        life.kill(["put", "append", "import"], trouble={"kill_at": 60})
        for _ in range(KILLS_OF_AN_ARCHIVE):
            mixture = [operation] * 6 + [*OPERATIONS[operation].after, "put", "append"]
            at = int(life.pick.expovariate(1 / 40)) + 1
            told = life.kill(mixture, trouble={"kill_at": at})
            cut_off += told.under_way is not None and told.under_way.operation == operation
    assert cut_off >= SOAK


@pytest.mark.parametrize("beside", [False, True], ids=["alone", "with another process"])
def test_what_was_acknowledged_before_a_kill_at_any_time_is_there(
    workers: Workers, tmp_path: Path, beside: bool
) -> None:
    for seed in range(2 * SOAK):
        life = Life(workers, tmp_path, seed)
        # With another process the locks of the killed one are those of somebody who died.
        other = vox.open(life.disk / "archive") if beside else None
        for _ in range(KILLS_OF_AN_ARCHIVE):
            kill = Kill(lines=life.pick.randrange(1, 30), spin=life.pick.randrange(100_000))
            life.kill(sorted(ALL), kill=kill)
        if other:
            windows = {name for name in life.facts if name.startswith("window ")}
            assert other.count_windows() + other.count_windows(deleted=True) == len(windows)
        assert life.facts, "nothing was ever written"


def content(seed: int) -> bytes:
    return random.Random(seed).randbytes(seed % 3000)


# Reads all the time, so that a kill finds a transaction open.
READER = """
import sys, vox
store = vox.ContentStore(sys.argv[1])
keys = [bytes.fromhex(line.strip()) for line in sys.stdin]
while True:
    store.get_many(keys)
    print("read", flush=True)
"""


def readers(place: Path) -> set[int]:
    """The processes in LMDB's list of who reads: its slots are 64 bytes, the process at byte 8.

    Read by another process: one that closes a file gives up all its locks on it.
    """
    (lock,) = place.glob("db/*/lock.mdb")
    program = "import sys; sys.stdout.buffer.write(open(sys.argv[1], 'rb').read())"
    data = subprocess.check_output([sys.executable, "-c", program, lock])
    slots = (data[at + 8 : at + 12] for at in range(128, len(data), 64))
    return {int.from_bytes(slot, sys.byteorder) for slot in slots} - {0}


def test_the_slots_of_killed_readers_are_free_again(tmp_path: Path) -> None:
    place = tmp_path / "store"
    store = vox.ContentStore(place)
    keys = store.put_many([content(seed) for seed in range(3000)])
    hexes = "".join(f"{key.hex()}\n" for key in keys)
    for _ in range(200):  # most kills hit a transaction, some the time between two
        process = subprocess.Popen(
            [sys.executable, "-c", READER, str(place)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdin
        assert process.stdout
        process.stdin.write(hexes)
        process.stdin.close()
        assert process.stdout.readline() == "read\n"
        process.kill()
        process.stdout.close()
        process.wait()
        if process.pid in readers(place):
            break
    assert process.pid in readers(place)
    del store
    again = vox.ContentStore(place)
    assert process.pid not in readers(place)
    assert again.get_many(keys[:2]) == [content(0), content(1)]


def test_reading_and_closing_leaves_no_slot_taken(tmp_path: Path) -> None:
    place = tmp_path / "store"
    for _ in range(3):
        store = vox.ContentStore(place)
        keys = store.put_many([content(seed) for seed in range(500)])
        with ThreadPoolExecutor(32) as pool:
            for contents in pool.map(store.get_many, [keys] * 100):
                assert contents[0] == content(0)
        assert readers(place) == set(), "nobody is within a call"
        del store
        assert readers(place) == set()
