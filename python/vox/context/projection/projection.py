"""What a model is to be shown of a window, item by item, what each costs, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from vox.context.budget import Claimant
from vox.context.projection.fate import Fate
from vox.context.projection.sent import Sent
from vox.models import ModelProfile
from vox.tokens.kinds import KINDS, Kind

State: TypeAlias = Literal[
    "first", "frozen", "threshold", "model", "edit", "compaction", "not_worth_it"
]
"""How a plan came about. `first`: nothing was sent before. `frozen`: what was sent stays as it was,
new items were added. `threshold`, `model`, `edit`, `compaction`: planned anew at this boundary.
`not_worth_it`: a boundary, but planning anew would have freed too little; what was sent stays."""


@dataclass(frozen=True, slots=True)
class Projected:
    """One item and its fate."""

    item: int
    """Its number: `archive.read(item)`, `vox cat ITEM`."""
    ordinal: int
    """Its place in the window, which never changes."""
    fate: Fate
    tokens: int
    """What it costs, its frame included; 0 if it is dropped: stubs are counted by themselves."""
    kind_of_count: Kind
    """What that number is worth."""
    reason: str
    claimant: Claimant
    form: str | None
    """What is shown in place of its text, if that isn't all of it: a shorter form, or what it is
    and its handle. In place of the input of a tool call it is JSON as well."""
    handle: str | None
    """What opens it."""
    pair: int | None
    """A number that a tool call and its results share, which are shown together or not at all; None
    for what is neither, and for one whose counterpart can't be shown: it stands by itself, as a
    line of text."""


@dataclass(frozen=True, slots=True)
class Stub:
    """A run of dropped items, and the line that stands for them."""

    first: int
    """Ordinal of the first of them …"""
    last: int
    """… and of the last, in the order in which they are shown."""
    items: int
    """How many they are."""
    hidden: int
    """Their tokens, all of them together."""
    tokens: int
    """What the line costs, its frame included."""
    text: str
    handle: str
    """What opens them."""
    before: int
    """The place, in `Projection.shown`, of the item that it stands before."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The fates of all items, in the order in which they are shown."""

    items: npt.NDArray[np.uint64]
    ordinals: npt.NDArray[np.uint64]
    fates: npt.NDArray[np.uint8]
    """`Fate`."""
    tokens: npt.NDArray[np.uint32]
    kinds: npt.NDArray[np.uint8]
    """Places in `vox.tokens.KINDS`."""
    reasons: npt.NDArray[np.uint8]
    """Places in `reason_texts`."""
    reason_texts: Sequence[str]
    notes: Mapping[int, str]
    """Reasons of single items that say more, by place."""
    claimants: npt.NDArray[np.uint8]
    """Places in `vox.context.budget.CLAIMANTS`."""
    forms: Mapping[int, str]
    """By place."""
    pairs: npt.NDArray[np.int64]
    """The same for a call and its results; −1 for what has no pair."""


class Entries(Sequence[Projected]):
    """All items of a window with their fates. Each is made when it is asked for: a window may have
    millions."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        """The same as arrays."""

    def __len__(self) -> int:
        return len(self.columns.items)

    @overload
    def __getitem__(self, at: int) -> Projected: ...
    @overload
    def __getitem__(self, at: slice) -> list[Projected]: ...
    def __getitem__(self, at: int | slice) -> Projected | list[Projected]:
        if isinstance(at, slice):
            return self.at(range(*at.indices(len(self))))
        (one,) = self.at([range(len(self))[at]])
        return one

    def __iter__(self) -> Iterator[Projected]:
        return iter(self.at(range(len(self))))

    def at(self, places: Sequence[int]) -> list[Projected]:
        """The entries at these places."""
        columns = self.columns
        wanted = np.asarray(places, dtype=np.int64)
        rows = zip(
            places,
            columns.items[wanted].tolist(),
            columns.ordinals[wanted].tolist(),
            columns.fates[wanted].tolist(),
            columns.tokens[wanted].tolist(),
            columns.kinds[wanted].tolist(),
            columns.reasons[wanted].tolist(),
            columns.claimants[wanted].tolist(),
            columns.pairs[wanted].tolist(),
            strict=True,
        )
        return [
            Projected(
                item=item,
                ordinal=ordinal,
                fate=_FATES[fate],
                tokens=tokens,
                kind_of_count=KINDS[kind],
                reason=columns.notes.get(place) or columns.reason_texts[reason],
                claimant=_CLAIMANTS[claimant],
                form=columns.forms.get(place),
                handle=f"item:{item}",
                pair=None if pair < 0 else pair,
            )
            for place, item, ordinal, fate, tokens, kind, reason, claimant, pair in rows
        ]


_FATES = tuple(Fate)
_CLAIMANTS = tuple(Claimant)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Projection:
    """What a model is to be shown of a window, within a budget. Nothing is sent by it: `commit`
    makes it what is."""

    window: str
    """The window's id."""
    profile: ModelProfile
    entries: Entries
    """Every item of the window with its fate, in the order in which they are shown."""
    stubs: Sequence[Stub]
    """What stands for dropped items, in the same order."""
    budget: int
    """Tokens that all of it may cost."""
    used: int
    """What it costs: items with their frames, stubs, and the frame of the request; never above
    `budget`."""
    framing: int
    """What of it is the frame of the request, and no item's."""
    by_claimant: Mapping[Claimant, int]
    """What of it is whose; stubs belong to the conversation."""
    kind_of_count: Kind
    """What `used` is worth: what the weakest of its parts is."""
    value: float
    """What the plan is worth, in units of utility."""
    bound: float
    """What no plan of this kind is worth more than."""
    gap: float
    """`bound` less `value`."""
    chain: bytes
    """The window's chain hash when it was read: committing is refused if it has changed since."""
    state: State
    frozen: int
    """Items whose fate stayed because they were sent before."""
    prefix_kept_tokens: int
    """Tokens of what was sent before, from the beginning on, that this plan begins with as well;
    a provider's cache of them stays valid."""
    notes: Sequence[str]
    """What its user should know: overrides that this model can't have, for example."""
    sent: Sent
    """What is to be given to the next projection as `previous`, once this one was sent."""

    @property
    def shown(self) -> list[Projected]:
        """The items that aren't dropped, in their order."""
        kept = np.flatnonzero(self.entries.columns.fates)
        return self.entries.at(kept.tolist())

    def fates(self) -> dict[str, int]:
        """How many items have each fate."""
        counts = np.bincount(self.entries.columns.fates, minlength=len(_FATES)).tolist()
        return {str(fate): counts[fate] for fate in _FATES}
