"""A projection as a draft: what it shows, and what stands for the rest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from vox.context.committed.draft import ContextDraft
from vox.context.committed.entry import Entry, LeftOut
from vox.context.projection import Projection

Hashes = Callable[[Sequence[int]], Sequence[str]]
"""Content hashes of the items at these ordinals."""


def draft_of(
    projection: Projection, hashes: Hashes, pinned: Collection[int] = ()
) -> tuple[ContextDraft, tuple[LeftOut, ...]]:
    """The draft of a projection, and what stands for what it drops; `pinned` are ordinals."""
    shown = projection.shown
    entries = tuple(
        Entry(
            item=one.item,
            ordinal=one.ordinal,
            content=content,
            fate=one.fate,
            form=one.form,
            pair=one.pair,
            pinned=one.ordinal in pinned,
        )
        for one, content in zip(shown, hashes([one.ordinal for one in shown]), strict=True)
    )
    draft = ContextDraft(
        window=projection.window,
        chain=projection.chain.hex(),
        model=projection.profile.model_id,
        budget=projection.budget,
        entries=entries,
        sent=projection.sent.as_values(),
    )
    return draft, stubs_of(projection)


def stubs_of(projection: Projection) -> tuple[LeftOut, ...]:
    """What stands for what a projection drops."""
    return tuple(
        LeftOut(
            before=stub.before,
            first=stub.first,
            last=stub.last,
            items=stub.items,
            tokens=stub.hidden,
            text=stub.text,
        )
        for stub in projection.stubs
    )
