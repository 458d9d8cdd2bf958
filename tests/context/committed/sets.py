"""Committed sets of windows that need no archive."""

from __future__ import annotations

from collections.abc import Sequence

from blake3 import blake3

from tests.context.projection.windows import Made, One
from vox.context.committed import Body, CommittedSet, ContextDraft, Entry, commit
from vox.context.committed.entry import LeftOut
from vox.context.committed.projected import draft_of
from vox.context.projection import Projection

WINDOW = "01234567-89ab-cdef-0123-456789abcdef"
CHAIN = bytes(32).hex()


def hashed(content: bytes) -> str:
    return blake3(content).hexdigest()


def contents_of(ones: Sequence[One]) -> dict[tuple[str, int], tuple[int, str]]:
    return {(WINDOW, 100 + place): (place, hashed(one.content)) for place, one in enumerate(ones)}


def body_of(one: One) -> Body:
    return Body(one.role, one.kind, one.name, one.content)


def entry_of(ones: Sequence[One], place: int, **more: object) -> Entry:
    return Entry(  # type: ignore[arg-type]
        **{"item": 100 + place, "ordinal": place, "content": hashed(ones[place].content), **more}
    )


def draft_of_all(ones: Sequence[One], **more: object) -> ContextDraft:
    """All items in full; calls and results of one id are pairs."""
    entries = tuple(entry_of(ones, place, pair=one.call or None) for place, one in enumerate(ones))
    return ContextDraft(  # type: ignore[arg-type]
        **{"window": WINDOW, "chain": CHAIN, "entries": entries, **more}
    )


def committed_of(
    draft: ContextDraft, ones: Sequence[One], left_out: tuple[LeftOut, ...] = ()
) -> tuple[CommittedSet, list[Body]]:
    committed = commit(draft, contents_of(ones), CHAIN, left_out)
    return committed, [body_of(ones[entry.ordinal]) for entry in committed.entries]


def committed_projection(made: Made, projection: Projection) -> tuple[CommittedSet, list[Body]]:
    draft, left_out = draft_of(
        projection, lambda ordinals: [hashed(made.ones[ordinal].content) for ordinal in ordinals]
    )
    return committed_of(draft, made.ones, left_out)
