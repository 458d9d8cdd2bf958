"""Tokens of items of an archive, counted where they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from vox import _native
from vox.errors import InvalidArgumentError

ItemWish: TypeAlias = Literal["best", "cap", "exact", "ratio"]
"""What to count by, as `vox.tokens.estimator.Wish`. Without `bound`: where that is worth less than
counting exactly, kept counts are as fast."""

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from vox.tokens.estimator import Model
    from vox.tokens.kinds import Kind


@dataclass(frozen=True, slots=True, eq=False)
class ItemTokens:
    """How many tokens items are, each by itself."""

    items: NDArray[numpy.uint64]
    """Numbers of the items."""
    tokens: NDArray[numpy.uint32]
    """The tokens of each."""
    kind: Kind
    """What the numbers are worth."""
    says: str
    """The same as a sentence."""
    purged: NDArray[numpy.uint64]
    """Places, in `items`, of those that were purged. They count 0."""
    no_text: NDArray[numpy.uint64]
    """Places of attachments that are no text, such as images. They count 0 here: what they cost
    depends on the provider."""
    known: int
    """How many needn't be counted, as their counts were kept."""
    kept: bool
    """Whether all counts are kept now. They aren't where the archive was opened for reading only,
    where a disk is full, and if they aren't exact."""

    @property
    def total(self) -> int:
        """All of them together. The text that joins them may have a few more or fewer."""
        return int(self.tokens.sum(dtype="uint64"))


def count(
    archive: _native.Archive, items: Iterable[int], model: Model, kind: ItemWish
) -> ItemTokens:
    """Counts items by their numbers. Raises as `vox.archive.Archive.item_tokens`."""
    import numpy

    from vox.tokens.estimator import TokenEstimator

    estimator = model if isinstance(model, TokenEstimator) else TokenEstimator(model)
    numbers = _numbers(items)
    counted = _native.count_items(archive, numbers.data, estimator.counter(kind))
    tokens, purged, no_text, known, kept = counted
    worth = estimator.kind_of(kind)
    return ItemTokens(
        items=numbers,
        tokens=numpy.frombuffer(tokens, dtype=numpy.uint32),
        kind=worth,
        says=estimator.says_of(worth),
        purged=numpy.frombuffer(purged, dtype=numpy.uint64),
        no_text=numpy.frombuffer(no_text, dtype=numpy.uint64),
        known=known,
        kept=kept,
    )


def of_view(view: _native.WindowView, start: int, count: int | None) -> NDArray[numpy.uint64]:
    """Numbers of the items of a view."""
    import numpy

    most = (1 << 63) - 1 if count is None else count
    return numpy.frombuffer(_native.view_item_ids(view, start, most), dtype=numpy.uint64)


def _numbers(items: Any) -> NDArray[numpy.uint64]:
    import numpy

    listed = items if hasattr(items, "__array__") else list(items)
    array = numpy.asarray(listed)
    if array.size == 0:
        return numpy.empty(0, dtype=numpy.uint64)
    if array.ndim != 1 or array.dtype.kind not in "ui" or array.min() < 0:
        raise InvalidArgumentError("items are named by their numbers, the column `item`")
    return numpy.ascontiguousarray(array, dtype=numpy.uint64)
