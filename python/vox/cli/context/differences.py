"""In what two projections of one window differ, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from vox.context.projection import Projected, Projection


@dataclass(frozen=True, slots=True)
class Difference:
    """One item that two models are given differently."""

    one: Projected
    other: Projected


@dataclass(frozen=True, slots=True)
class Change:
    """Items that two models are given differently in the same way."""

    fates: tuple[str, str]
    reason: str
    """Why the model that is given less isn't given more."""
    items: int
    tokens: tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Differences:
    """In what two projections differ. Items that only one of them has seen aren't compared."""

    one: Projection
    other: Projection
    places: npt.NDArray[np.int64]
    """Of each item with another fate its place in both, a row each; those first that differ most
    in tokens."""

    def __len__(self) -> int:
        return len(self.places)

    def at(self, start: int, count: int) -> list[Difference]:
        """A page of them."""
        page = self.places[start : start + count]
        return [
            Difference(*pair)
            for pair in zip(
                self.one.entries.at(page[:, 0].tolist()),
                self.other.entries.at(page[:, 1].tolist()),
                strict=True,
            )
        ]

    def changes(self) -> Sequence[Change]:
        """What differs by fates and reasons, the most tokens first."""
        sums: dict[tuple[str, str, str], list[int]] = {}
        for found in self.at(0, len(self)):
            less = found.one if _given(found.one) < _given(found.other) else found.other
            # What is said of a single item is the same for all that are copies.
            reason = "the same as another" if "item:" in less.reason else less.reason
            row = sums.setdefault((str(found.one.fate), str(found.other.fate), reason), [0, 0, 0])
            row[0] += 1
            row[1] += found.one.tokens
            row[2] += found.other.tokens
        changes = [
            Change((one, other), reason, items, (first, second))
            for (one, other, reason), (items, first, second) in sums.items()
        ]
        return sorted(changes, key=lambda one: (-abs(one.tokens[0] - one.tokens[1]), -one.items))


def differences_of(one: Projection, other: Projection) -> Differences:
    """In what `one` and `other` differ, which are of the same window."""
    import numpy as np

    first, second = one.entries.columns, other.entries.columns
    _, at, at_other = np.intersect1d(
        first.ordinals, second.ordinals, assume_unique=True, return_indices=True
    )
    differ = first.fates[at] != second.fates[at_other]
    at, at_other = at[differ], at_other[differ]
    apart = np.abs(first.tokens[at].astype(np.int64) - second.tokens[at_other].astype(np.int64))
    order = np.lexsort((first.ordinals[at], -apart))
    return Differences(one, other, np.stack([at[order], at_other[order]], axis=1).astype(np.int64))


_MORE = ("dropped", "on_demand", "summarized", "included")


def _given(entry: Projected) -> int:
    return _MORE.index(str(entry.fate))
