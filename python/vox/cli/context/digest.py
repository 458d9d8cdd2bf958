"""What a projection comes to: tokens and items by claimant, by fate and by reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from vox.context.projection import Projection


@dataclass(frozen=True, slots=True)
class Share:
    """What is one claimant's."""

    claimant: str
    tokens: int
    fates: Mapping[str, int]
    """How many items have each fate, those aside not counted."""

    @property
    def items(self) -> int:
        """How many there are."""
        return sum(self.fates.values())


@dataclass(frozen=True, slots=True)
class Why:
    """Items of one fate for one reason."""

    fate: str
    reason: str
    items: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Digest:
    """What a projection comes to."""

    shares: tuple[Share, ...]
    """Claimants that have items or tokens."""
    fates: Mapping[str, int]
    """How many items have each fate, those aside not counted."""
    whys: tuple[Why, ...]
    """The most tokens first, then the most items; those aside not counted."""
    aside: int
    """Items that are no part of the conversation: records, what stands beside it, what is
    trimmed."""


def in_question(found: Projection) -> npt.NDArray[np.bool_]:
    """Of each entry whether it is a part of the conversation, and so may be shown at all."""
    import numpy as np

    from vox.context.projection.reasons import REASON_TEXTS, Reason

    columns = found.entries.columns
    aside = {REASON_TEXTS[reason] for reason in (Reason.RECORD, Reason.SIDE, Reason.TRIMMED)}
    numbers = [at for at, text in enumerate(columns.reason_texts) if text in aside]
    return np.isin(columns.reasons, numbers, invert=True)


def digest_of(found: Projection) -> Digest:
    """What `found` comes to."""
    import numpy as np

    from vox.context.budget import CLAIMANTS
    from vox.context.projection import FATES

    columns = found.entries.columns
    shown = in_question(found)
    counts = np.zeros((len(CLAIMANTS), len(FATES)), dtype=np.int64)
    np.add.at(counts, (columns.claimants[shown], columns.fates[shown]), 1)
    shares = tuple(
        Share(str(claimant), found.by_claimant.get(claimant, 0), _by_fate(row))
        for claimant, row in zip(CLAIMANTS, counts.tolist(), strict=True)
        if any(row) or found.by_claimant.get(claimant, 0)
    )
    return Digest(
        shares=shares,
        fates=_by_fate(counts.sum(axis=0).tolist()),
        whys=_whys(found, shown),
        aside=int(np.count_nonzero(~shown)),
    )


def _by_fate(counts: list[int]) -> dict[str, int]:
    """Those that are shown first."""
    from vox.context.projection import Fate

    order = (Fate.INCLUDED, Fate.SUMMARIZED, Fate.ON_DEMAND, Fate.DROPPED)
    return {str(fate): counts[fate] for fate in order}


def _whys(found: Projection, shown: npt.NDArray[np.bool_]) -> tuple[Why, ...]:
    import numpy as np

    from vox.context.projection import FATES

    columns = found.entries.columns
    many = len(columns.reason_texts)
    keys = columns.fates[shown].astype(np.int64) * many + columns.reasons[shown]
    items = np.bincount(keys, minlength=1)
    tokens = np.bincount(keys, weights=columns.tokens[shown], minlength=1)
    whys = [
        Why(
            FATES[key // many],
            columns.reason_texts[key % many],
            int(items[key]),
            int(tokens[key]),
        )
        for key in np.flatnonzero(items).tolist()
    ]
    return tuple(sorted(whys, key=lambda why: (-why.tokens, -why.items, why.fate, why.reason)))
