"""A plan as a projection: with what is shown, what that costs, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vox.context.budget import CLAIMANTS, Claimant
from vox.context.projection.explaining import reasons_of
from vox.context.projection.fate import Fate
from vox.context.projection.frames import Frames
from vox.context.projection.freeze import marks_of
from vox.context.projection.limits import Limits
from vox.context.projection.material import Counted, Integers, Outline, Texts
from vox.context.projection.offers import Offers
from vox.context.projection.projection import Columns, Entries, Projection, State, Stub
from vox.context.projection.reasons import FOR_ROOM, REASON_TEXTS, Reason
from vox.context.projection.sent import Sent
from vox.context.projection.settings import ProjectionSettings
from vox.context.projection.showing import Showing, show
from vox.context.projection.solve import Fates, Plan, Problem
from vox.context.projection.wording import Wording
from vox.models import ModelProfile
from vox.sources.base import ItemKind, Role
from vox.tokens.kinds import KINDS

NAMED = 8
"""Items that a note names. Judgement."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Writer:
    """All that a plan is written by."""

    outline: Outline
    counted: Counted
    texts: Texts
    profile: ModelProfile
    limits: Limits
    frames: Frames
    offers: Offers
    order: Integers
    """Places in the outline, in the order in which they are shown."""
    offered: Integers
    """Places in `Offers.rows`, in the same order."""
    wording: Wording
    problem: Problem
    settings: ProjectionSettings

    def write(self, plan: Plan, state: State, previous: Sent | None) -> Projection:
        """The projection of a plan. It reads the texts that are shown shortened."""
        fates = plan.fates
        showing = show(
            self.outline,
            self.problem,
            self.wording,
            plan,
            self.frames,
            self.texts,
            self.profile,
            self.settings,
        )
        kept = fates != Fate.DROPPED
        stubs = self._stubs(kept)
        framing = self.frames.request if kept.any() or stubs else 0
        used = framing + int(showing.costs.sum()) + sum(stub.tokens for stub in stubs)
        frozen = previous.seen if previous and state in ("frozen", "not_worth_it") else 0
        columns = self._columns(fates, showing, frozen)
        sent = self._sent(plan, showing, stubs, used)
        shown = columns.kinds[columns.fates != Fate.DROPPED]
        return Projection(
            window=self.outline.id,
            profile=self.profile,
            entries=Entries(columns),
            stubs=stubs,
            budget=self.limits.budget,
            used=used,
            framing=framing,
            by_claimant=_by_claimant(columns, stubs),
            kind_of_count=KINDS[int(shown.max(initial=0))],
            value=plan.value,
            bound=plan.bound,
            gap=plan.bound - plan.value,
            chain=self.outline.chain,
            state=state,
            frozen=frozen,
            prefix_kept_tokens=_prefix_kept(previous, sent),
            notes=self._notes(columns, stubs, used),
            sent=sent,
        )

    def _stubs(self, kept: npt.NDArray[np.bool_]) -> Sequence[Stub]:
        """What stands for dropped items. If nothing else is shown and there is no room for it,
        nothing does."""
        stubs = self.wording.stubs(kept)
        room = self.limits.budget - self.frames.request
        if not kept.any() and sum(stub.tokens for stub in stubs) > room:
            return ()
        return stubs

    def _columns(self, fates: Fates, showing: Showing, frozen: int) -> Columns:
        outline, offers, order = self.outline, self.offers, self.order
        n = len(outline)
        all_fates = np.zeros(n, dtype=np.uint8)
        all_fates[offers.rows] = fates
        tokens = np.zeros(n, dtype=np.uint32)
        tokens[offers.rows] = showing.costs
        pairs = np.full(n, -1, dtype=np.int64)
        pairs[offers.rows] = offers.groups
        kinds = np.maximum(self.frames.kinds, KINDS.index(self.counted.kind)).astype(np.uint8)
        place = np.empty(n, dtype=np.int64)
        place[order] = np.arange(n)
        return Columns(
            items=outline.items[order],
            ordinals=order.astype(np.uint64),
            fates=all_fates[order],
            tokens=tokens[order],
            kinds=kinds[order],
            reasons=reasons_of(outline, offers, all_fates, frozen)[order],
            reason_texts=tuple(REASON_TEXTS[reason] for reason in Reason),
            notes={int(place[row]): note for row, note in showing.notes.items()},
            claimants=_claimants(outline)[order],
            forms={int(place[row]): form for row, form in showing.forms.items()},
            pairs=pairs[order],
        )

    def _sent(self, plan: Plan, showing: Showing, stubs: Sequence[Stub], used: int) -> Sent:
        fates = plan.fates
        shown = self.offered[fates[self.offered] != Fate.DROPPED]
        tokens = showing.costs[shown].astype(np.uint32)
        for stub in stubs:
            if stub.before < len(tokens):
                tokens[stub.before] += stub.tokens
        seen = len(self.outline)
        return Sent(
            model=self.profile.model_id,
            seen=seen,
            ordinals=self.offers.rows[shown].astype(np.uint64),
            fates=fates[shown],
            tokens=tokens,
            limits=np.where(fates[shown] == Fate.SUMMARIZED, plan.limits[shown], 0).astype(
                np.uint32
            ),
            used=used,
            marks=marks_of(self.outline, seen),
        )

    def _notes(self, columns: Columns, stubs: Sequence[Stub], used: int) -> tuple[str, ...]:
        notes = []
        low, budget = self.limits.low_water, self.limits.budget
        if used <= low < budget and np.isin(columns.reasons, FOR_ROOM).any():
            notes.append(
                f"not all has room, so it was planned down to {low:,} of {budget:,} tokens: what "
                "comes next has the rest, and nothing of this changes for it"
            )
        unmet = self.outline.items[self.offers.unmet].tolist()
        if unmet:
            named = ", ".join(f"item:{item}" for item in unmet[:NAMED])
            more = f" and {len(unmet) - NAMED} more" if len(unmet) > NAMED else ""
            notes.append(
                f"{self.profile.model_id} can't be shown these as they are pinned or set by hand: "
                f"{named}{more}"
            )
        if len(self.offers.rows) and not columns.fates.any() and not stubs:
            notes.append("there is no room for anything, not even for a line on what is left out")
        return tuple(notes)


