"""The meter: what a request takes of a model's window, and whose that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vox.context.budget import CLAIMANTS, BudgetSettings, Claimant, ContextBudget
from vox.context.committed.payload import Payload, claimant_of
from vox.errors import InvalidArgumentError
from vox.models import ModelProfile
from vox.tokens.kinds import Kind, weakest
from vox.tokens.request import Dialect, PartCount, Request, dialect_of
from vox.tokens.request.count import counted, entries_of

_UNKNOWN = "openai-chat"
"""The dialect of a model of which none is known: what most servers speak."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meter:
    """What a request takes of a window, in tokens: each belongs to one claimant or to framing, and
    so does each byte of its payload."""

    model: str
    dialect: str
    tokens: Mapping[Claimant, int]
    """By claimant, in the order of `CLAIMANTS`; the reserve is what is held back for the
    answer."""
    framing: int
    """Tokens around and between all of it."""
    used: int
    """What the request costs: all but the reserve."""
    bytes: Mapping[Claimant, int]
    framing_bytes: int
    kind: Kind
    """What the numbers are worth: what the weakest of them is."""
    says: str
    """What they were counted by."""
    budget: ContextBudget
    limit: int | None
    """What the set itself may cost, system prompt and tools apart; None: no such limit."""
    set_tokens: int
    """What of `used` is the set's: all but the system prompt and the tools of the request."""

    @property
    def total_bytes(self) -> int:
        """Bytes of the payload."""
        return sum(self.bytes.values()) + self.framing_bytes

    @property
    def over(self) -> int:
        """By how many tokens it is more than the model has room for, or the set more than its
        limit; 0 if it is neither."""
        over_limit = 0 if self.limit is None else self.set_tokens - self.limit
        return max(0, self.used - self.budget.usable, over_limit)

    @property
    def free(self) -> int:
        """Tokens that there is room for beside it."""
        within = self.budget.usable - self.used
        if self.limit is not None:
            within = min(within, self.limit - self.set_tokens)
        return max(0, within)

    @property
    def due(self) -> bool:
        """Whether so much is used that the window is to be planned anew."""
        return self.used >= self.budget.compact_at


def meter_of(
    request: Request,
    payload: Payload,
    profile: ModelProfile,
    *,
    limit: int | None = None,
    output: int | None = None,
    settings: BudgetSettings | None = None,
) -> Meter:
    """Counts a request for a model, never below the truth. `output` limits the answer, as in
    `ContextBudget.of`."""
    dialect = dialect_for(profile)
    counter = _Counter(profile)
    parts = counted(entries_of(request, dialect, profile.model_id), counter)
    tokens: Counter[Claimant | None] = Counter()
    for part in parts:
        tokens[_claimant(part, request)] += part.tokens
    system = sum(part.tokens for part in parts if part.what == "system" and part.message is None)
    budget = ContextBudget.of(
        profile,
        system=system,
        tools=tokens[Claimant.TOOLS],
        output=output,
        settings=settings,
    )
    used = tokens.total()
    tokens[Claimant.RESERVE] = budget.output_reserve
    return Meter(
        model=profile.model_id,
        dialect=dialect.name,
        tokens={claimant: tokens[claimant] for claimant in CLAIMANTS},
        framing=tokens[None],
        used=used,
        bytes=payload.by_claimant,
        framing_bytes=payload.framing,
        kind=weakest(part.kind for part in parts),
        says=counter.says,
        budget=budget,
        limit=limit,
        set_tokens=max(0, used - _without_set(request, dialect, profile, counter)),
    )


def dialect_for(profile: ModelProfile) -> Dialect:
    """How requests to a model are laid out."""
    try:
        return dialect_of(profile.model_id)
    except InvalidArgumentError:
        return dialect_of(profile.model_id, _UNKNOWN)


def _without_set(
    request: Request, dialect: Dialect, profile: ModelProfile, counter: _Counter
) -> int:
    """What system prompt and tools cost, with their frames; that of the request is the set's, if
    anything is shown."""

    def tokens(request: Request) -> int:
        entries = entries_of(request, dialect, profile.model_id)
        return sum(part.tokens for part in counted(entries, counter))

    beside = tokens(Request((), request.system, request.tools))
    return beside - tokens(Request(())) if request.messages else beside


def _claimant(part: PartCount, request: Request) -> Claimant | None:
    match part.what:
        case "framing":
            return None
        case "tools":
            return Claimant.TOOLS
        case "system":
            return Claimant.SYSTEM
    if part.message is None:
        return Claimant.CONVERSATION
    return claimant_of(request.messages[part.message])


class _Counter:
    """Counts for a model, also for one that nothing is known of."""

    def __init__(self, profile: ModelProfile) -> None:
        self._profile = profile
        self.says = profile.counts_by
        try:
            self.kind: Kind = profile.estimator.kind_of("cap")
        except InvalidArgumentError:
            self.kind = "assumed"

    def counts(self, texts: Sequence[str]) -> list[int]:
        return self._profile.cap(texts)
