"""What nothing uses leaves the archive, and only that."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import vox
from tests.archive.transcripts import session, write
from vox import _native
from vox.archive import Archive
from vox.errors import InvalidArgumentError, NotFoundError


@pytest.fixture
def store(archive: Archive) -> vox.ContentStore:
    """The contents of the archive, for services."""
    return vox.ContentStore(archive.path)


def test_what_a_service_has_released_goes_and_what_it_holds_stays(
    archive: Archive, store: vox.ContentStore
) -> None:
    kept, released = store.put_many([b"kept", b"released"])
    store.release_many([released])
    report = archive.gc(now=True)
    assert (report.blobs, report.unused, report.removed) == (2, 1, 1)
    assert (report.removed_raw_bytes, report.waiting) == (len(b"released"), 0)
    assert store.get(kept) == b"kept"
    with pytest.raises(NotFoundError):
        store.get(released)
    assert archive.verify().ok


def test_what_is_found_unused_waits_for_its_grace_period(
    archive: Archive, store: vox.ContentStore
) -> None:
    store.release_many(store.put_many([b"for a while"]))
    for _ in range(2):
        report = archive.gc()
        assert (report.unused, report.waiting, report.removed) == (1, 1, 0)
    assert archive.gc(grace_days=0).removed == 1


def test_a_name_keeps_content(archive: Archive, store: vox.ContentStore) -> None:
    (key,) = store.put_many([b"named"])
    store.set_name("service/current", key)
    store.release_many([key])
    assert archive.gc(now=True).removed == 0
    store.set_name("service/current", None)
    assert archive.gc(now=True).removed == 1


def test_a_dry_run_says_what_would_go(archive: Archive, store: vox.ContentStore) -> None:
    store.release_many(store.put_many([b"one", b"two"]))
    before = archive.stats()
    planned = archive.gc(dry_run=True, now=True)
    assert archive.stats() == before
    assert (planned.dry_run, planned.removed) == (True, 2)
    done = archive.gc(now=True)
    assert (done.removed, done.removed_bytes) == (planned.removed, planned.removed_bytes)


def test_an_imported_archive_loses_nothing(archive: Archive, tmp_path: Path) -> None:
    write(tmp_path / "sources", session(30))
    archive.ingest(["claude-code"], root=tmp_path / "sources")
    before = [archive.read(item) for item in archive.window(0).items(0, 99).column("item")]
    report = archive.gc(now=True)
    assert (report.items, report.removed) == (len(before), 0)
    assert [archive.read(item) for item in archive.window(0).items(0, 99).column("item")] == before


def test_an_import_holds_a_lease_and_gives_it_back(archive: Archive, tmp_path: Path) -> None:
    write(tmp_path / "sources", session(30))
    seen = list[int]()
    archive.ingest(
        ["claude-code"],
        root=tmp_path / "sources",
        progress=lambda _: seen.extend(lease.pid for lease in archive.gc(now=True).held_back_by),
    )
    assert set(seen) == {os.getpid()}
    assert archive.gc(now=True).held_back_by == []


def test_the_lease_of_a_process_that_was_killed_is_cleared(archive: Archive) -> None:
    code = """if True:
        import os, signal, sys
        from vox import _native
        native = _native.Archive(sys.argv[1], create=False, read_only=False)
        native.begin_lease("import")
        os.kill(os.getpid(), signal.SIGKILL)
    """
    ended = subprocess.run([sys.executable, "-c", code, archive.path])
    assert ended.returncode < 0
    report = archive.gc(now=True)
    assert (report.leases_cleared, report.held_back_by) == (1, [])


def test_a_lease_that_is_ended_twice_is_no_error(archive: Archive) -> None:
    native = _native.Archive(archive.path, create=False, read_only=False)
    lease = native.begin_lease("import")
    native.renew_lease(lease)
    native.end_lease(lease)
    native.end_lease(lease)


def test_a_grace_period_below_zero_is_refused(archive: Archive) -> None:
    with pytest.raises(InvalidArgumentError):
        archive.gc(grace_days=-1)
