"""`vox archive purge`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from vox import _native
from vox.errors import InvalidArgumentError, PurgedError


@pytest.fixture
def trimmed(imported: str, home: Path) -> str:
    """The imported window, its second item trimmed long ago."""
    native = _native.Archive(home / "archive", create=False, read_only=False)
    native.set_overlay(native.find_window(imported), "trimmed", 1, 1, 5)
    return imported


def test_it_is_a_dry_run_without_yes(run: Run, trimmed: str) -> None:
    planned = run("archive", "purge", "--trimmed").text
    assert planned.startswith("1 item (")
    assert "would be purged" in planned
    assert planned.endswith("--yes does it, and it can't be undone\n")
    assert run("archive", "purge", "--trimmed", "--json").answer["dry_run"] is True
    done = run("archive", "purge", "--trimmed", "--why", "private", "--yes", "--json").answer
    assert (done["schema"], done["items"], done["dry_run"]) == ("vox.purge.v1", 1, False)


def test_a_purged_item_is_shown_as_that_and_cannot_be_read(run: Run, trimmed: str) -> None:
    run("archive", "purge", trimmed, "--yes")
    shown = run("show", trimmed, "--trimmed", "show").text.splitlines()
    assert [line.split("\t")[0] for line in shown if line.endswith("\t[purged]")] == ["1"]
    outcome = run("cat", f"{trimmed}@1")
    assert outcome.status == PurgedError.exit_status
    assert "was purged; only its hash is left" in outcome.messages


def test_erase_writes_the_files_anew(run: Run, trimmed: str, home: Path) -> None:
    outcome = run("archive", "purge", trimmed, "--erase", "--yes")
    assert outcome.text.endswith("the files were written anew\n")
    assert [folder.name for folder in (home / "archive" / "db").iterdir()] != ["1"]
    assert run("archive", "verify").status == 0


def test_nothing_named_is_a_usage_error(run: Run, imported: str) -> None:
    outcome = run("archive", "purge")
    assert outcome.status == InvalidArgumentError.exit_status
    assert "say what to purge" in outcome.messages


def test_an_import_can_bring_it_back(run: Run, trimmed: str, transcript: Path) -> None:
    run("archive", "purge", trimmed, "--yes")
    root = ("import", "claude-code", "--root", transcript)
    assert "1 stay purged" in run(*root, "--verify-sources").text
    assert "1 restored" in run(*root, "--restore-purged").text
    assert run("cat", f"{trimmed}@1").status == 0
