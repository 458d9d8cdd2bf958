"""A disk that is full and a process that may not map much: clear errors, and nothing lost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import vox
from tests.archive import journal
from vox.archive import verify_path

pytest.importorskip("resource", reason="this system has no limits for processes")

REPOSITORY = Path(__file__).parents[2]

PRELUDE = """
import random, resource, signal, sys
from pathlib import Path
import vox, vox.archive
from tests.archive import journal
from vox.errors import AddressSpaceError, DiskFullError, MapFullError
place = Path(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

def limit(what, soft):
    resource.setrlimit(what, (soft, resource.getrlimit(what)[1]))

def items(seed, count):
    return [random.Random(f"{seed} {n}").randbytes(2000) for n in range(count)]

def mapped():
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
"""


def run(program: str, place: Path) -> list[str]:
    ran = subprocess.run(
        [sys.executable, "-c", PRELUDE + program, str(place)],
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout.splitlines()


# RLIMIT_FSIZE bounds the file as a full disk would.


def test_a_full_disk_keeps_what_was_put_and_takes_more_once_there_is_room(tmp_path: Path) -> None:
    lines = run(
        """
store = vox.ContentStore(place)
limit(resource.RLIMIT_FSIZE, 3 << 20)
kept, turn = [], 0
while True:
    batch = items(turn, 50)
    try:
        store.put_many(batch)
    except DiskFullError as error:
        print(error)
        break
    kept += batch
    turn += 1
assert len(kept) > 300, len(kept)
keys = [vox.hash_many([item]) for item in kept]
refused = [vox.hash_many([item]) for item in batch]
assert store.get_many(keys) == kept
assert store.refs(refused) == [None] * 50
try:
    store.put_many(batch)
except DiskFullError:
    pass
else:
    raise AssertionError("it is still full")
limit(resource.RLIMIT_FSIZE, resource.RLIM_INFINITY)
assert store.put_many(batch) == refused
assert store.get_many(keys + refused) == kept + batch
assert store.refs(keys + refused) == [(0, 1)] * (len(kept) + 50)
print(len(kept) + 50)
""",
        tmp_path / "store",
    )
    error, count = lines
    assert "nothing of this write was kept; free some space and repeat it" in error
    assert str(tmp_path / "store") in error
    report = verify_path(tmp_path / "store")
    assert report.ok, report.findings
    assert report.checked["blobs"] == int(count)


def test_with_batches_those_before_the_disk_was_full_are_kept(tmp_path: Path) -> None:
    run(
        """
store = vox.ContentStore(place)
limit(resource.RLIMIT_FSIZE, 3 << 20)
batch = items("b", 4000)
try:
    store.put_many(batch, batch=100)
except DiskFullError:
    pass
else:
    raise AssertionError("8 MB fit into 3")
there = [count is not None for count in store.refs([vox.hash_many([item]) for item in batch])]
kept = there.index(False)
assert kept >= 300 and kept % 100 == 0, kept
assert not any(there[kept:])
""",
        tmp_path / "store",
    )
    assert verify_path(tmp_path / "store").ok


def test_an_import_onto_a_full_disk_says_so_and_goes_on_later(tmp_path: Path) -> None:
    pick = [
        journal.Entry(window="a", text=vox.hash_many([b"%d" % n]).hex() * 40, at=n)
        for n in range(4000)
    ]
    pick += [journal.Entry(window="b", text="small")]
    journal.write(tmp_path / "in" / "a.journal", pick)
    reasons, added = run(
        """
archive = vox.open(place)
folder = place.parent / "in"
limit(resource.RLIMIT_FSIZE, 300_000)
report = archive.ingest([journal.JournalSource()], root=folder)
print(*{problem.reason for problem in report.problems})
assert archive.verify().ok
limit(resource.RLIMIT_FSIZE, resource.RLIM_INFINITY)
print(report.added + journal.ingest(archive, folder).added)
""",
        tmp_path / "archive",
    )
    assert reasons == "disk_full"
    assert int(added) == 4001
    with vox.open(tmp_path / "archive") as archive:
        assert len(archive.window("journal:a")) == 4000
        assert archive.verify().ok


def test_a_disk_without_any_room_gets_no_half_archive(tmp_path: Path) -> None:
    (error,) = run(
        """
limit(resource.RLIMIT_FSIZE, 0)
try:
    vox.open(place)
except DiskFullError as error:
    print(error)
limit(resource.RLIMIT_FSIZE, resource.RLIM_INFINITY)
with vox.open(place) as archive:
    assert archive.count_windows() == 0
    assert archive.verify().ok
""",
        tmp_path / "archive",
    )
    assert str(tmp_path / "archive") in error


# RLIMIT_AS bounds what may be mapped. Linux alone keeps to it.

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps to RLIMIT_AS")


@needs_linux
def test_with_little_address_space_an_archive_opens_and_warns(tmp_path: Path) -> None:
    with vox.open(tmp_path / "archive") as archive:
        assert archive.warnings == []
    (warning,) = run(
        """
limit(resource.RLIMIT_AS, mapped() + (1 << 30))
archive = vox.open(place)
print(*archive.warnings)
store = vox.ContentStore(place)
batch = items("a", 200)
assert store.get_many(store.put_many(batch)) == batch
assert archive.verify().ok
""",
        tmp_path / "archive",
    )
    assert "address space could be reserved for the archive" in warning


@needs_linux
def test_with_too_little_address_space_it_says_how_to_get_more(tmp_path: Path) -> None:
    vox.open(tmp_path / "archive").close()
    error, again = run(
        """
limit(resource.RLIMIT_AS, mapped() + (12 << 20))
try:
    vox.open(place)
except AddressSpaceError as error:
    print(error)
limit(resource.RLIMIT_AS, resource.RLIM_INFINITY)
print(vox.open(place).count_windows())
""",
        tmp_path / "archive",
    )
    assert "address-space limit (ulimit -v)" in error
    assert again == "0"


@needs_linux
def test_a_map_that_may_not_grow_keeps_what_was_put(tmp_path: Path) -> None:
    error, kept = run(
        """
limit(resource.RLIMIT_AS, mapped() + (400 << 20))
store = vox.ContentStore(place)
kept = 0
try:
    while True:
        store.put_many([random.Random(kept + n).randbytes(1 << 20) for n in range(8)])
        kept += 8
except (MapFullError, AddressSpaceError) as error:
    print(error)
for n in range(kept):
    item = random.Random(n).randbytes(1 << 20)
    assert store.get(vox.hash_many([item])) == item
print(kept)
""",
        tmp_path / "store",
    )
    assert "ulimit -v" in error
    assert int(kept) >= 16
    report = verify_path(tmp_path / "store")
    assert report.ok, report.findings
    assert report.checked["blobs"] == int(kept)
