"""Vectors beside an archive."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from vox.archive.vectors import MOST_PARTS, VectorStore


def store(folder: Path) -> VectorStore:
    return VectorStore.of_service(folder, "a model", 4)


def numbers(*contents: int) -> npt.NDArray[np.uint64]:
    return np.array(contents, np.uint64)


def unit(*places: int) -> npt.NDArray[np.float32]:
    return np.eye(4, dtype=np.float32)[list(places)]


def test_the_nearest_content_comes_first_and_once(tmp_path: Path) -> None:
    vectors = store(tmp_path)
    vectors.add(numbers(7, 7, 9), unit(0, 1, 2))
    contents, near = vectors.nearest(unit(1)[0])
    assert contents.tolist() == [7, 9]
    assert near.tolist() == [1.0, 0.0]


@given(
    arrays(np.float32, (12, 4), elements=st.floats(-1, 1, width=16)),
    st.lists(st.integers(0, 5), min_size=12, max_size=12),
)
def test_nearest_is_the_best_piece_of_each_content(
    vectors: npt.NDArray[np.float32], owners: list[int]
) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        kept = store(Path(folder))
        kept.add(numbers(*owners[:5]), vectors[:5])
        kept.add(numbers(*owners[5:]), vectors[5:])
        contents, near = kept.nearest(unit(0)[0])
    best: dict[int, float] = {}
    for owner, vector in zip(owners, vectors, strict=True):
        best[owner] = max(best.get(owner, -9.0), float(vector[0]))
    assert dict(zip(contents.tolist(), near.tolist(), strict=True)) == best
    assert near.tolist() == sorted(near.tolist(), reverse=True)


def test_many_parts_become_one_and_nothing_is_lost(tmp_path: Path) -> None:
    vectors = store(tmp_path)
    for content in range(MOST_PARTS + 2):
        vectors.add(numbers(content), unit(content % 4))
    assert len(list(vectors.folder.glob("part-*"))) < MOST_PARTS
    assert vectors.contents().tolist() == list(range(MOST_PARTS + 2))


def test_what_is_gone_from_the_archive_goes_from_all_parts(tmp_path: Path) -> None:
    vectors = store(tmp_path)
    vectors.add(numbers(1, 2), unit(0, 1))
    vectors.add(numbers(2, 3), unit(2, 3))
    (found,) = VectorStore.all_below(tmp_path)
    assert found.keep_only(numbers(1, 3, 5)) == 1
    assert vectors.contents().tolist() == [1, 3]
    assert found.keep_only(numbers()) == 2
    assert list(vectors.folder.glob("part-*")) == []


def test_a_damaged_part_counts_as_lost(tmp_path: Path) -> None:
    vectors = store(tmp_path)
    vectors.add(numbers(1), unit(0))
    vectors.add(numbers(2), unit(1))
    first = min(vectors.folder.glob("part-*"))
    first.write_bytes(first.read_bytes()[:100])
    assert len(vectors.contents()) == 1


def test_services_of_other_names_or_dimensions_have_other_folders(tmp_path: Path) -> None:
    folders = {
        VectorStore.of_service(tmp_path, *service).folder
        for service in (("a", 4), ("b", 4), ("a", 8), ("a/b ../c", 4))
    }
    assert len(folders) == 4
    assert all(folder.parent == tmp_path for folder in folders)
