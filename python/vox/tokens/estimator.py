"""Counting for one model, by whatever is known of its tokenizer."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from vox._native import AssumedBound, CountCache, Ratio, StreamBound, Tokenizer
from vox.config import Settings
from vox.errors import InvalidArgumentError, UnsupportedError
from vox.tokens.arrays import counts
from vox.tokens.finding import find
from vox.tokens.items import Item, Items
from vox.tokens.kinds import Kind

if TYPE_CHECKING:
    from vox.tokens.arrays import Counts

Wish: TypeAlias = Literal["best", "cap", "exact", "bound", "ratio"]
"""What to count by. `best`: exact, else a bound that is proven, else the ratio. `cap`: exact, else
the bound, proven or assumed: never below the truth. `exact`, `bound`, `ratio`: that and nothing
else; `bound` is the assumed one where none is proven."""

Model: TypeAlias = "str | os.PathLike[str] | TokenEstimator"
"""A model's name, the path of its tokenizer, or an estimator that was made for it."""

_MOST = 2**63
"""More than there ever are, of tokens or of threads."""

_ASSUMPTIONS = {
    "bytes": "no token is less than a byte of the text",
    "nfc": "no token is less than a byte of the text in normal form C",
    "nfkc": "no token is less than a byte of the text in normal form KC",
    "sentencepiece": "every token is a character or a byte of one at least",
}


@dataclass(frozen=True, slots=True)
class Estimate:
    """How many tokens a text is."""

    tokens: int
    kind: Kind
    """What the number is worth."""
    says: str
    """The same as a sentence: whose tokenizer, or what is assumed."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether texts fit a budget. As a truth value it is `fits`."""

    fits: bool
    tokens: int
    """Where they fit, their tokens or a bound on them; where they don't, some number above the
    budget: counting stopped there."""
    kind: Kind
    """What `tokens` is worth. Texts that don't fit by an `assumed` bound might fit."""
    says: str

    def __bool__(self) -> bool:
        return self.fits


