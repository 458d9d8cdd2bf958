"""Counts in one call. Who counts often for one model makes a `TokenEstimator`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vox._native import CountCache
from vox.errors import InvalidArgumentError
from vox.tokens.estimator import Fit, Model, TokenEstimator, Wish
from vox.tokens.items import Item, Items

if TYPE_CHECKING:
    from vox.tokens.arrays import Counts


def count_tokens(
    items: Items,
    model: Model,
    *,
    kind: Wish = "best",
    threads: int | None = None,
    cache: CountCache | None = None,
) -> Counts:
    """How many tokens each of `items` is for `model`: an array of `numpy.uint32`, in their order.

    `items` is a list of `bytes` or `str`, or an Arrow array of them, which isn't copied. `model`,
    and what may be raised, is as for `vox.tokens.TokenEstimator`; or it is one, and counts with the
    threads and the cache that it was made with. `kind` is what to count by:

    - `best`: exact where the model's tokenizer is at hand, else by a proven bound if there is one,
      else by measured ratios;
    - `cap`: exact, else by a bound, proven or assumed: never below the truth, for what must not
      overflow;
    - `exact`, `bound`, `ratio`: that and nothing else. `exact` raises `UnsupportedError` without a
      tokenizer; `bound` is then the assumed one.

    All cores are used, or at most `threads`. With a `cache` an exact count of what was counted
    before takes little more than hashing it. Counts of parts don't add up to the count of the
    joined text.
    """
    return _estimator(model, threads, cache).count(items, kind)


def fits(items: Items, budget: int, model: Model, *, threads: int | None = None) -> Fit:
    """Whether all of `items` together, each counted by itself, are at most `budget` tokens for
    `model`. Stops as soon as that is known. True or false as it is, and it says by which kind of
    count: see `vox.tokens.Fit`."""
    return _estimator(model, threads, None).fits(items, budget)


def _estimator(model: Model, threads: int | None, cache: CountCache | None) -> TokenEstimator:
    if not isinstance(model, TokenEstimator):
        return TokenEstimator(model, threads=threads, cache=cache)
    if threads is not None or cache is not None:
        raise InvalidArgumentError("an estimator counts with its own threads and cache")
    return model


def quick_estimate(text: Item) -> int:
    """⌈length / 4⌉ + 1, of bytes or of a `str`'s characters: a rule of thumb for English, which
    takes no time. Never a cap: numbers, base64 and other scripts have several times as many."""
    return -(-len(text) // 4) + 1
