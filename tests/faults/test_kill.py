"""Processes that are killed: what was acknowledged is there, nothing is torn, no slot is lost."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from blake3 import blake3

import vox
from tests.archive import journal
from vox.archive import verify_path

REPOSITORY = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(
    not hasattr(signal, "SIGKILL"), reason="this system ends processes otherwise"
)

# Puts batches without end, of all sizes, and says after each that it was put.
PUTTER = """
import random, sys, vox
store = vox.ContentStore(sys.argv[1])
pick = random.Random(int(sys.argv[2]))
number = 0
while True:
    seeds = [pick.randrange(1 << 30) for _ in range(pick.choice([1, 1, 3, 40]))]
    items = [random.Random(seed).randbytes(seed % 3000) for seed in seeds]
    store.put_many(items)
    if number % 3 == 0:
        store.release_many([vox.hash_many([items[0]])])
        print("released", seeds[0], flush=True)
    print("put", *seeds, flush=True)
    number += 1
"""

# Grows a journal and imports it, without end, and says after each how many items it has.
IMPORTER = """
import sys, vox
from pathlib import Path
from tests.archive import journal
archive = vox.open(sys.argv[1])
folder = Path(sys.argv[2])
number = 0
while True:
    lines = [journal.Entry(window="a", text=f"item {n}" * (n % 50), at=n)
             for n in range(number, number + 1 + number % 37)]
    journal.write(folder / "a.journal", lines)
    journal.ingest(archive, folder)
    number += len(lines)
    print(number, flush=True)
"""


def item(seed: int) -> bytes:
    return random.Random(seed).randbytes(seed % 3000)


def lines_until_killed(program: str, *arguments: str | Path, after: int, spin: int) -> list[str]:
    """What a process acknowledged until it was killed: some while after so many lines."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
    )
    assert process.stdout
    lines = [process.stdout.readline() for _ in range(after)]
    for _ in range(spin):  # to be anywhere within the next write
        pass
    process.kill()
    rest = process.stdout.read()
    process.stdout.close()
    assert process.wait() == -signal.SIGKILL
    # The last line may itself be cut off by the kill.
    return [line for line in [*lines, *rest.splitlines(keepends=True)] if line.endswith("\n")]


def points(count: int, seed: int) -> Iterator[tuple[int, int]]:
    pick = random.Random(seed)
    for _ in range(count):
        yield pick.randrange(1, 30), pick.randrange(300_000)


def test_what_a_killed_process_has_put_is_there(tmp_path: Path) -> None:
    """Several die in turn over one store; another process has it open all the while."""
    place = tmp_path / "store"
    beside = vox.ContentStore(place)
    holds: dict[int, int] = {}
    for turn, (after, spin) in enumerate(points(8, seed=1)):
        acknowledged = lines_until_killed(PUTTER, place, str(turn), after=after, spin=spin)
        for line in acknowledged:
            what, *seeds = line.split()
            for seed in map(int, seeds):
                holds[seed] = holds.get(seed, 0) + (1 if what == "put" else -1)
        keys = [blake3(item(seed)).digest() for seed in holds]
        assert beside.get_many(keys) == [item(seed) for seed in holds]
        report = verify_path(place)
        assert report.ok, report.findings
        beside.put(b"the next writer isn't in the way of a lock that the killed one left")
    assert len(holds) > 100
    again = vox.ContentStore(place)
    assert again.get_many(keys) == [item(seed) for seed in holds]
    counts = again.refs(keys)
    # What was written and not acknowledged any more may be there too, at most once in a turn.
    for (_, expected), count in zip(holds.items(), counts, strict=True):
        assert count is not None
        assert abs(count[1] - expected) <= 1


def test_an_import_goes_on_where_a_killed_one_was(tmp_path: Path) -> None:
    for turn, (after, spin) in enumerate(points(4, seed=2)):
        place, folder = tmp_path / f"archive{turn}", tmp_path / f"in{turn}"
        *_, last = lines_until_killed(IMPORTER, place, folder, after=after, spin=spin)
        with vox.open(place) as archive:
            assert len(archive.window("journal:a")) >= int(last)
            check_items(archive)
            # The journal's last line may be torn, too.
            report = archive.ingest([journal.JournalSource()], root=folder)
            assert {problem.reason for problem in report.problems} <= {"torn"}
            lines = (folder / "a.journal").read_bytes().count(b"\n")
            assert len(archive.window("journal:a")) == lines
            check_items(archive)


def check_items(archive: vox.Archive) -> None:
    report = archive.verify()
    assert report.ok, report.findings
    for row in archive.window("journal:a").items(0, 100_000).to_pylist():
        number = row["ordinal"]
        assert row["created_at"] == number
        assert row["byte_len"] == len(f"item {number}" * (number % 50))


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
    keys = store.put_many([item(seed) for seed in range(3000)])
    hexes = "".join(f"{key.hex()}\n" for key in keys)
    for _ in range(50):  # most kills hit a transaction, some the time between two
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
    assert again.get_many(keys[:2]) == [item(0), item(1)]


def test_reading_and_closing_leaves_no_slot_taken(tmp_path: Path) -> None:
    place = tmp_path / "store"
    for _ in range(3):
        store = vox.ContentStore(place)
        keys = store.put_many([item(seed) for seed in range(500)])
        with ThreadPoolExecutor(32) as pool:
            for contents in pool.map(store.get_many, [keys] * 100):
                assert contents[0] == item(0)
        assert readers(place) == set(), "nobody is within a call"
        del store
        assert readers(place) == set()
