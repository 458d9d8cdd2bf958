"""Handing tasks of an archive's windows to sub-agents, and what these fetch."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from vox import _native
from vox.archive import committing
from vox.archive.append import NewItem
from vox.archive.lineage import Lineage
from vox.context.committed import CommittedSet, Entry, edit
from vox.context.committed.completing import line_of
from vox.context.handoff import (
    Candidate,
    Envelope,
    Grant,
    HandoffSettings,
    PullBudget,
    Pulls,
    Seed,
    SeedItem,
    seed_of,
)
from vox.context.projection import Fate, Outline, ProjectionSettings
from vox.context.projection.frames import Frames, frames_of
from vox.context.projection.material import PINNED, PURGED, RECORD, SIDE, TRIMMED
from vox.errors import (
    ConflictError,
    InvalidArgumentError,
    NotFoundError,
    OverBudgetError,
    PurgedError,
)
from vox.models import ModelProfile
from vox.sources.base import ItemKind, Role, WindowDraft

if TYPE_CHECKING:
    from vox.archive.contexts import Contexts

_NO_FORMS = ProjectionSettings(form_from=(1 << 31) - 1)
"""Of another window's items no shorter forms are kept."""


def hand_off(
    archive: Contexts,
    parent: int,
    brief: str,
    profile: ModelProfile,
    *,
    key: str | None,
    title: str | None,
    settings: HandoffSettings | None,
) -> Envelope:
    """See `vox.archive.Archive.hand_off`."""
    settings = settings or HandoffSettings()
    if not brief.strip():
        raise InvalidArgumentError("the brief is empty; say what the sub-agent is to do")
    native, lineage = archive._native, Lineage(archive._native, parent)
    frames = _frames(lineage.own, profile)
    room = committing.room_of(profile)
    budget = int(room * settings.seed_share)
    (words,) = profile.cap([brief])
    cost = words + frames.line + frames.request
    if profile.tool_capable:
        pins, summary = _candidates(native, lineage, frames, profile)
        seed = seed_of(cost, pins, summary, budget)
    else:
        seed = _packed(archive, lineage, seed_of(cost, (), None, budget), profile)
    child = _open(archive, parent, brief, profile, key, title)
    draft = committing.context_draft(native, child)
    (own,) = committing.context_entries(native, child, [native.item_at(child, 0)], Fate.INCLUDED)
    committing.context_set(native, child, draft.of((*seed.entries, own)), None)
    return Envelope(
        child_window_id=draft.window,
        parent_window_id=lineage.own.id,
        parent_chain=lineage.own.chain.hex(),
        model=profile.model_id,
        brief=own.content,
        seed=tuple(_named(entry) for entry in seed.entries),
        seed_tokens=seed.tokens,
        seed_budget=seed.budget,
        left_out=tuple(_named(entry) for entry in seed.left_out),
        grant=Grant(root_window_id=str(archive.window(child).info["root"])),
        pulls=Pulls(
            per_turn=settings.pulls_per_turn if profile.tool_capable else 0,
            tokens=int(room * settings.pull_share),
        ),
    )


def pull(
    archive: Contexts,
    envelope: Envelope,
    what: int | str,
    budget: PullBudget,
    profile: ModelProfile,
) -> tuple[CommittedSet, PullBudget]:
    """See `vox.archive.Archive.pull`."""
    window = archive.window(envelope.child_window_id)
    root = str(window.info["root"])
    if root != envelope.grant.root_window_id:
        raise InvalidArgumentError(
            f"the envelope grants items below window {envelope.grant.root_window_id[:8]}, and "
            f"window {window.id[:8]} is below {root[:8]}"
        )
    native, lineage = archive._native, Lineage(archive._native, window.number)
    place = lineage.find(what) if isinstance(what, str) else lineage.place(what, None, None)
    outline, row = lineage.outline(place[0]), place[1]
    item = int(outline.items[row])
    (content,) = _native.read_many(native, [item])
    if content is None:
        raise PurgedError(f"item:{item} was purged; only its hash is left")
    (words,) = profile.cap([content.decode("utf-8", "replace")])
    tokens = words + int(_frames(outline, profile).items[row])
    left = budget.pull(tokens)
    free = committing.meter_window(
        native, window.number, profile, system="", tools=(), output=None
    ).free
    if tokens > free:
        raise OverBudgetError(
            f"item:{item} is {tokens} tokens, and window {window.id[:8]} has room for {free} more; "
            "drop something first"
        )
    draft = committing.context_draft(native, window.number)
    (entry,) = committing.context_entries(native, window.number, [item], Fate.INCLUDED)
    draft = edit.add(draft, [entry], at=len(draft.entries))
    return committing.context_set(native, window.number, draft, None), left


