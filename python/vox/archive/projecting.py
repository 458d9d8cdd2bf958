"""Projections of an archive's windows: what they are made of, read from where it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from vox import _native, models
from vox.archive import counts
from vox.context.budget import ContextBudget
from vox.context.projection import (
    Counted,
    Outline,
    Projection,
    ProjectionSettings,
    Related,
    Sent,
    Texts,
)
from vox.context.projection.images import is_image
from vox.context.projection.limits import Limits
from vox.context.projection.material import PURGED, RECORD, SIDE, TRIMMED, Floats
from vox.context.projection.project import project
from vox.errors import InvalidArgumentError
from vox.models import ModelProfile

if TYPE_CHECKING:
    from vox.context.retrieval.embedding import EmbeddingService


def project_window(
    native: _native.Archive,
    window: int,
    profile: ModelProfile,
    *,
    query: str | None,
    budget: int | None,
    system: int,
    tools: int,
    previous: Sent | None,
    embedding: EmbeddingService | None,
    settings: ProjectionSettings | None,
) -> Projection:
    """See `vox.archive.Archive.project`."""
    material = material_of(native, window, profile)
    return project(
        material.outline,
        material.counted,
        material.texts,
        profile,
        limits_of(profile, budget, system, tools),
        related=material.related,
        scores=_scores(native, material.outline, query, embedding) if query else None,
        previous=previous,
        settings=settings,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """What a projection is made of, as `project` takes it."""

    outline: Outline
    counted: Counted
    texts: Texts
    related: Related


def material_of(native: _native.Archive, window: int, profile: ModelProfile) -> Material:
    """What there is of a window for a model. Raises as `Archive.item_tokens`, but for a model that
    nothing is known of."""
    outline = outline_of(native, window)
    related = _related(native, outline)
    outline, counted = _counted(native, outline, profile)
    return Material(outline, counted, partial(_texts, native), related)


def outline_of(native: _native.Archive, window: int) -> Outline:
    """A window as one read transaction sees it."""
    return outline_from(_native.outline(native, window))


def outline_from(read: _native.Outline) -> Outline:
    """What the core has read of a window, as projections take it."""
    return Outline(
        window=read.window,
        id=read.id,
        chain=read.chain,
        items=np.frombuffer(read.items, np.uint64),
        contents=np.frombuffer(read.contents, np.uint64),
        created_at=np.frombuffer(read.created_at, np.int64),
        byte_len=np.frombuffer(read.byte_len, np.uint64),
        names=np.frombuffer(read.names, np.uint32),
        name_texts=read.name_texts,
        roles=np.frombuffer(read.roles, np.uint8),
        kinds=np.frombuffer(read.kinds, np.uint8),
        flags=np.frombuffer(read.flags, np.uint8),
        calls=np.frombuffer(read.calls, np.uint32),
        committed=np.frombuffer(read.committed, np.int64),
        fates=np.frombuffer(read.fates, np.int8),
    )


def limits_of(profile: ModelProfile, budget: int | None, system: int, tools: int) -> Limits:
    """What a window may take of a model's: `budget`, or what is left of what is usable. Raises
    `InvalidArgumentError`."""
    if budget is not None:
        if not 0 <= budget <= profile.max_context_tokens:
            raise InvalidArgumentError(
                f"a budget of {budget} tokens; it is between 0 and the "
                f"{profile.max_context_tokens} that {profile.model_id} holds"
            )
        return Limits.exactly(budget)
    context = ContextBudget.of(profile, system=system, tools=tools)
    return Limits(
        context.room,
        max(0, context.compact_at - system - tools),
        max(0, context.low_water - system - tools),
    )


def _counted(
    native: _native.Archive, outline: Outline, profile: ModelProfile
) -> tuple[Outline, Counted]:
    """The tokens of all items that can be shown; the outline with what was purged meanwhile marked
    as such. Of a model that nothing is known of, no token is less than a byte."""
    rows = np.flatnonzero((outline.flags & (SIDE | RECORD | TRIMMED | PURGED)) == 0)
    tokens = np.zeros(len(outline), dtype=np.uint32)
    no_text = np.zeros(len(outline), dtype=bool)
    model = profile.tokenizer or profile.model_id
    try:
        found = counts.count(native, outline.items[rows], model, "cap")
    except InvalidArgumentError:
        no_text[rows] = is_image(outline)[rows]
        most = np.minimum(outline.byte_len, np.iinfo(np.uint32).max).astype(np.uint32)
        tokens[rows] = np.where(no_text[rows], 0, most[rows])
        return outline, Counted(tokens, "assumed", no_text)
    tokens[rows] = found.tokens
    no_text[rows[found.no_text.astype(np.int64)]] = True
    if found.purged.size:
        flags = outline.flags.copy()
        flags[rows[found.purged.astype(np.int64)]] |= PURGED
        outline = replace(outline, flags=flags)
    return outline, Counted(tokens, found.kind, no_text)


def _texts(native: _native.Archive, items: Sequence[int]) -> Sequence[bytes | None]:
    return _native.read_many(native, items)


def _related(native: _native.Archive, outline: Outline) -> Related:
    """What the core knows of the same items; items that came since the outline was read are left
    out, and those that it has not come to yet are related to nothing."""
    read = _native.relations(native, outline.window)
    n = len(outline)
    mentions = np.zeros(n, dtype=np.uint32)
    last_uses = np.arange(n, dtype=np.uint32)
    touched = np.full(n, -1, dtype=np.int32)
    both = min(n, len(read))
    mentions[:both] = np.frombuffer(read.mentions, np.uint32)[:both]
    last_uses[:both] = np.minimum(np.frombuffer(read.last_uses, np.uint32)[:both], max(0, n - 1))
    touched[:both] = np.frombuffer(read.touched, np.int32)[:both]
    return Related(mentions, last_uses, touched)


def _scores(
    native: _native.Archive, outline: Outline, query: str, embedding: EmbeddingService | None
) -> Floats:
    """How well each item answers a query: what retrieval gives it, 0 for what it doesn't find. All
    copies of a content have the score of the one that was found."""
    from vox.archive import retrieval

    scores = np.zeros(len(outline))
    found = retrieval.scores(native, query, where=f"in:{outline.id}", embedding=embedding)
    if not found:
        return scores
    items = np.fromiter(found, np.uint64, len(found))
    order = np.argsort(outline.items, kind="stable")
    places = np.minimum(np.searchsorted(outline.items, items, sorter=order), len(order) - 1)
    rows = order[places]
    there = outline.items[rows] == items
    scores[rows[there]] = np.fromiter(found.values(), np.float64, len(found))[there]
    _, of_row = np.unique(outline.contents, return_inverse=True)
    best = np.zeros(int(of_row.max()) + 1)
    np.maximum.at(best, of_row, scores)
    spread: Floats = best[of_row]
    return spread


def profile_of(model: ModelProfile | str) -> ModelProfile:
    """A model's profile, by its name if that is given. Raises as `vox.models.profile`."""
    return models.profile(model) if isinstance(model, str) else model
