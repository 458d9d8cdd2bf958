"""Opening an archive, and what it answers."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Self, Unpack

from vox import _native
from vox.archive.files import whole_file, write_whole
from vox.archive.filters import ItemFilters, WindowFilters, item_filter, window_filter
from vox.archive.window import Window
from vox.config import GRACE_DAYS, counts_bytes, load_settings
from vox.errors import ClosedError, InvalidArgumentError, NotFoundError

if TYPE_CHECKING:
    from vox.archive import (
        exchange,
        gc,
        generations,
        indexing,
        purge,
        redacting,
        search,
        secrets,
        soundness,
        window_ops,
    )
    from vox.archive.append import NewItem
    from vox.archive.chat import Chat
    from vox.archive.counts import ItemTokens, ItemWish
    from vox.archive.history import History
    from vox.archive.raw import RawExport
    from vox.archive.report import ImportReport, Progress
    from vox.archive.sessions import Sessions
    from vox.context.committed import CommittedSet, ContextDraft, Entry, Meter, Rendered
    from vox.context.handoff import Envelope, HandoffSettings, PullBudget
    from vox.context.projection import Projection, ProjectionSettings, Sent
    from vox.context.retrieval.embedding import EmbeddingService
    from vox.context.retrieval.router import Retrieved
    from vox.context.retrieval.settings import RetrievalSettings
    from vox.models import ModelProfile
    from vox.sources.base import FileSource, WindowDraft
    from vox.tokens.arrays import Counts
    from vox.tokens.estimator import Model
    from vox.tokens.request import Tool

DEFAULT_WINDOW = 100_000
"""Tokens of a model that no catalogue knows. Judgement: what all models of today hold."""

SNIPPET_BYTES = 240
"""About how long a snippet is: three lines of a terminal. Judgement."""

# What only imports or checks need is loaded by them: a look at one window is to be instant.


def open(  # noqa: A001  `vox.open` reads like the builtin, and is used as such
    path: str | os.PathLike[str] | None = None, *, read_only: bool = False, create: bool = True
) -> Archive:
    """Opens the archive at `path`, or the user's own (see `VOX_HOME`).

    A missing archive is made unless `create` is false or it is opened for reading only. Opened
    twice in one process, both share one. Raises `NotFoundError`, `NotAnArchiveError`,
    `WrongVersionError`, `DamagedError`, `PermissionDeniedError`, `AddressSpaceError`.
    """
    place = Path(path) if path is not None else load_settings().archive
    native = _native.Archive(
        place,
        create=create and not read_only,
        read_only=read_only,
        counts_bytes=counts_bytes(),
    )
    return Archive(native)


class Reader(NamedTuple):
    """Another process that reads an archive."""

    process: int
    """Its number."""
    behind: int
    """How many transactions were committed since it began."""


class Archive:
    """One archive. Threads may share it; after `fork()` open it again in the child."""

    def __init__(self, native: _native.Archive) -> None:
        self._native = native

    @property
    def path(self) -> Path:
        """Where it is."""
        return Path(self._native.path)

    @property
    def warnings(self) -> list[str]:
        """What its user should know about the place it is in."""
        return self._native.warnings()

    def windows(
        self, *, start: int = 0, count: int = 100, **filters: Unpack[WindowFilters]
    ) -> _native.Columns:
        """Windows, the latest changed first: `count` of them from place `start` on.

        Filters are those of `vox.archive.filters.window_filter`: repo, kind, tier, since, until,
        tags, deleted. Columns say what a window is (`id`, `key`, `title`, `kind`, `tier`, `agent`,
        `model_route`, `fidelity`), where it worked (`repo`, `workspace`, `git_branch`,
        `git_sha_at_open`), what it came from (`parent` and `root` as ids, `link`), its times, its
        sums (`items`, `bytes`, `tokens`, `trimmed`), and what its user said of it (`pinned`,
        `tags`).
        Raises `InvalidArgumentError` for a kind or tier that there isn't.
        """
        return self._native.windows(window_filter(**filters), start, count)

    def count_windows(self, **filters: Unpack[WindowFilters]) -> int:
        """How many windows the filters leave. Raises as `windows` does."""
        return self._native.window_count(window_filter(**filters))

    def window(self, ref: str | int) -> Window:
        """The window with this id, beginning of an id (four characters or more), number or key.

        Raises `NotFoundError`, or `InvalidArgumentError` if several ids begin so.
        """
        if isinstance(ref, str):
            return Window(self._native, self._native.find_window(ref))
        if not 0 <= ref < 1 << 32:
            raise NotFoundError(f"there is no window number {ref}")
        return Window(self._native, ref)

    def timeline(
        self,
        start: int = 0,
        count: int = 100,
        *,
        repo: str | None = None,
        tier: str | None = None,
        preview: bool = True,
        hashes: bool = False,
        **filters: Unpack[ItemFilters],
    ) -> _native.Columns:
        """Items of all windows in the order of their times, each once, as Arrow columns.

        Columns are those of `Window.items` that don't depend on a window; `window` is the window
        that had an item first, and `repo` shows items of which that is one of its windows.
        Trimming belongs to windows, so it hides nothing here. Raises as `Window.items` does.
        """
        wanted = item_filter(**filters)
        return self._native.timeline(wanted, repo, tier, start, count, preview, hashes)

    def count_timeline(
        self, *, repo: str | None = None, tier: str | None = None, **filters: Unpack[ItemFilters]
    ) -> int:
        """How many items the filters leave of the timeline."""
        return self._native.timeline_position(item_filter(**filters), repo, tier, None)[0]

    def timeline_position(
        self,
        time: int,
        *,
        repo: str | None = None,
        tier: str | None = None,
        **filters: Unpack[ItemFilters],
    ) -> int:
        """The position in the timeline at which `time` (UTC milliseconds) stands."""
        return self._native.timeline_position(item_filter(**filters), repo, tier, time)[1]

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
        from vox.errors import NotFoundError

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

    def project(
        self,
        window: str | int | Window,
        profile: ModelProfile | str,
        *,
        query: str | None = None,
        budget: int | None = None,
        system: int = 0,
        tools: int = 0,
        previous: Sent | None = None,
        embedding: EmbeddingService | None = None,
        settings: ProjectionSettings | None = None,
    ) -> Projection:
        """What the model of `profile` is to be shown of a window: for each item all of it, its
        beginning and end, a handle that opens it, or nothing, with its cost and the reason; within
        a budget and within what is pinned. No model is called for it, and nothing is kept or sent.
        A model's name counts for its profile, as `vox.models.profile` looks it up.

        Without `budget`, tokens, the window has what the profile leaves beside the answer, and
        beside a system prompt and tools of `system` and `tools` tokens: all of it is shown while
        that is below the threshold, else it is planned down to low water. With a `query`, what
        answers it is worth more; `embedding` is as in `retrieve`. What a model was sent before,
        `previous` (`Projection.sent`), stays as it was as long as there is no reason to plan anew.
        `settings` are the numbers that it weighs by.

        All of the window is of one moment; items that are appended meanwhile come with the next.
        Raises `InfeasibleError` if what is pinned costs more than the budget,
        `InvalidArgumentError` for a budget that the model doesn't hold, `NotFoundError` for a
        window or a model that there isn't.
        """
        from vox.archive import projecting

        return projecting.project_window(
            self._native,
            (window if isinstance(window, Window) else self.window(window)).number,
            projecting.profile_of(profile),
            query=query,
            budget=budget,
            system=system,
            tools=tools,
            previous=previous,
            embedding=embedding,
            settings=settings,
        )

    def context_get(self, window: str | int | Window) -> CommittedSet | None:
        """What of a window reaches a model; None if nothing was committed. Its `document` is JSON,
        `draft` can be changed (`vox.context.committed.edit`) and set again, `sent` is what
        `project` takes as `previous`. Raises `NotFoundError`, `DamagedError`."""
        from vox.archive import committing

        return committing.context_get(self._native, self._number(window))

    def context_draft(self, window: str | int | Window) -> ContextDraft:
        """What is committed of a window, or nothing, as a draft over the window as it is now."""
        from vox.archive import committing

        return committing.context_draft(self._native, self._number(window))

    def context_entries(
        self, window: str | int | Window, items: Iterable[int], fate: str = "included"
    ) -> list[Entry]:
        """Items of a window, or of one of the same root, as entries of its set: `included`, or
        `on_demand`, as the lines that name them. Raises `InvalidArgumentError` for other items."""
        from vox.archive import committing
        from vox.context.projection import Fate

        number = self._number(window)
        return committing.context_entries(self._native, number, list(items), Fate.named(fate))

    def context_set(
        self,
        window: str | int | Window,
        context: ContextDraft | bytes | str,
        *,
        over: CommittedSet | None = None,
    ) -> CommittedSet:
        """Commits a draft, or a JSON document of schema `vox.context.v1`: from then on it is all of
        the window that reaches a model. Durable on return.

        An entry of a document needs only its `item`; ordinal, hash, pairs and what stands for all
        that is left out are found. Entries are items of the window or of windows of the same root.
        More than the model has room for is accepted: `meter` says by how much it is over, and
        `render` refuses it.

        Raises `ConflictError` if the window has changed since the draft was made, or its set isn't
        `over` (by default: the one there is now) any more; `InvalidArgumentError` for items of
        other windows, hashes that aren't theirs, and what is no such document.
        """
        from vox.archive import committing

        return committing.context_set(self._native, self._number(window), context, over)

    def commit(self, projection: Projection) -> CommittedSet:
        """Commits a projection: what it shows is all of its window that reaches a model. Durable on
        return. Raises `ConflictError` if the window has changed since it was projected."""
        from vox.archive import committing

        return committing.commit_projection(self._native, projection)

    def render(
        self,
        window: str | int | Window,
        profile: ModelProfile | str | None = None,
        *,
        system: str = "",
        tools: Sequence[Tool] = (),
        output: int | None = None,
    ) -> Rendered:
        """What a model is sent of a window: the messages of its committed set, the same as JSON,
        and the meter; after a `system` prompt and with `tools`, if there are any, for an answer of
        at most `output` tokens. By default for the model that the window is bound to.

        Raises `OverBudgetError` if that is more than the model has room for, `NotFoundError` if
        nothing is committed or the model isn't known, `InvalidArgumentError` without a model.
        """
        from vox.archive import committing

        return committing.render_window(
            self._native,
            self._number(window),
            profile,
            system=system,
            tools=tools,
            output=output,
        )

    def meter(
        self,
        window: str | int | Window,
        profile: ModelProfile | str | None = None,
        *,
        system: str = "",
        tools: Sequence[Tool] = (),
        output: int | None = None,
    ) -> Meter:
        """What `render` would send takes of a model's window, also if it is too much. Raises as
        `render` otherwise."""
        from vox.archive import committing

        return committing.meter_window(
            self._native,
            self._number(window),
            profile,
            system=system,
            tools=tools,
            output=output,
        )

    def route(self, window: str | int | Window, model: str | None) -> bool:
        """Binds a window to a model, which no import changes; None: to that of its source again.
        Gives whether that changed anything. Meter and projections follow it. Raises
        `InvalidArgumentError` for what can't be a model's name."""
        return _native.set_route(self._native, self._number(window), model)

    def set_fate(
        self, window: str | int | Window, ordinals: Iterable[int], fate: str | None
    ) -> int:
        """Sets by hand what becomes of items in projections: `included`, `summarized`, `on_demand`,
        `dropped`; None takes it back. Kept with the window. Gives of how many items that changed
        anything. Raises `InvalidArgumentError` for ordinals and fates that there aren't."""
        from vox.archive import committing
        from vox.context.projection import Fate

        number = self._number(window)
        named = None if fate is None else Fate.named(fate)
        return committing.set_fates(self._native, number, list(ordinals), named)

    def hand_off(
        self,
        parent: str | int | Window,
        brief: str,
        profile: ModelProfile | str,
        *,
        key: str | None = None,
        title: str | None = None,
        settings: HandoffSettings | None = None,
    ) -> Envelope:
        """Makes a child window for a sub-agent, and commits its seed: what is pinned in `parent`,
        its newest summary and the `brief`, within a share of what the sub-agent's model has room
        for. What is too long is given as a line that names it; a model that can call no tools is
        given as much of the window as there is room for.

        The envelope holds ids and hashes, no contents; what they stand for stays, whatever becomes
        of the parent. Raises `OverBudgetError` for a brief that is too long, `ConflictError` if a
        window has this `key`, `InvalidArgumentError` for an empty brief, `NotFoundError`.
        """
        from vox.archive import handing_off, projecting

        return handing_off.hand_off(
            self,
            self._number(parent),
            brief,
            projecting.profile_of(profile),
            key=key,
            title=title,
            settings=settings,
        )

    def pull(
        self,
        envelope: Envelope,
        what: int | str,
        budget: PullBudget,
        profile: ModelProfile | str | None = None,
    ) -> tuple[CommittedSet, PullBudget]:
        """Adds an item, by its number or content hash, to the set of an envelope's child; gives the
        set, and what is left of the `budget` of pulls.

        Raises `InvalidArgumentError` for an item that isn't of a window of the envelope's root,
        `OverBudgetError` if it is more than the budget of pulls or the model's window has room
        for, `PurgedError`.
        """
        from vox.archive import handing_off, projecting

        model = projecting.profile_of(profile or envelope.model)
        return handing_off.pull(self, envelope, what, budget, model)

    def _number(self, window: str | int | Window) -> int:
        return (window if isinstance(window, Window) else self.window(window)).number

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

    def read(self, item: int) -> bytes:
        """The bytes of an item by its number (the column `item`), checked against their hash; a
        read-only buffer. Raises `NotFoundError`, `DamagedError`."""
        return self._native.read(item)

    def extra(self, item: int) -> bytes | None:
        """What is left of the item's source record without the bytes of its items, as JSON;
        None if the record is the item. Raises `NotFoundError`, `DamagedError`."""
        return self._native.extra(item)

    def find_secrets(self, item: int) -> list[tuple[int, int, str]]:
        """What of an item is taken for secrets: the first byte, the byte after the last, and the
        rule of `contracts/secrets`. Raises `NotFoundError`, `PurgedError`, `DamagedError`."""
        return _native.item_secrets(self._native, item)

    def masked(self, item: int) -> bytes:
        """An item's bytes with `[secret:<rule>]` in place of each secret. Raises as `read`."""
        masked = _native.masked_item(self._native, item)
        return bytes(self.read(item)) if masked is None else masked

    def masked_previews(self, items: Iterable[int]) -> list[str | None]:
        """For each of `items` how it begins with its secrets masked, as its `preview` says without;
        None if that holds none. Raises `NotFoundError`, `DamagedError`."""
        return _native.masked_previews(self._native, list(items))

    def scan_secrets(self) -> secrets.SecretScan:
        """Scans all contents that weren't scanned by the rules of this version, and keeps where
        their secrets are, so that masking needn't look for them. Durable in steps; interrupted, it
        goes on the next time. Raises `ReadOnlyError`, `DiskFullError`."""
        from vox.archive import secrets

        return secrets.scan(self._native)

    def redact(self, window: str | int, *, key: str | None = None) -> redacting.RedactReport:
        """Makes a window that equals `window` but for its secrets, which are masked.

        Every item has its place: what stands at an ordinal there is the redacted variant of what
        stands at the same ordinal of `window`, to which the new window has the link
        `derived_from`. Items that were changed are marked `redacted`; contents of the others are
        shared. Stored bytes stay as they are. Raises `NotFoundError`, `InvalidArgumentError` if
        nothing of the window holds a secret, `ConflictError` if the key is taken, `ReadOnlyError`,
        `DiskFullError`.
        """
        from vox.archive import redacting

        return redacting.redact(self, self.window(window), key)

    def count_tokens(self, items: Iterable[int], model: Model, *, kind: ItemWish = "cap") -> Counts:
        """How many tokens each of `items` is for `model`: an array of `numpy.uint32`, in their
        order. Items are named by their numbers (the column `item`), in a list or an array; their
        bytes are counted where they are. Raises as `item_tokens`, which also says what of them
        isn't counted."""
        return self.item_tokens(items, model, kind=kind).tokens

    def item_tokens(
        self, items: Iterable[int], model: Model, *, kind: ItemWish = "cap"
    ) -> ItemTokens:
        """The same, with their `total`, what the numbers are worth, and the places of items that
        count 0 because they were purged or are no text.

        `model` is as for `vox.tokens.TokenEstimator`, or one, whose threads and cache don't matter
        here. `kind` is what to count by, as for `vox.count_tokens`: by default what may hold a cap.
        Exact counts are kept beside the archive, by tokenizer and item: the next time they are
        looked up. No transaction is begun for that, and where nothing can be written they are
        counted again. All cores are used.

        Raises `NotFoundError` for an item that there isn't, `DamagedError` for one that can't be
        read, `InvalidArgumentError` for what is no number of an item, and as `TokenEstimator` does.
        """
        from vox.archive import counts

        return counts.count(self._native, items, model, kind)

    def append(self, window: str | WindowDraft, items: Iterable[NewItem], /) -> dict[str, int]:
        """Appends items after the last one of the window with this key, in one transaction;
        durable on return. A window that isn't there is made; a `WindowDraft` says more of it.

        Gives counts: `windows` made, items `added` and `shared`, `blobs` that are new. Raises
        `ReadOnlyError`, `TooLargeError` for an item over 1 GiB, `DiskFullError`, `MapFullError`.
        """
        from vox.sources.base import WindowDraft

        draft = WindowDraft(key=window) if isinstance(window, str) else window
        return self._native.append(draft, list(items))

    def trim(
        self,
        windows: Iterable[str | int | Window] | None = None,
        *,
        pinned_too: bool = False,
        dry_run: bool = False,
        **choice: Unpack[window_ops.Choice],
    ) -> window_ops.MarkReport:
        """Hides items; `restore` shows them again, and nothing is taken away.

        Which: those of `windows`, or of all live windows (of a `repo`, with all `tags`), as far as
        the filters of `Window.items` let them through; or `items` by their ids, in `windows` or in
        all that show them. Pinned items and those of pinned windows stay, unless `pinned_too`.
        Each window changes as a whole. With `dry_run` nothing changes, and the report says what
        would. Raises `InvalidArgumentError` if nothing says which, `NotFoundError`,
        `ReadOnlyError`.
        """
        return self._mark("trim_pinned_too" if pinned_too else "trim", windows, choice, dry_run)

    def restore(
        self,
        windows: Iterable[str | int | Window] | None = None,
        *,
        dry_run: bool = False,
        **choice: Unpack[window_ops.Choice],
    ) -> window_ops.MarkReport:
        """Shows trimmed items again; chosen as in `trim`."""
        return self._mark("restore", windows, choice, dry_run)

    def pin(
        self,
        windows: Iterable[str | int | Window] | None = None,
        *,
        dry_run: bool = False,
        **choice: Unpack[window_ops.Choice],
    ) -> window_ops.MarkReport:
        """Pins items: they stay through trimming and compaction; chosen as in `trim`.
        `Window.pin` pins a window as a whole."""
        return self._mark("pin", windows, choice, dry_run)

    def unpin(
        self,
        windows: Iterable[str | int | Window] | None = None,
        *,
        dry_run: bool = False,
        **choice: Unpack[window_ops.Choice],
    ) -> window_ops.MarkReport:
        """Takes back what `pin` said of items; chosen as in `trim`."""
        return self._mark("unpin", windows, choice, dry_run)

    def _mark(
        self,
        verb: window_ops.Mark,
        windows: Iterable[str | int | Window] | None,
        choice: window_ops.Choice,
        dry_run: bool,
    ) -> window_ops.MarkReport:
        from vox.archive import window_ops

        numbers = None if windows is None else self._numbers(windows)
        selection = window_ops.choose(numbers, **choice)
        return window_ops.mark(self._native, verb, selection, dry_run=dry_run)

    def _numbers(self, windows: Iterable[str | int | Window]) -> list[int]:
        return [w.number if isinstance(w, Window) else self.window(w).number for w in windows]

    def merge(
        self,
        parts: Iterable[tuple[str | int | Window, Iterable[int | range]]],
        *,
        title: str | None = None,
        key: str | None = None,
    ) -> window_ops.MergeReport:
        """Makes a new window of picked items: for each part a window and ordinals of it.

        The parts follow each other as given, the items of each in their own order. Contents are
        shared, and the windows they come from stay as they are. The report says how many tool
        calls and results were parted. Raises `NotFoundError`, `InvalidArgumentError` for items that
        there aren't or none at all, `ConflictError` if a window has this `key`, `PurgedError` if
        nothing is left of all that was picked.
        """
        from vox.archive import window_ops

        picked = [
            (number, window_ops.ranges(ordinals))
            for window, ordinals in parts
            for number in self._numbers([window])
        ]
        return window_ops.merge(self._native, picked, key=key, title=title)

    def delete(
        self,
        windows: Iterable[str | int | Window],
        *,
        tree: bool = False,
        dry_run: bool = False,
    ) -> window_ops.LabelReport:
        """Leaves windows out of lists and of the timeline; with `tree` also those that came from
        them. Nothing of them goes, imports go on filling them, and `undelete` takes it back, until
        they are purged. Raises `NotFoundError`, `ReadOnlyError`."""
        from vox.archive import window_ops

        numbers = self._numbers(windows)
        return window_ops.label(self._native, "delete", numbers, tree=tree, dry_run=dry_run)

    def undelete(
        self,
        windows: Iterable[str | int | Window],
        *,
        tree: bool = False,
        dry_run: bool = False,
    ) -> window_ops.LabelReport:
        """Takes back a deletion; with `tree` also that of the windows that were deleted with them.
        Raises `PurgedError` for one that was purged since."""
        from vox.archive import window_ops

        numbers = self._numbers(windows)
        return window_ops.label(self._native, "undelete", numbers, tree=tree, dry_run=dry_run)

    def ingest(
        self,
        sources: Collection[str | FileSource] | None = None,
        *,
        root: Path | None = None,
        paths: Iterable[Path] = (),
        dry_run: bool = False,
        verify_sources: bool = False,
        restore_purged: bool = False,
        raw: bool = True,
        progress: Callable[[Progress], None] | None = None,
    ) -> ImportReport:
        """Imports what is new in the transcripts of other tools.

        Without arguments all known tools are looked for in their default folders; `root` is
        searched instead of those, `paths` are imported as whichever tool's they are. Files that
        are as they were aren't read again, unless `verify_sources` asks to compare all of each
        with the archive. What was purged stays purged, unless `restore_purged` asks for what the
        sources still have of it; all files are read then. Source files are only read. Their bytes
        are kept, so that `export_raw` gives them back; unless `raw` is false: then only what items
        hold of them stays. What could not be taken, of a file or as a whole, stands in the report's
        `problems` and the rest goes on. Raises `InvalidArgumentError` for a tool that isn't known
        or a `root` that is no folder.
        """
        from vox.archive import ingest

        return ingest.run(
            self._native,
            sources,
            root=root,
            paths=paths,
            dry_run=dry_run,
            verify_sources=verify_sources,
            restore_purged=restore_purged,
            raw=raw,
            progress=progress,
        )

    @property
    def sessions(self) -> Sessions:
        """Sessions of agents, as events: `archive.sessions.append(event)`."""
        from vox.archive.sessions import Sessions

        return Sessions(self._native)

    @property
    def chat(self) -> Chat:
        """Conversations of a person with a model, and their messages."""
        from vox.archive.chat import Chat

        return Chat(self._native)

    @property
    def history(self) -> History:
        """Clips, commands and prompts that a person may want again."""
        from vox.archive.history import History

        return History(self._native)

    def raw_sources(self, ref: str) -> list[Path]:
        """The source files that `ref` names: the path of one that was read (it may be gone), the
        end of one such path alone, or a window, which was read from one or several.

        Raises `NotFoundError`, or `InvalidArgumentError` if several paths end so.
        """
        return self._native.raw_sources(ref)

    def export_raw(
        self, ref: str | Path, to: BinaryIO | Path, *, reading: int | None = None
    ) -> RawExport:
        """Writes a source file as it was read, byte for byte, to a stream or a new file.

        `ref` is as for `raw_sources` and must come to one file. Of a file that was rewritten
        between two imports the last reading is given, or that with the number `reading`. Bytes
        that were purged or never kept are spaces, and stand in the answer's `holes`. Raises
        `NotFoundError`, `InvalidArgumentError` if it is several files or the new file is
        there, and `DamagedError`; then nothing is left of the new file.
        """
        from vox.archive import raw

        path = raw.one_source(self._native, str(ref))
        if not isinstance(to, Path):
            return raw.export(self._native, path, reading, to.write)
        if to.exists():
            raise InvalidArgumentError(f"{to} is there already; name a file that isn't")
        with whole_file(to) as file:
            return raw.export(self._native, path, reading, partial(write_whole, file))

    def stats(self) -> dict[str, Any]:
        """How many `windows`, `items`, `blobs`, `sources`, `quarantined` stretches and `events`
        there are, and how many live windows each of the `producers` has.

        Bytes: `raw_bytes` of all blobs, uncompressed; what `content_bytes` (blobs and their index),
        `custody_bytes` (source bytes beside them) and `spine_bytes` (all else) take; `file_bytes`
        of the data file; `rows` and `bytes` of each of the `tables`. `kept` says of each tool how
        many of its `source_bytes` are kept and what they take: `item_bytes` of the bodies of items,
        `run_bytes` of all else, `table_bytes` of the tables that find the bodies; `share` of the
        first two, `share_with_tables` of all three.
        """
        from vox.archive import statistics

        return statistics.of(self._native)

    def verify(self, sample: int | None = None, *, repair: bool = False) -> soundness.VerifyReport:
        """Checks pages, hashes, references, order, roll-ups and indexes; see
        `vox.archive.soundness`. With `sample` only so many blobs are decompressed and hashed."""
        from vox.archive import soundness

        return soundness.verify(self._native, sample=sample, repair=repair)

    def compact(self) -> generations.CompactReport:
        """Writes the archive anew without what it no longer needs: emptied pages, slots of blobs
        that are gone. Numbers of windows, items and events stay. The old files are gone on return;
        an index for searches is built anew.

        Others may go on using the archive: readers don't wait, writers wait until it is done, and
        all move over by themselves. Whatever ends it before leaves the archive as it was. Raises
        `ReadOnlyError`, `DiskFullError` if there is no room for both, `DamagedError`.
        """
        from vox.archive import generations

        return generations.compact(self._native)

    def gc(
        self, *, dry_run: bool = False, now: bool = False, grace_days: float = GRACE_DAYS
    ) -> gc.CollectReport:
        """Removes content that nothing uses any more: no item, no stretch that was set aside, no
        name, no service that holds it. What is found unused stays for `grace_days` more; `now` ends
        that at once. With `dry_run` nothing changes, and the report says what would.

        While an import runs nothing is removed; `held_back_by` names it. The room is used again,
        and the file gets smaller with `compact`. Raises `DamagedError` if something refers to
        content that isn't there or counts are wrong, `InvalidArgumentError` for a negative grace
        period, `ReadOnlyError`.
        """
        from vox.archive import gc

        return gc.collect(self._native, dry_run=dry_run, now=now, grace_days=grace_days)

    def purge(
        self,
        windows: Iterable[str | int | Window] = (),
        *,
        trimmed: bool = False,
        deleted: bool = False,
        older: int | None = None,
        now: bool = False,
        erase: bool = False,
        why: str = "",
        dry_run: bool = True,
    ) -> purge.PurgeReport:
        """Purges items that were trimmed, and windows that were deleted, more than 14 days ago, or
        before `older` (UTC milliseconds) if that is earlier; `now` ends the 14 days at once. With
        `windows` only of those. A dry run unless told otherwise.

        This can't be undone. A purged item keeps its place, role, kind, call, times, length and
        hash; reading it raises `PurgedError`. A source that has it still doesn't bring it back,
        unless `ingest` is told to. What is pinned, and rows that another window keeps, stay.
        Content leaves the files with `gc` and `compact`; `erase` does both at once.

        Raises `InvalidArgumentError` if nothing is named, or a window that is pinned or neither
        deleted nor has trimmed items; `NotFoundError`; `BusyError` if an import keeps `erase` from
        its end.
        """
        from vox.archive import purge

        return purge.purge(
            self._native,
            self._numbers(windows),
            trimmed=trimmed,
            deleted=deleted,
            older=older,
            now=now,
            erase=erase,
            why=why,
            dry_run=dry_run,
        )

    def backup(self, to: str | os.PathLike[str]) -> generations.BackupReport:
        """Copies the archive, as its last commit left it, to a folder that is missing or empty; on
        disk on return. The copy is an archive of its own.

        Others may go on writing meanwhile. A copy that is killed leaves a draft beside `to`, which
        the next one to there writes over. Raises `InvalidArgumentError` if the folder holds
        something, `BusyError` while another backup writes there, `DiskFullError`.
        """
        from vox.archive import generations

        return generations.backup(self._native, Path(to))

    def export_jsonl(self, to: Path | BinaryIO, *, mask: bool = False) -> exchange.Exported:
        """Writes all of the archive, as it is at one moment, as lines of JSON, from which
        `vox.archive.import_jsonl` makes an equal one; `contracts/jsonl-export.md` describes them.

        With `mask` every secret is masked, in texts, titles and rests of records alike; no archive
        can be made of that. A file gets its name when it is whole. Raises `DamagedError`,
        `DiskFullError`, `OSError`.
        """
        from vox.archive import exchange

        return exchange.export_jsonl(self._native, to, mask=mask)

    def readers(self) -> list[Reader]:
        """Other processes that read it at this moment, the oldest first.

        What was freed since one began isn't used again while it reads. When one lets the file grow
        by more than 1 GiB and a quarter, writes wait for it a while and then raise `BusyError`.
        """
        return [Reader(*reader) for reader in self._native.readers()]

    def close(self) -> None:
        """Lets go of the archive; using it afterwards raises `ClosedError`."""
        self._native.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        try:
            return f"Archive({str(self.path)!r}, {self.count_windows()} windows)"
        except ClosedError:
            return "Archive(closed)"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>{self.windows(count=20)._repr_html_()}"
