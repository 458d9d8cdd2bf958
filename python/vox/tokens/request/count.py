"""What a whole request costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vox.tokens.kinds import Kind, weakest
from vox.tokens.request.blocks import block_entries
from vox.tokens.request.entries import Entry, What
from vox.tokens.request.framing import Dialect, dialect_of
from vox.tokens.request.shapes import Request
from vox.tokens.request.template import template_entries
from vox.tokens.request.texts import Counter, Counts, RequestWish


@dataclass(frozen=True, slots=True)
class PartCount:
    """What a part of a request costs."""

    what: What
    message: int | None
    """The number of its message in `Request.messages`; None for what stands outside of them."""
    tokens: int
    kind: Kind
    says: str
    """Where the number comes from, in words."""


@dataclass(frozen=True, slots=True)
class RequestCount:
    """What a request costs: `tokens` is the sum of its parts, `kind` that of the weakest."""

    tokens: int
    kind: Kind
    dialect: str
    parts: tuple[PartCount, ...]

    def of(self, what: What) -> int:
        """Tokens of all parts that stand for `what`."""
        return sum(part.tokens for part in self.parts if part.what == what)


def count_request(
    request: Request, model: str, dialect: str | None = None, *, kind: RequestWish = "cap"
) -> RequestCount:
    """What `request` costs `model` as input, framed as `dialect` does or else as its family.

    Without the model's tokenizer the answer is a bound, or by `kind="best"` an estimate.

    Raises `InvalidArgumentError` for a model without known frames, and what `TokenEstimator`
    raises for a model that isn't known.
    """
    framing = dialect_of(model, dialect)
    parts = counted(entries_of(request, framing, model), Counter(model, kind))
    return RequestCount(
        sum(part.tokens for part in parts),
        weakest(part.kind for part in parts),
        framing.name,
        parts,
    )


def entries_of(request: Request, dialect: Dialect, model: str) -> list[Entry]:
    """The addends of `request`, in its order."""
    entries = block_entries if dialect.layout == "blocks" else template_entries
    return list(entries(request, dialect, model))


def counted(entries: Sequence[Entry], counter: Counts) -> tuple[PartCount, ...]:
    """The addends with their texts counted, all in one go."""
    texts = dict.fromkeys(text for entry in entries for text in _texts(entry))
    counts = dict(zip(texts, counter.counts(list(texts)), strict=True))
    return tuple(_part(entry, counts, counter) for entry in entries)


def _texts(entry: Entry) -> Iterable[str]:
    for way in entry.ways:
        yield from way.texts
    if entry.less is not None:
        yield entry.less


def _part(entry: Entry, counts: dict[str, int], counter: Counts) -> PartCount:
    if not entry.ways:
        return PartCount(entry.what, entry.message, entry.tokens, entry.kind, entry.says)
    text = max(way.tokens + sum(counts[text] for text in way.texts) for way in entry.ways)
    if entry.less is not None:
        # Joined, a text can cost less than without its end.
        text = max(0, text - counts[entry.less])
    kind = weakest([entry.kind, counter.kind])
    says = f"{entry.says}; {counter.says}"
    return PartCount(entry.what, entry.message, entry.tokens + text, kind, says)
