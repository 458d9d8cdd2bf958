"""Choosing a fate for each of many items under a budget, with a proof of how good the choice is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from vox import _native
from vox.errors import InvalidArgumentError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Number = TypeVar("Number", bound=np.integer[Any])

UNAVAILABLE: Final = 2**32 - 1
"""The cost of a fate that an item can't have."""

MOST_TOKENS: Final = 2**64 - 1
"""A budget or cap of more is the same as this."""


@dataclass(frozen=True)
class Packing:
    """A fate for each item, and how good the choice is at least."""

    fates: NDArray[np.uint8]
    used: int
    """Tokens that the fates cost."""
    value: float
    """What they are worth."""
    bound: float
    """No choice is worth more."""
    gap: float
    """The share of the bound that is missing; 0 if this choice is proven to be the best."""
    by_claimant: NDArray[np.uint64]
    """Tokens of each claimant; empty if there are none."""


def pack(
    costs: ArrayLike,
    values: ArrayLike,
    budget: int,
    *,
    groups: ArrayLike | None = None,
    pins: ArrayLike | None = None,
    claimants: ArrayLike | None = None,
    caps: Sequence[int] | NDArray[np.uint64] | None = None,
) -> Packing:
    """Chooses a fate for each of n items, so that all together cost at most `budget` tokens and
    are worth as much as possible.

    `costs` (uint32) and `values` (float64) have a row for each item and a column for each fate.
    Fate 0 is dropped: worth 0, though it may cost something, such as a stub. `UNAVAILABLE` is the
    cost of a fate that an item can't have. An item with a higher index is newer.

    `pins` (int8) forces a fate, -1 leaves it open. `groups` (int32) binds items: those with one
    number are all dropped or all kept, each with a fate of its own; -1 is no group. `claimants`
    (uint8) says on whose account an item goes, `caps` (uint64) what each may spend.

    A multiple-choice knapsack, filled by slope on the hulls of items and groups. Without caps,
    `bound` and `value` differ by less than one step of a hull; small problems are solved to proven
    optimality. Of equal steps the cheaper goes first, then the newer. The same input gives the same
    answer. Arrays must not be changed while this runs: the GIL is released.

    Raises `InvalidArgumentError` for a row that makes no sense, such as a value that is no number,
    and `InfeasibleError` if what can't be avoided costs more than there is; it names the pinned
    items and the missing tokens.
    """
    costs = column("costs", costs, np.uint32, 2)
    values = np.ascontiguousarray(number_array("values", values), dtype=np.float64)
    if values.shape != costs.shape:
        raise InvalidArgumentError(
            f"values: shape {values.shape}, and that of costs is {costs.shape}; they must be equal"
        )
    if budget < 0:
        raise InvalidArgumentError(f"a budget of {budget} tokens; 0 is the least")
    fates, used, value, bound, gap, by_claimant = _native.pack(
        costs.reshape(-1).data,
        values.reshape(-1).data,
        costs.shape[1],
        min(budget, MOST_TOKENS),
        None if groups is None else column("groups", groups, np.int32, 1).data,
        None if pins is None else column("pins", pins, np.int8, 1).data,
        None if claimants is None else column("claimants", claimants, np.uint8, 1).data,
        None if caps is None else column("caps", capped(caps), np.uint64, 1).data,
    )
    return Packing(
        fates=np.frombuffer(fates, np.uint8),
        used=used,
        value=value,
        bound=bound,
        gap=gap,
        by_claimant=np.frombuffer(by_claimant, np.uint64),
    )


def column(name: str, numbers: ArrayLike, kind: type[Number], dimensions: int) -> NDArray[Number]:
    """`numbers` as an array of `kind` without gaps; raises `InvalidArgumentError` for those that
    it can't hold."""
    array = number_array(name, numbers)
    if array.ndim != dimensions:
        raise InvalidArgumentError(f"{name}: {array.ndim} dimensions instead of {dimensions}")
    if array.dtype != kind and array.size:
        limits = np.iinfo(kind)
        if array.dtype.kind not in "iub":
            raise InvalidArgumentError(f"{name}: {array.dtype} instead of whole numbers")
        least, most = int(array.min()), int(array.max())
        if least < limits.min or most > limits.max:
            wrong = least if least < limits.min else most
            raise InvalidArgumentError(f"{name}: {wrong} is not in {limits.min} to {limits.max}")
    return np.ascontiguousarray(array, dtype=kind)


def number_array(name: str, numbers: ArrayLike) -> NDArray[Any]:
    """`numbers` as an array of numbers; raises `InvalidArgumentError` for anything else."""
    try:
        array = np.asarray(numbers)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidArgumentError(f"{name}: {error}") from error
    if array.dtype.kind not in "iubf":
        raise InvalidArgumentError(f"{name}: {array.dtype} instead of numbers")
    return array


def capped(caps: Sequence[int] | NDArray[np.uint64]) -> ArrayLike:
    """`caps`, none of them more than a number of 64 bits."""
    if isinstance(caps, np.ndarray):
        return caps
    if any(cap < 0 for cap in caps):
        raise InvalidArgumentError(f"caps: {min(caps)}; 0 is the least")
    return np.array([min(cap, MOST_TOKENS) for cap in caps], dtype=np.uint64)