def _claimants(outline: Outline) -> npt.NDArray[np.uint8]:
    claimants = np.full(len(outline), CLAIMANTS.index(Claimant.CONVERSATION), dtype=np.uint8)
    claimants[outline.roles == Role.SYSTEM] = CLAIMANTS.index(Claimant.SYSTEM)
    results = (outline.kinds == ItemKind.TOOL_RESULT) | (outline.roles == Role.TOOL)
    claimants[results] = CLAIMANTS.index(Claimant.TOOL_RESULTS)
    return claimants


def _by_claimant(columns: Columns, stubs: Sequence[Stub]) -> dict[Claimant, int]:
    sums = np.bincount(columns.claimants, weights=columns.tokens, minlength=len(CLAIMANTS))
    found = {one: int(tokens) for one, tokens in zip(CLAIMANTS, sums.tolist(), strict=True)}
    found[Claimant.CONVERSATION] += sum(stub.tokens for stub in stubs)
    return found


def _prefix_kept(previous: Sent | None, sent: Sent) -> int:
    """Tokens of what was sent, up to the first item that is another, or has another fate or
    cost."""
    if previous is None or previous.model != sent.model:
        return 0
    both = min(len(previous.ordinals), len(sent.ordinals))
    same = (
        (previous.ordinals[:both] == sent.ordinals[:both])
        & (previous.fates[:both] == sent.fates[:both])
        & (previous.tokens[:both] == sent.tokens[:both])
    )
    many = both if same.all() else int(np.argmin(same))
    return int(previous.tokens[:many].sum(dtype=np.int64))
