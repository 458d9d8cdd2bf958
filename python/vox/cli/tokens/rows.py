"""Tokens by class of content or by role and kind, for several models side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import TYPE_CHECKING

from vox.cli.tokens.sources import Item

if TYPE_CHECKING:
    from vox.archive import Archive
    from vox.tokens import TokenEstimator


@dataclass(slots=True)
class Sums:
    """Tokens of the texts of one class for one model; None where that can't be told."""

    exact: int | None = None
    bound: int | None = None
    ratio: int | None = None

    def add(self, other: Sums) -> None:
        """Adds what the other tells."""
        self.exact = _plus(self.exact, other.exact)
        self.bound = _plus(self.bound, other.bound)
        self.ratio = _plus(self.ratio, other.ratio)


def _plus(one: int | None, other: int | None) -> int | None:
    return one if other is None else other + (one or 0)


@dataclass(slots=True)
class Row:
    """The texts of one class."""

    what: str
    items: int = 0
    bytes: int = 0
    tokens: list[Sums] = field(default_factory=list)
    """For each model."""


def add(
    rows: dict[str, Row],
    batch: Sequence[Item],
    archive: Archive | None,
    estimators: Sequence[TokenEstimator],
) -> None:
    """Counts a batch, whose items may be those of an archive, into its rows."""
    from vox.tokens import content_class

    names = [item.what or content_class(item.content) for item in batch]
    for item, name in zip(batch, names, strict=True):
        row = rows.setdefault(name, Row(name, tokens=[Sums() for _ in estimators]))
        row.items += 1
        row.bytes += len(item.content)
    texts = [item for item in batch if item.is_text]
    of_texts = [name for item, name in zip(batch, names, strict=True) if item.is_text]
    for place, estimator in enumerate(estimators):
        for name, sums in zip(of_texts, _sums(estimator, texts, archive), strict=True):
            rows[name].tokens[place].add(sums)


def _sums(
    estimator: TokenEstimator, texts: Sequence[Item], archive: Archive | None
) -> Iterator[Sums]:
    contents = [item.content for item in texts]
    exact: Iterable[int | None] = repeat(None)
    has_tokenizer = estimator.kind_of("cap") == "exact"
    if has_tokenizer and archive is not None:
        # Counts of items are kept beside their archive.
        numbers = [item.number for item in texts if item.number is not None]
        exact = archive.count_tokens(numbers, estimator, kind="exact").tolist()
    elif has_tokenizer:
        exact = estimator.exact(contents).tolist()
    bounds, ratios = estimator.bound(contents).tolist(), estimator.ratio(contents).tolist()
    return map(Sums, exact, bounds, ratios)


def total_of(rows: Sequence[Row], models: int) -> Row:
    """The sum of all rows."""
    total = Row("total", tokens=[Sums() for _ in range(models)])
    for row in rows:
        total.items += row.items
        total.bytes += row.bytes
        for sums, added in zip(total.tokens, row.tokens, strict=True):
            sums.add(added)
    return total