class TokenEstimator:
    """Counts tokens for one model: exactly where its tokenizer is at hand, else by a bound or by
    measured ratios; every answer says which.

    `model` is the name of a model, as providers write it ("gpt-5", "openrouter/openai/gpt-5",
    "us.anthropic.claude-sonnet-4-…"); the path of a `tokenizer.json`, of a folder with one or of a
    `.gguf` file; `org/name` of a model in the cache of the Hugging Face hub, or `name:tag` of one
    that Ollama has. Nothing is downloaded. What is kept of tokenizer files lies below the home of
    `settings`.

    Items are bytes or `str` in a list, or an Arrow array (`vox.tokens.items.Items`). What is no
    UTF-8 counts as U+FFFD for each maximal subpart; control tokens that stand in an item are text.
    Items are counted apart: their counts don't add up to the count of the joined text. All cores
    are used, or at most `threads`; the GIL is released. Exact counts are looked up in `cache`, and
    kept there.

    Raises `InvalidArgumentError` for a model that nothing is known of, `NotFoundError` for a file
    that isn't there, and `UnsupportedError` or `MalformedError` for one that can't be used.
    """

    def __init__(
        self,
        model: str | os.PathLike[str],
        *,
        settings: Settings | None = None,
        threads: int | None = None,
        cache: CountCache | None = None,
    ) -> None:
        self.model = os.fspath(model)
        """The model that was asked for."""
        if threads is not None and threads < 1:
            raise InvalidArgumentError(f"threads is {threads}: 1 is the least")
        self._threads = None if threads is None else min(threads, _MOST)
        self._cache = cache
        self._found = find(model, settings)
        self._tokenizer = self._found.tokenizer

    @property
    def kind(self) -> Kind:
        """What `count` is worth."""
        return self.kind_of("best")

    @property
    def says(self) -> str:
        """The same as a sentence."""
        return self.says_of(self.kind)

    @property
    def fingerprint(self) -> str | None:
        """What exact counts are kept under, 64 hexadecimal digits; None without a tokenizer."""
        return self._tokenizer.fingerprint if self._tokenizer else None

    @property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer, which gives the tokens themselves. Raises `UnsupportedError`."""
        if self._tokenizer is None:
            raise UnsupportedError(
                f"{self.model}: {self._found.whose}. Give the path of its tokenizer.json or .gguf "
                "file, or count by a bound or a ratio"
            )
        return self._tokenizer

    def kind_of(self, wish: Wish) -> Kind:
        """What is counted by for a wish. Raises `InvalidArgumentError` for one that is none."""
        if wish not in get_args(Wish):
            raise InvalidArgumentError(
                f"counted by {wish!r}: it is one of {', '.join(get_args(Wish))}"
            )
        if wish == "exact" or (self._tokenizer and wish in {"best", "cap"}):
            return "exact"
        if wish == "ratio" or (wish == "best" and self._found.bounded == "assumed"):
            return "ratio"
        return self._found.bounded

    def says_of(self, kind: Kind) -> str:
        """What a number of this kind is worth, as a sentence."""
        match kind:
            case "exact":
                return f"exact: {self._found.whose}"
            case "bound" if self._tokenizer:
                return f"bound: never below what is counted by {self._found.whose}"
            case "bound" | "assumed":
                return f"{kind}: {_ASSUMPTIONS[self._found.form]}; {self._found.whose}"
            case "ratio":
                return f"ratio: as measured for the family {self._found.family.ratio}"

    def count(self, items: Items, wish: Wish = "best") -> Counts:
        """How many tokens each of `items` is, counted by what is wished for; `kind_of` says what
        the numbers are worth.

        Raises `InvalidArgumentError` for an item that is no text and says which, and
        `UnsupportedError` if `exact` is wished for and there is no tokenizer.
        """
        match self.kind_of(wish):
            case "exact":
                return self.exact(items)
            case "ratio":
                return self.ratio(items)
            case "bound" | "assumed":
                return self.bound(items)

    def exact(self, items: Items) -> Counts:
        """The tokens of each of `items`. Raises `UnsupportedError` without a tokenizer."""
        if self._cache is None:
            return counts(self.tokenizer.count_many(items, self._threads))
        return counts(self._cache.count_many(items, self.tokenizer, self._threads)[0])

    def bound(self, items: Items, *, tight: bool = True) -> Counts:
        """A bound on the tokens of each of `items`. With a tokenizer it is proven; it is less work
        than counting, and much less if it needn't be `tight`. Else it is assumed."""
        if self._tokenizer is None:
            return counts(AssumedBound(self._found.form).bound_many(items, self._threads))
        bound = self._tokenizer.tight_bound_many if tight else self._tokenizer.bound_many
        return counts(bound(items, self._threads))

    def ratio(self, items: Items) -> Counts:
        """About how many tokens each of `items` is: for at most one real item in a hundred too
        few. See `contracts/token-ratios.yaml` for how far it is off."""
        return counts(Ratio(self._found.family.ratio).estimate_many(items, self._threads))

    def counter(
        self, wish: Literal["best", "cap", "exact", "ratio"]
    ) -> Tokenizer | AssumedBound | Ratio:
        """What counts for a wish. Raises `UnsupportedError` as `count` does."""
        match self.kind_of(wish):
            case "exact":
                return self.tokenizer
            case "ratio":
                return Ratio(self._found.family.ratio)
            case "bound" | "assumed":
                return AssumedBound(self._found.form)

    def stream_bound(self) -> StreamBound:
        """A bound on the tokens of a text that comes in chunks, in constant memory."""
        source = self._tokenizer or AssumedBound(self._found.form)
        return source.stream_bound()

    def fits(self, items: Items, budget: int) -> Fit:
        """Whether all of `items` together, each counted by itself, are at most `budget` tokens:
        by a bound where that is enough to know, else exactly; never by a ratio. Stops as soon as it
        is known."""
        if budget < 0:
            raise InvalidArgumentError(f"a budget of {budget} tokens: 0 is the least")
        kind, most = self._found.bounded, min(budget, _MOST)
        if self._tokenizer is None:
            fits, tokens = AssumedBound(self._found.form).fits(items, most, self._threads)
        else:
            fits, kind, tokens = self._tokenizer.fits(items, most, self._threads)
        return Fit(fits, tokens, kind, self.says_of(kind))

    def estimate(self, text: Item, wish: Wish = "best") -> Estimate:
        """How many tokens one text is, and what that is worth."""
        kind = self.kind_of(wish)
        return Estimate(int(self.count([text], wish)[0]), kind, self.says_of(kind))

    def __repr__(self) -> str:
        return f"TokenEstimator({self.model!r}: {self.says})"
