"""`vox archive gc`."""

from __future__ import annotations

from pathlib import Path

import pytest

import vox
from tests.cli.conftest import Run
from vox import _native
from vox.errors import BusyError


def _released(home: Path) -> None:
    store = vox.ContentStore(home / "archive")
    store.release_many(store.put_many([b"released"]))


def test_a_dry_run_shows_what_a_run_then_removes(run: Run, imported: str, home: Path) -> None:
    _released(home)
    planned = run("archive", "gc", "--now", "--dry-run", "--json").answer
    assert (planned["schema"], planned["dry_run"], planned["removed"]) == ("vox.gc.v1", True, 1)
    assert "1 would be removed" in run("archive", "gc", "--now", "--dry-run").text
    assert "1 unused; 1 removed" in run("archive", "gc", "--now").text
    assert "0 unused; 0 removed" in run("archive", "gc", "--now").text


def test_the_grace_period_is_told(run: Run, imported: str, home: Path) -> None:
    _released(home)
    assert "waiting for the end of the grace period: 1\n" in run("archive", "gc").text
    assert run("archive", "gc", "--grace", "0", "--json").answer["removed"] == 1


def test_an_import_that_runs_holds_it_back(run: Run, imported: str, home: Path) -> None:
    _released(home)
    native = _native.Archive(home / "archive", create=False, read_only=False)
    lease = native.begin_lease("import")
    outcome = run("archive", "gc", "--now")
    assert outcome.status == BusyError.exit_status
    assert "held back: process" in outcome.messages
    assert run("archive", "gc").status == 0
    native.end_lease(lease)
    assert run("archive", "gc", "--now").status == 0


@pytest.mark.parametrize("days", ["nan", "inf", "1e300", "-1"])
def test_a_grace_period_that_is_none_is_a_wrong_argument(
    run: Run, imported: str, days: str
) -> None:
    outcome = run("archive", "gc", "--grace", days)
    assert outcome.status == 2
    assert "Traceback" not in outcome.messages
