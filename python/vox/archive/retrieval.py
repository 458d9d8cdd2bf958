"""Retrieval from an archive: the lanes that it has, and where their items stand."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from vox import _native
from vox.archive.filters import item_filter
from vox.archive.search import Wanted
from vox.archive.vectors import VectorStore
from vox.context.retrieval.embedding import EmbeddingService, directions, pieces
from vox.context.retrieval.lanes import Candidate, Found, Lane
from vox.context.retrieval.names import share_of_names
from vox.context.retrieval.reference import Description
from vox.context.retrieval.router import RetrievalRouter, Retrieved
from vox.context.retrieval.semantic import SemanticLane
from vox.context.retrieval.settings import RetrievalSettings
from vox.errors import VoxError
from vox.models import ModelProfile

_PAGE = 4096
"""Items that are listed at once. Judgement."""

_BATCH = 512
"""Pieces that a service is given at once. Judgement."""


class Corpus:
    """What of an archive is in scope."""

    def __init__(self, native: _native.Archive, wanted: Wanted) -> None:
        self._native = native
        self._wanted = wanted
        self._rows: dict[int, dict[str, Any]] = {}

    def related(self, question: str, way: str, count: int, contents: Sequence[int] = ()) -> Found:
        """What the core finds; a note says what it couldn't look at."""
        answered, covered = self._ask(question, way, contents, count)
        rows = answered.hits("relevance", 0, count, None, False)
        self._rows |= {row["item"]: row for row in rows}
        candidates = [_candidate(row) for row in rows]
        return Found(candidates, covered, note=_note(answered.state))

    def holding(self, contents: Sequence[int], count: int) -> Sequence[Candidate]:
        """Items that hold one of `contents`, in their order."""
        return self.related("", "contents", count, contents).candidates

    def describe(self, items: Sequence[int]) -> list[Description | None]:
        """What each item is that a lane found."""
        rows = [self._rows.get(item) for item in items]
        return [None if row is None else _description(row) for row in rows]

    def passages(self, question: str, items: Sequence[int], width: int) -> list[str | None]:
        """What of each item shows what it has to do with the question."""
        answered, _ = self._ask(question, "touched", (), 0)
        snippets = answered.snippets(list(items), width)
        return [None if snippet is None else _framed(snippet) for snippet in snippets]

    def _ask(
        self, question: str, way: str, contents: Sequence[int], count: int
    ) -> tuple[_native.Answered, float | None]:
        return _native.related(self._native, self._wanted, question, way, list(contents), count)


class CoreLane:
    """A lane that the core looks through: by words, or by what tool calls touched."""

    by_meaning = False

    def __init__(self, name: str, way: str, corpus: Corpus) -> None:
        self.name = name
        self._way = way
        self._by_names = way == "touched"
        self._corpus = corpus

    def find(self, question: str, count: int) -> Found:
        """The best by its way."""
        found = self._corpus.related(question, self._way, count)
        return replace(found, named=share_of_names(question)) if self._by_names else found


def retrieve(
    native: _native.Archive,
    question: str,
    profile: ModelProfile,
    budget: int | None,
    *,
    lanes: Collection[str] | None,
    limit: int | None,
    embedding: EmbeddingService | None,
    where: str,
    repos: list[str],
    sub_agents: bool,
    settings: RetrievalSettings | None,
) -> Retrieved:
    """See `vox.archive.Archive.retrieve`."""
    _catch_up(native)
    corpus = _corpus(native, where, repos, sub_agents)
    router = RetrievalRouter(_lanes(native, corpus, embedding), corpus, settings)
    return router.retrieve(question, profile, budget, lanes=lanes, limit=limit)


def _catch_up(native: _native.Archive) -> None:
    """Lets the index follow the archive: lanes find only what it covers. Where that fails, or where
    another process is at it, lanes say what they couldn't look at."""
    with suppress(VoxError, OSError):
        _native.update_index(native, False)


def rank(
    native: _native.Archive,
    question: str,
    *,
    lanes: Collection[str] | None = None,
    embedding: EmbeddingService | None = None,
    settings: RetrievalSettings | None = None,
) -> list[int]:
    """The items that lanes find in all of an archive, fused, the best first."""
    corpus = _corpus(native, "", [], True)
    router = RetrievalRouter(_lanes(native, corpus, embedding), corpus, settings)
    return router.rank(question, lanes=lanes)


def scores(
    native: _native.Archive,
    question: str,
    *,
    where: str,
    embedding: EmbeddingService | None = None,
    settings: RetrievalSettings | None = None,
) -> dict[int, float]:
    """The items that lanes find by `where`, the best first, with their scores. The index catches up
    first."""
    _catch_up(native)
    corpus = _corpus(native, where, [], True)
    router = RetrievalRouter(_lanes(native, corpus, embedding), corpus, settings)
    return router.scores(question)


