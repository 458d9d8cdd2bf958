"""What an archive finds, and what searches go by."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from vox.archive.opened import Opened
from vox.errors import NotFoundError

if TYPE_CHECKING:
    from vox.archive import (
        indexing,
        search,
    )
    from vox.context.retrieval.embedding import EmbeddingService
    from vox.context.retrieval.router import Retrieved
    from vox.context.retrieval.settings import RetrievalSettings
    from vox.models import ModelProfile

DEFAULT_WINDOW = 100_000
"""Tokens of a model that no catalogue knows. Judgement: most at providers hold more, small local
ones less."""

SNIPPET_BYTES = 240
"""About how long a snippet is: three lines of a terminal. Judgement."""


class Searching(Opened):
    """What an archive finds, and what searches go by. Part of `Archive`."""

    def search(
        self,
        query: str,
        *,
        repo: str | Collection[str] | None = None,
        sub_agents: bool = False,
        order: search.Order = "relevance",
        limit: int = 20,
        cursor: str | None = None,
        snippet: int | None = SNIPPET_BYTES,
        reveal: bool = False,
        seconds: float | None = None,
        index: bool = True,
    ) -> search.SearchAnswer:
        """Items whose text and fields are as `query` says, each in the windows that show it.

        The query: words, which must all occur; `"a phrase"`, `begin*`, `/expression/`,
        `literal:"as it is"`; `OR`, `NOT` or a minus, parentheses; and filters, which hold for the
        whole query: `role:`, `kind:`, `tool:`, `model:`, `repo:`, `agent:`, `in:` a window, `tag:`,
        `title:`, `tier:`, `is:` (pinned, trimmed, redacted, deleted, subagent), `since:` and
        `before:` a time such as 7d or 2026-01-31. Case matters only to literals and expressions
        that hold an upper-case letter.

        Only windows of `repo`, one or several, unless the query says itself where to look; those
        of sub-agents with `sub_agents`. The answer has the first `limit` hits in the `order`:
        relevance (the best 10,000), newest or oldest first. `cursor`, which an answer gives, goes
        on behind its hits, whatever came since. Each hit has a snippet of about `snippet` bytes,
        None: none; secrets in it are masked, unless you `reveal` them. Whatever is the matter with
        the search index, the hits are the same: texts are read instead, for at most so many
        `seconds`, and the answer's `state` says so. Without `index` that is always done.

        Raises `InvalidArgumentError`, with the column, for a query that is none or a cursor of
        another; `NotFoundError` for `in:` a window that there isn't.
        """
        from vox.archive import search

        return search.search(
            self._native,
            query,
            repos=[repo] if isinstance(repo, str) else list(repo or ()),
            sub_agents=sub_agents,
            order=order,
            limit=limit,
            cursor=cursor,
            snippet=snippet,
            reveal=reveal,
            seconds=seconds,
            index=index,
        )

    def retrieve(
        self,
        question: str,
        profile: ModelProfile | str,
        budget: int | None = None,
        *,
        lanes: Collection[str] | None = None,
        limit: int | None = None,
        embedding: EmbeddingService | None = None,
        where: str = "",
        repo: str | Collection[str] | None = None,
        sub_agents: bool = False,
        settings: RetrievalSettings | None = None,
    ) -> Retrieved:
        """What the archive has to say to a question in plain words: references for a model, whose
        texts are together at most `budget` tokens of it; never contents. What a reference is to
        is opened by its handle, with `read`.

        `profile` is that of the model, or its name, as `vox.models.profile` knows it; one that it
        doesn't know has a window of `DEFAULT_WINDOW` tokens. Without a budget a small share of the
        window is taken. The `lanes`: `text` (words, and a little their stems), `structural` (files
        and symbols that the question names, in what tool calls touched), `semantic` (by meaning,
        if an `embedding` service is attached and `embed` was run with it); by default all. Nothing
        that a lane can't do keeps the others from answering: the answer's `lanes` have notes.
        Copies of one content are one reference, which says how many windows hold it.

        Lanes find only what the search index covers: it catches up first, if this archive can be
        written; else, and while another process is at it, notes say how much is missing.

        `where` holds filters as in `search`, and no words; `repo` and `sub_agents` are as there.
        `settings` are the numbers that it weighs by.

        Raises `InvalidArgumentError` for a budget that the model's window doesn't hold, a lane that
        there isn't, and filters that are none; `NotFoundError` for `in:` a window that there isn't.
        """
        from vox import models
        from vox.archive import retrieval

        if isinstance(profile, str):
            name = profile
            try:
                profile = models.profile(name)
            except NotFoundError:
                profile = models.ModelProfile(name, DEFAULT_WINDOW)
        return retrieval.retrieve(
            self._native,
            question,
            profile,
            budget,
            lanes=lanes,
            limit=limit,
            embedding=embedding,
            where=where,
            repos=[repo] if isinstance(repo, str) else list(repo or ()),
            sub_agents=sub_agents,
            settings=settings,
        )

    def embed(self, embedding: EmbeddingService) -> int:
        """Keeps vectors of all texts that have none yet of this service, for the lane `semantic`;
        gives how many contents were looked at. They stand in files beside the archive, by content,
        and can be made again. Raises what the service raises, and `OSError`; what was kept until
        then stays."""
        from vox.archive import retrieval

        return retrieval.embed(self._native, embedding)

    def update_index(self) -> indexing.IndexReport:
        """Lets the search index catch up with the archive; builds it if there is none that fits.

        Nothing waits for it: searches read the texts that it lacks. Where another process is at it
        nothing is done. Raises `ReadOnlyError`, `DiskFullError`; the archive itself isn't touched.
        """
        from vox.archive import indexing

        return indexing.update(self._native, anew=False)

    def reindex(self) -> indexing.IndexReport:
        """Builds the search index anew; searches use the one that is there until it is whole.
        Raises as `update_index`."""
        from vox.archive import indexing

        return indexing.update(self._native, anew=True)

    def repos_here(self, folder: Path) -> list[str]:
        """What this archive calls the repository that `folder` is in: the folders from there up to
        its root, its remote address, and the folders below its root, as far as windows are of
        them; empty if none is."""
        from vox.archive import repos

        return repos.known(self._native, folder)