def _frames(outline: Outline, profile: ModelProfile) -> Frames:
    seam = ProjectionSettings().seam_tokens
    return frames_of(outline, profile.model_id, profile.cap, seam)


def _candidates(
    native: _native.Archive, lineage: Lineage, frames: Frames, profile: ModelProfile
) -> tuple[list[Candidate], Candidate | None]:
    """What is pinned in a window, and its newest summary."""
    own = lineage.own
    there = (own.flags & (SIDE | RECORD | TRIMMED | PURGED)) == 0
    pinned = np.flatnonzero(there & own.has(PINNED)).tolist()
    summaries = np.flatnonzero(there & (own.kinds == ItemKind.SUMMARY)).tolist()
    summary = [row for row in summaries[-1:] if row not in pinned]
    rows = [*pinned, *summary]
    items = [int(own.items[row]) for row in rows]
    contents = _native.read_many(native, items)
    texts = [(content or b"").decode("utf-8", "replace") for content in contents]
    lines = [line_of(own, row, alone=True) for row in rows]
    whole, named = profile.cap(texts), profile.cap(lines)
    hashes = lineage.hashes(rows)
    found = []
    for at, row in enumerate(rows):
        entry = Entry(item=items[at], ordinal=row, content=hashes[at], window=own.id)
        found.append(
            Candidate(
                entry,
                whole[at] + int(frames.items[row]),
                replace(entry, fate=Fate.ON_DEMAND, form=lines[at]),
                named[at] + max(frames.line, int(frames.items[row])),
            )
        )
    return found[: len(pinned)], found[len(pinned)] if summary else None


def _packed(archive: Contexts, lineage: Lineage, seed: Seed, profile: ModelProfile) -> Seed:
    """For a model that can fetch nothing: as much of the window as there is room for."""
    room = seed.budget - seed.tokens
    projection = archive.project(lineage.own.id, profile, budget=room, settings=_NO_FORMS)
    shown = [one for one in projection.shown if one.fate == Fate.INCLUDED]
    hashes = lineage.hashes([one.ordinal for one in shown])
    entries = tuple(
        Entry(item=one.item, ordinal=one.ordinal, content=content, window=lineage.own.id)
        for one, content in zip(shown, hashes, strict=True)
    )
    return Seed(entries, seed.tokens + projection.used, seed.budget, ())


def _open(
    archive: Contexts,
    parent: int,
    brief: str,
    profile: ModelProfile,
    key: str | None,
    title: str | None,
) -> int:
    """Makes the child, with its task."""
    key = key or f"agent:{uuid.uuid4()}"
    try:
        archive.window(key)
    except NotFoundError:
        pass
    else:
        raise ConflictError(f"there is a window {key!r}; give the sub-agent's another key")
    draft = WindowDraft(
        key=key,
        kind="agent",
        title=title,
        parent=archive.window(parent).key,
        link="spawned_by",
        model_route=profile.model_id,
    )
    archive.append(draft, [NewItem(role=Role.USER, kind=ItemKind.MESSAGE, content=brief)])
    return archive.window(key).number


def _named(entry: Entry) -> SeedItem:
    return SeedItem(
        item=entry.item, hash=entry.content, window=entry.window or "", fate=str(entry.fate)
    )