def _corpus(native: _native.Archive, where: str, repos: list[str], sub_agents: bool) -> Corpus:
    wanted = Wanted(
        query=where,
        now=time.time_ns() // 1_000_000,
        repos=repos,
        sub_agents=sub_agents,
        as_of=None,
        seconds=None,
        index=True,
    )
    return Corpus(native, wanted)


def _lanes(
    native: _native.Archive, corpus: Corpus, embedding: EmbeddingService | None
) -> list[Lane]:
    store = _store(native, embedding)

    def without() -> int:
        return 0 if store is None else max(0, _items(native) - store.made_of)

    return [
        CoreLane("text", "words", corpus),
        CoreLane("structural", "touched", corpus),
        SemanticLane(embedding, store, corpus.holding, without),
    ]


def embed(native: _native.Archive, embedding: EmbeddingService) -> int:
    """See `vox.archive.Archive.embed`."""
    store = _store(native, embedding)
    assert store is not None
    items = _items(native)
    live = _contents(native)
    store.keep_only(np.fromiter(live, np.uint64, len(live)))
    known = set(store.contents().tolist())
    missing = {content: item for content, item in live.items() if content not in known}
    texts: list[tuple[int, str]] = []
    for content, item in missing.items():
        texts += [(content, piece) for piece in pieces(_text(native, item))]
        if len(texts) >= _BATCH:
            _add(store, embedding, texts)
            texts = []
    _add(store, embedding, texts)
    store.made(items)
    return len(missing)


def _add(store: VectorStore, embedding: EmbeddingService, texts: list[tuple[int, str]]) -> None:
    contents = np.fromiter((content for content, _ in texts), np.uint64, len(texts))
    store.add(contents, directions(embedding, [text for _, text in texts]))


def _store(native: _native.Archive, embedding: EmbeddingService | None) -> VectorStore | None:
    if embedding is None:
        return None
    return VectorStore.of_service(_vectors(native), embedding.name, embedding.dimensions)


def _vectors(native: _native.Archive) -> Path:
    return Path(native.path) / "vectors"


def forget_purged(native: _native.Archive) -> None:
    """Takes away vectors of contents that no item has any more: they say something of what it was
    purged for. Raises `OSError`."""
    stores = VectorStore.all_below(_vectors(native))
    if stores:
        live = _contents(native)
        for store in stores:
            store.keep_only(np.fromiter(live, np.uint64, len(live)))


def _contents(native: _native.Archive) -> dict[int, int]:
    """Each content that has a text, by its number, and an item that holds it."""
    found: dict[int, int] = {}
    for start in range(0, _items(native), _PAGE):
        rows = native.timeline(item_filter(), None, None, start, _PAGE, False, True)
        columns = rows.column("item"), rows.column("content_hash"), rows.column("purged")
        for item, content, purged in zip(*columns, strict=True):
            if not purged:
                found.setdefault(int.from_bytes(content[:8], "little"), item)
    return found


def _items(native: _native.Archive) -> int:
    """How many items there are."""
    return native.timeline_position(item_filter(), None, None, None)[0]


def _text(native: _native.Archive, item: int) -> str:
    try:
        return bytes(native.read(item)).decode()
    except UnicodeDecodeError:
        return ""


def _candidate(row: dict[str, Any]) -> Candidate:
    return Candidate(
        item=row["item"],
        content=row["content_hash"],
        score=row["score"] or 0.0,
        role=row["role"],
        kind=row["kind"],
        at=row["created_at"],
    )


def _description(row: dict[str, Any]) -> Description:
    return Description(
        item=row["item"],
        window=row["window_id"],
        title=row["title"],
        role=row["role"],
        kind=row["kind"],
        name=row["name"],
        at=row["created_at"],
        bytes=row["byte_len"],
        windows=row["windows"],
        line=row["preview"],
    )


def _framed(snippet: dict[str, Any]) -> str:
    """A passage with marks where the item goes on."""
    before, after = ("… " if snippet["before"] else ""), (" …" if snippet["after"] else "")
    return f"{before}{snippet['text']}{after}"


def _note(state: dict[str, Any]) -> str | None:
    match state["state"]:
        case "not_indexed":
            return f"{state['why']}: `vox archive reindex` makes an index"
        case "partial":
            return f"{state['searched']} of {state['of']} items were searched"
        case "stale":
            return f"newest items that aren't in the index yet: {state['behind']}"
    return None
