"""Retrieval answers every class of judged queries at least as well as SQLite's FTS5."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

import vox
from tests.context.retrieval import judged
from tests.context.retrieval.fts5 import Fts5
from tests.context.retrieval.judged import Quality
from tests.context.retrieval.static_embedding import StaticEmbedding
from vox.archive import retrieval


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> vox.Archive:
    folder = tmp_path_factory.mktemp("judged")
    archive = vox.open(folder / "archive")
    judged.fill(archive, folder)
    archive.reindex()
    archive.embed(StaticEmbedding())
    return archive


def ranker(archive: vox.Archive, lanes: Sequence[str] | None) -> Callable[[str], list[str]]:
    service = StaticEmbedding()

    def rank(query: str) -> list[str]:
        items = retrieval.rank(archive._native, query, lanes=lanes, embedding=service)
        return [judged.mark(bytes(archive.read(item))) for item in items[: judged.DEPTH]]

    return rank


def no_worse(ours: dict[str, Quality], peer: dict[str, Quality]) -> list[str]:
    """The classes in which the peer is better."""
    return [
        f"{group}: {ours[group]} against {theirs}"
        for group, theirs in peer.items()
        if ours[group].recall < theirs.recall - 1e-9
        or ours[group].reciprocal < theirs.reciprocal - 1e-9
    ]


def test_all_lanes_together_are_as_good_as_fts5_on_every_class(archive: vox.Archive) -> None:
    peer = judged.measure(Fts5(judged.texts(archive)).rank)
    assert no_worse(judged.measure(ranker(archive, None)), peer) == []


def test_without_vectors_it_is_too(archive: vox.Archive) -> None:
    peer = judged.measure(Fts5(judged.texts(archive)).rank)
    ours = judged.measure(ranker(archive, ["text", "structural"]))
    assert no_worse(ours, peer) == []
