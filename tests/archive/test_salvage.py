"""Salvage of damaged archives of real transcripts."""

from __future__ import annotations

import random
import shutil
from itertools import chain
from pathlib import Path

import pytest

import vox
from tests import corpus
from tests.archive.contents import exported, items, windows
from tests.archive.examples import fill
from vox.archive import Archive
from vox.archive.salvage import salvage
from vox.errors import InvalidArgumentError, NotAnArchiveError, NotFoundError, VoxError

PAGE = 4096


@pytest.fixture
def source(archive: Archive, transcripts: Path, tmp_path: Path) -> Path:
    """A closed archive of all examples, with a name, holds and an overlay."""
    fill(archive, transcripts)
    archive.close()
    return tmp_path / "archive"


def items_by_window(path: Path) -> dict[str, list[bytes]]:
    """The contents of each window, by its key and id."""
    with vox.open(path, read_only=True, create=False) as archive:
        assert archive.verify().ok
        return {
            f"{row['key']} {row['id']}": [
                bytes(archive.read(item["item"])) for item in items(archive.window(row["id"]))
            ]
            for row in windows(archive)
        }


def is_part(few: list[bytes], all_of: list[bytes]) -> bool:
    """Whether `few` stand in `all_of` in this order."""
    left = iter(all_of)
    return all(item in left for item in few)


def damaged(source: Path, target: Path, seed: int) -> None:
    """A copy of an archive with bits flipped, a page overwritten, or its end cut off."""
    shutil.copytree(source, target)
    (file,) = target.glob("db/*/data.mdb")
    data = bytearray(file.read_bytes())
    numbers = random.Random(seed)
    for _ in range(numbers.choice([1, 3, 30])):
        data[numbers.randrange(2 * PAGE, len(data))] ^= 1 << numbers.randrange(8)
    if seed % 4 == 0:
        page = numbers.randrange(2, len(data) // PAGE)
        data[page * PAGE : (page + 1) * PAGE] = numbers.randbytes(PAGE)
    if seed % 4 == 1:
        del data[numbers.randrange(len(data) // 2, len(data)) :]
    file.write_bytes(data)


def test_an_archive_that_is_not_damaged_comes_out_equal(source: Path, tmp_path: Path) -> None:
    report = salvage(source, tmp_path / "saved")
    assert report.ok, report
    assert report.losses == []
    with vox.open(source, create=False) as one, vox.open(tmp_path / "saved", create=False) as two:
        assert exported(two) == exported(one)


def test_what_is_saved_is_right_and_in_its_order(source: Path, tmp_path: Path) -> None:
    original = items_by_window(source)
    everything = set(chain(*original.values()))
    saved = 0
    for seed in range(40):
        broken, target = tmp_path / f"broken-{seed}", tmp_path / f"saved-{seed}"
        damaged(source, broken, seed)
        try:
            report = salvage(broken, target)
        except VoxError:
            assert not target.exists()
            continue
        for key, left in items_by_window(target).items():
            if key in original and not key.startswith("salvaged:"):
                # A flipped bit may let an extent name another run: no hash covers that.
                own = [item for item in left if item in original[key]]
                assert is_part(own, original[key]), (seed, key)
            assert set(left) <= everything, (seed, key)
        saved += report.saved["items"]
        if not report.ok:
            assert report.losses or report.items or report.made_up
    assert saved > 20_000


def test_what_was_lost_comes_back_from_the_sources(
    source: Path, transcripts: Path, tmp_path: Path
) -> None:
    original = items_by_window(source)
    (file,) = source.glob("db/*/data.mdb")
    data = bytearray(file.read_bytes())
    # Content of the transcripts, as the archive compressed it.
    numbers = random.Random(3)
    for _ in range(60):
        data[numbers.randrange(len(data) // 4, len(data))] ^= 0x10
    file.write_bytes(data)
    report = salvage(source, tmp_path / "saved")
    assert not report.ok
    with vox.open(tmp_path / "saved", create=False) as archive:
        for tool, folder in corpus.TOOLS.items():
            archive.ingest([tool], root=transcripts / folder)
    saved = items_by_window(tmp_path / "saved")
    assert set(chain(*original.values())) <= set(chain(*saved.values()))


def test_only_empty_folders_are_written_to(source: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError):
        salvage(source, source)
    with pytest.raises(NotFoundError):
        salvage(tmp_path / "nothing", tmp_path / "saved")
    (tmp_path / "noise").write_bytes(random.Random(1).randbytes(50_000))
    with pytest.raises(NotAnArchiveError):
        salvage(tmp_path / "noise", tmp_path / "saved")
    assert not (tmp_path / "saved").exists()
    (file,) = source.glob("db/*/data.mdb")
    with file.open("r+b") as data:
        data.write(bytes(2 * PAGE))
    with pytest.raises(NotAnArchiveError):
        salvage(source, tmp_path / "saved")
