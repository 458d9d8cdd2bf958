"""What models are given of an archive's windows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from vox import _native
from vox.archive.changing import Changing
from vox.archive.window import Window

if TYPE_CHECKING:
    from vox.context.committed import CommittedSet, ContextDraft, Entry, Meter, Rendered
    from vox.context.handoff import Envelope, HandoffSettings, PullBudget
    from vox.context.projection import Projection, ProjectionSettings, Sent
    from vox.context.retrieval.embedding import EmbeddingService
    from vox.models import ModelProfile
    from vox.tokens.request import Tool


class Contexts(Changing):
    """What models are given of an archive's windows. Part of `Archive`."""

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
            self._number(window),
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
