"""Committed sets of an archive's windows: read, changed, frozen, rendered."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from vox import _native, models
from vox.archive import counts
from vox.archive.lineage import Lineage
from vox.context.budget import ContextBudget
from vox.context.committed import (
    Body,
    CommittedSet,
    ContextDraft,
    Entry,
    LeftOut,
    Meter,
    Rendered,
    commit,
    committed_before,
    measure,
    render,
)
from vox.context.committed.completing import Rows, left_out_of, line_of, pairs_of
from vox.context.committed.document import Document, EntryRow, read_document
from vox.context.committed.projected import draft_of
from vox.context.projection import Fate, Outline, Projection
from vox.context.projection.material import PINNED
from vox.errors import InvalidArgumentError, NotFoundError
from vox.models import ModelProfile
from vox.sources.base import ItemKind, Role
from vox.tokens.request import Tool

_GONE = Body(Role.USER, ItemKind.MESSAGE, "", None)
"""An item of a window that is no longer there."""


def context_get(native: _native.Archive, window: int) -> CommittedSet | None:
    """See `vox.archive.Archive.context_get`."""
    found = _native.committed_context(native, window)
    return None if found is None else committed_before(found[1])


def context_draft(native: _native.Archive, window: int) -> ContextDraft:
    """See `vox.archive.Archive.context_draft`."""
    read = _native.outline(native, window)
    committed = context_get(native, window)
    if committed is None:
        return ContextDraft(window=read.id, chain=read.chain.hex(), model=read.model_route)
    return replace(committed.draft, chain=read.chain.hex())


def context_entries(
    native: _native.Archive, window: int, items: Sequence[int], fate: Fate
) -> list[Entry]:
    """See `vox.archive.Archive.context_entries`."""
    lineage = Lineage(native, window)
    rows = [EntryRow(item=item, fate=str(fate)) for item in items]
    return _entries(lineage, rows)


def context_set(
    native: _native.Archive,
    window: int,
    context: ContextDraft | bytes | str,
    over: CommittedSet | None,
) -> CommittedSet:
    """See `vox.archive.Archive.context_set`."""
    lineage = Lineage(native, window)
    previous = over.hash if over is not None else lineage.read.committed_hash
    read = context if isinstance(context, ContextDraft) else read_document(context)
    if read.window != lineage.own.id:
        raise InvalidArgumentError(
            f"this is a set of window {read.window[:40]!r}, and the window is {lineage.own.id}"
        )
    draft = read if isinstance(read, ContextDraft) else _drafted(lineage, read)
    outlines = lineage.outlines_of(draft.entries)
    draft = draft.of(pairs_of(draft.entries, lineage.own.id, outlines))
    left_out = left_out_of(draft.entries, lineage.own, *_counting(native, lineage, draft.model))
    return _commit(native, lineage, draft, left_out, previous)


def commit_projection(native: _native.Archive, projection: Projection) -> CommittedSet:
    """See `vox.archive.Archive.commit`."""
    window = native.find_window(projection.window)
    lineage = Lineage(native, window)
    pinned = np.flatnonzero(lineage.own.has(PINNED)).tolist()
    draft, left_out = draft_of(projection, lineage.hashes, frozenset(pinned))
    return _commit(native, lineage, draft, left_out, lineage.read.committed_hash)


def _commit(
    native: _native.Archive,
    lineage: Lineage,
    draft: ContextDraft,
    left_out: tuple[LeftOut, ...],
    previous: bytes | None,
) -> CommittedSet:
    own = lineage.own
    committed = commit(draft, lineage.contents(draft.entries), own.chain.hex(), left_out)
    positions = [
        (entry.ordinal, place)
        for place, entry in enumerate(committed.entries)
        if entry.window is None
    ]
    _native.commit_context(
        native,
        own.window,
        committed.document,
        positions,
        expected_chain=own.chain,
        previous=previous,
    )
    _pin(native, own, committed.entries)
    return committed


def _pin(native: _native.Archive, own: Outline, entries: Collection[Entry]) -> None:
    """Pins in their window what the set pins. Nothing is unpinned: a set may be older than a
    pin."""
    from vox.archive import window_ops

    pinned = own.has(PINNED)
    new = [
        entry.ordinal
        for entry in entries
        if entry.pinned and entry.window is None and not pinned[entry.ordinal]
    ]
    if new:
        window_ops.mark(native, "pin", window_ops.places(own.window, new), dry_run=False)


def render_window(
    native: _native.Archive,
    window: int,
    profile: ModelProfile | str | None,
    *,
    system: str,
    tools: Sequence[Tool],
    output: int | None,
) -> Rendered:
    """See `vox.archive.Archive.render`."""
    committed, bodies, model = _committed(native, window, profile)
    return render(committed, bodies, model, system=system, tools=tools, output=output)


def meter_window(
    native: _native.Archive,
    window: int,
    profile: ModelProfile | str | None,
    *,
    system: str,
    tools: Sequence[Tool],
    output: int | None,
) -> Meter:
    """See `vox.archive.Archive.meter`."""
    committed, bodies, model = _committed(native, window, profile)
    return measure(committed, bodies, model, system=system, tools=tools, output=output)


def set_fates(
    native: _native.Archive, window: int, ordinals: Sequence[int], fate: Fate | None
) -> int:
    """See `vox.archive.Archive.set_fate`."""
    number = None if fate is None else int(fate)
    return _native.set_fates(native, window, [(ordinal, 1, number) for ordinal in ordinals])


def _committed(
    native: _native.Archive, window: int, profile: ModelProfile | str | None
) -> tuple[CommittedSet, list[Body], ModelProfile]:
    """The set of a window, what its entries are, and the model that it is for."""
    committed = context_get(native, window)
    if committed is None:
        raise NotFoundError(
            f"nothing of window {window} is committed; commit a projection of it, or a set of your "
            "own"
        )
    lineage = Lineage(native, window)
    if not isinstance(profile, ModelProfile):
        name = profile or lineage.read.model_route or committed.model
        if name is None:
            raise InvalidArgumentError(
                f"window {window} is bound to no model; route it to one, or name one"
            )
        profile = models.profile(name)
    return committed, _bodies(native, lineage, committed), profile


def _drafted(lineage: Lineage, read: Document) -> ContextDraft:
    return ContextDraft(
        window=read.window,
        chain=read.chain,
        model=read.model or lineage.read.model_route,
        budget=read.budget,
        entries=tuple(_entries(lineage, read.entries)),
    )


def _entries(lineage: Lineage, rows: Sequence[EntryRow]) -> list[Entry]:
    """Entries of rows that need not say what can be found: window, ordinal, hash, the line of what
    is on demand."""
    places = [lineage.place(row.item, row.window, row.ordinal) for row in rows]
    outlines = [lineage.outline(window) for window, _ in places]
    hashes = lineage.hashes_of(places)
    alone = _alone(lineage, rows, places)
    entries = []
    for row, (window, ordinal), outline, found, single in zip(
        rows, places, outlines, hashes, alone, strict=True
    ):
        fate, form = Fate.named(row.fate), row.form
        if fate == Fate.ON_DEMAND and form is None:
            form = line_of(outline, ordinal, alone=single)
        entries.append(
            Entry(
                item=row.item,
                ordinal=ordinal,
                content=row.hash or found,
                fate=fate,
                form=form,
                window=None if window == lineage.own.id else window,
                pinned=row.pinned,
            )
        )
    return entries


def _alone(
    lineage: Lineage, rows: Sequence[EntryRow], places: Sequence[tuple[str, int]]
) -> list[bool]:
    """Of each row whether it is a call or result that is shown without the other."""
    plain = tuple(
        Entry(item=row.item, ordinal=ordinal, content="0" * 64, window=window)
        for row, (window, ordinal) in zip(rows, places, strict=True)
    )
    paired = pairs_of(plain, lineage.own.id, lineage.outlines_of(plain))
    return [entry.pair is None for entry in paired]


def _counting(
    native: _native.Archive, lineage: Lineage, model: str | None
) -> tuple[Callable[[Rows], npt.NDArray[np.integer[Any]]], bool]:
    """How dropped items are counted, and whether the model can open a handle."""
    own = lineage.own
    if model is None:
        estimates = np.frombuffer(lineage.read.token_estimate, np.uint32)
        return lambda rows: estimates[rows], True
    profile = _known(model)
    name = model if profile is None else profile.tokenizer or profile.model_id

    def tokens_of(rows: Rows) -> npt.NDArray[np.integer[Any]]:
        try:
            return counts.count(native, own.items[rows], name, "cap").tokens
        except InvalidArgumentError:
            # Of a model that nothing is known of, no token is less than a byte.
            return own.byte_len[rows]

    return tokens_of, profile is None or profile.tool_capable


def room_of(profile: ModelProfile) -> int:
    """Tokens that a model has room for beside its answer."""
    return ContextBudget.of(profile).usable


def _known(model: str) -> ModelProfile | None:
    try:
        return models.profile(model)
    except NotFoundError:
        return None


def _bodies(native: _native.Archive, lineage: Lineage, committed: CommittedSet) -> list[Body]:
    """What the entries of a set are; contents of those that are shown in full."""
    whole = [entry.item for entry in committed.entries if entry.form is None]
    contents = dict(zip(whole, _native.read_many(native, whole), strict=True))
    return [_body(lineage, entry, contents) for entry in committed.entries]


def _body(lineage: Lineage, entry: Entry, contents: Mapping[int, bytes | None]) -> Body:
    try:
        outline = lineage.outline(entry.window or lineage.own.id)
    except NotFoundError:
        return _GONE
    row = entry.ordinal
    if row >= len(outline) or outline.items[row] != entry.item:
        return _GONE
    return Body(
        Role(int(outline.roles[row])),
        ItemKind(int(outline.kinds[row])),
        outline.name_texts[int(outline.names[row])],
        contents.get(entry.item),
    )
