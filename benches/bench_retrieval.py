"""Quality of retrieval: recall@10 and mean reciprocal rank on the judged queries, lane by lane and
fused, beside SQLite's FTS5 on the same texts.

    python benches/bench_retrieval.py

Of known items and error texts, which are quoted nearly word for word, MRR is that of FTS5 and no
more; that recall of known items is as high rests on one query, and on tool calls counting a little
less than what was said. Vectors matter to paraphrases alone.

It needs wordllama, whose vectors stand for an embedding service.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import vox
from tests.context.retrieval import judged
from tests.context.retrieval.fts5 import Fts5
from tests.context.retrieval.static_embedding import StaticEmbedding
from vox.archive import retrieval

LANES: dict[str, Sequence[str] | None] = {
    "text": ["text"],
    "structural": ["structural"],
    "semantic": ["semantic"],
    "text + structural": ["text", "structural"],
    "fused": None,
}


def ranker(archive: vox.Archive, lanes: Sequence[str] | None) -> Callable[[str], list[str]]:
    service = StaticEmbedding()

    def rank(query: str) -> list[str]:
        items = retrieval.rank(archive._native, query, lanes=lanes, embedding=service)
        return [judged.mark(bytes(archive.read(item))) for item in items[: judged.DEPTH]]

    return rank


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        archive = vox.open(Path(folder) / "archive")
        judged.fill(archive, Path(folder))
        archive.reindex()
        archive.embed(StaticEmbedding())
        results = {"FTS5 porter": judged.measure(Fts5(judged.texts(archive)).rank)}
        for name, lanes in LANES.items():
            results[name] = judged.measure(ranker(archive, lanes))
        groups = list(results["FTS5 porter"])
        print(f"{'recall@10 / MRR':20}", *(f"{group:>16}" for group in groups))
        for name, by_group in results.items():
            cells = (f"{by_group[g].recall:.3f} / {by_group[g].reciprocal:.3f}" for g in groups)
            print(f"{name:20}", *(f"{cell:>16}" for cell in cells))


if __name__ == "__main__":
    main()
