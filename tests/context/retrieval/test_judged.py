"""The judged queries hold together."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import vox
from tests.context.retrieval import judged
from tests.context.retrieval.fts5 import Fts5


def test_there_are_sixty_queries_and_more_of_five_classes() -> None:
    groups = Counter(query.group for query in judged.queries())
    assert sum(groups.values()) >= 60
    assert set(groups) == {"known-item", "identifier", "error", "paraphrase", "other scripts"}
    assert min(groups.values()) >= 12
    assert all(query.relevant for query in judged.queries())
    assert len({query.query for query in judged.queries()}) == sum(groups.values())


def test_what_answers_a_query_is_among_the_texts_it_is_about(tmp_path: Path) -> None:
    with vox.open(tmp_path / "archive") as archive:
        judged.fill(archive, tmp_path)
        texts = judged.texts(archive)
    wanted = {mark for query in judged.queries() for mark in query.relevant}
    assert wanted <= set(texts)
    assert len(texts) > 2000
    peer = judged.measure(Fts5(texts).rank)
    assert 0.9 < peer["error"].recall <= 1
    assert peer["paraphrase"].recall < 0.7
