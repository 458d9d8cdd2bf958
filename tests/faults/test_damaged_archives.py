"""Small archives with one thing wrong each, as `tools/damaged_archives.py` makes them: what is said
of each, and what can be saved."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

import vox
from vox.archive import verify_path
from vox.archive.salvage import salvage
from vox.cli import main
from vox.errors import VoxError

ARCHIVES = Path(__file__).parents[1] / "data" / "archives"
ITEMS = 49
"""In each of them, in two windows."""


class Said(msgspec.Struct, frozen=True):
    """What is said of a damaged archive."""

    found: set[str] | str
    """The tables that verify names, or the error that it ends with."""
    opened: str | None = None
    """The error of opening it."""
    saved: int | str = ITEMS
    """How many items salvage saves, or the error that it ends with."""
    repairable: bool = False


DAMAGED = {
    "cut-off": Said({"pages", "chunks"}, opened="damaged", saved=0),
    # Nothing is wrong with the rest, and it is found.
    "no-current": Said(set()),
    # The older head says what the archive was before its last commit, and LMDB wants both.
    "one-head": Said({"pages"}, opened="not_an_archive"),
    "both-heads": Said("not_an_archive", opened="not_an_archive", saved="not_an_archive"),
    "item-bytes": Said({"tails"}, saved=ITEMS - 1),
    "lost-index": Said({"window_ids"}, repairable=True),
    "lost-event": Said({"events"}),
    "lost-table": Said({"overlays"}, opened="damaged"),
    "torn-page": Said({"pages", "meta"}, opened="damaged"),
}


@pytest.fixture(params=DAMAGED)
def damaged(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Said]:
    """A damaged archive, and what is to be said of it."""
    with tarfile.open(ARCHIVES / f"damaged-{request.param}.tar.gz") as tar:
        tar.extractall(tmp_path / "damaged", filter="data")
    return tmp_path / "damaged", DAMAGED[request.param]


def code_of(work: Callable[[], object]) -> str | None:
    """The code of the error that `work` ends with."""
    try:
        work()
    except VoxError as error:
        return error.code
    return None


def test_each_kept_archive_is_tested() -> None:
    kept = {path.name.removeprefix("damaged-") for path in ARCHIVES.glob("damaged-*")}
    assert kept == {f"{name}.tar.gz" for name in DAMAGED}


def test_verify_names_what_is_wrong(damaged: tuple[Path, Said]) -> None:
    place, said = damaged
    if isinstance(said.found, str):
        assert code_of(lambda: verify_path(place)) == said.found
        return
    report = verify_path(place)
    assert report.ok is not bool(said.found)
    assert said.found <= {finding.table for finding in report.findings}
    assert all(finding.repairable for finding in report.findings) is (
        said.repairable or not said.found
    )


def test_opening_it_works_or_says_why_not(damaged: tuple[Path, Said]) -> None:
    place, said = damaged
    assert code_of(lambda: vox.open(place, create=False).close()) == said.opened
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--json", "--archive", str(place)])
    assert bool(ended.value.code) is (said.opened is not None)


def test_what_is_readable_is_saved(damaged: tuple[Path, Said], tmp_path: Path) -> None:
    place, said = damaged
    if isinstance(said.saved, str):
        assert code_of(lambda: salvage(place, tmp_path / "saved")) == said.saved
        return
    assert salvage(place, tmp_path / "saved").saved["items"] == said.saved
    with vox.open(tmp_path / "saved") as archive:
        assert archive.verify().ok
        assert archive.count_windows() == 2
        read = [archive.read(item) for item in archive.timeline(0, 99, records=True).column("item")]
        assert len(read) == said.saved


def test_a_table_that_is_missing_is_a_loss(tmp_path: Path) -> None:
    with tarfile.open(ARCHIVES / "damaged-lost-table.tar.gz") as tar:
        tar.extractall(tmp_path / "damaged", filter="data")
    report = salvage(tmp_path / "damaged", tmp_path / "saved")
    assert not report.ok
    assert report.lost == {"overlays": 1}


def test_what_can_be_made_again_is(damaged: tuple[Path, Said]) -> None:
    place, said = damaged
    if said.repairable:
        with vox.open(place) as archive:
            assert archive.verify(repair=True).ok
