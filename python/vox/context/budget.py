"""How a model's window is shared out: read from what is known of the model, never assumed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from vox.errors import InvalidArgumentError

if TYPE_CHECKING:
    from vox.models import ModelProfile


class Claimant(StrEnum):
    """Who takes room in a model's window. Every token of a request is one's of these, or belongs
    to its framing."""

    SYSTEM = "system"
    TOOLS = "tools"
    CONVERSATION = "conversation"
    TOOL_RESULTS = "tool_results"
    RESERVE = "reserve"


CLAIMANTS = tuple(Claimant)
"""All of them, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class BudgetSettings:
    """What no model says. Judgement, all of it: nobody has published a number that would justify
    one."""

    compact_at: float = 0.85
    """The share of what is usable at which a window is planned anew."""
    low_water: float = 0.6
    """The share down to which it is planned then, so that it isn't soon due again."""
    unknown_output: int = 8_192
    """Tokens held back for the answer of a model whose longest answer isn't known, or is its whole
    window, which says only that question and answer share it …"""
    unknown_output_share: float = 0.25
    """… but no more than this share of its window."""

    def __post_init__(self) -> None:
        if not 0 < self.low_water <= self.compact_at <= 1:
            raise InvalidArgumentError(
                f"low_water is {self.low_water}, compact_at {self.compact_at}: they are shares, "
                "and low_water isn't above compact_at"
            )
        if self.unknown_output < 1 or not 0 < self.unknown_output_share < 1:
            raise InvalidArgumentError(
                f"unknown_output is {self.unknown_output}, unknown_output_share "
                f"{self.unknown_output_share}: at least 1 token, and a share below 1"
            )


@dataclass(frozen=True, slots=True)
class ContextBudget:
    """How much of a model's window is whose, in tokens. `of` makes one."""

    max_context: int
    """What the window holds."""
    output_reserve: int
    """What is held back for the answer."""
    reserve_says: str
    """Where `output_reserve` is from, as a sentence."""
    usable: int
    """What is left of the window for all that is sent."""
    system: int
    """What the system prompt takes of it."""
    tools: int
    """What the definitions of tools take of it."""
    compact_at: int
    """The tokens sent at which the window is planned anew."""
    low_water: int
    """The tokens sent down to which it is planned then."""
    supports_caching: bool
    """Whether the provider keeps the beginning of a request; not, where that isn't known."""
    min_cacheable_prefix: int | None
    """The shortest beginning that it keeps; None without caching, and where it isn't known."""

    @classmethod
    def of(
        cls,
        profile: ModelProfile,
        *,
        system: int = 0,
        tools: int = 0,
        output: int | None = None,
        settings: BudgetSettings | None = None,
    ) -> ContextBudget:
        """The budget of a model, for a request with a system prompt and tools of so many tokens.

        Held back is the longest answer that the model gives, or `output`, if the request itself
        limits the answer to fewer tokens. Raises `InvalidArgumentError` for a negative number, and
        an `output` that the model can't give.
        """
        settings = settings or BudgetSettings()
        for name, tokens in (("system", system), ("tools", tools), ("output", output or 0)):
            if tokens < 0:
                raise InvalidArgumentError(f"{name} is {tokens} tokens; 0 is the least")
        reserve, says = _reserve(profile, output, settings)
        usable = profile.max_context_tokens - reserve
        if profile.max_input_tokens is not None:
            usable = min(usable, profile.max_input_tokens)
        caching = profile.caching
        supported = caching is not None and caching.supported
        return cls(
            max_context=profile.max_context_tokens,
            output_reserve=reserve,
            reserve_says=says,
            usable=usable,
            system=system,
            tools=tools,
            compact_at=int(settings.compact_at * usable),
            low_water=int(settings.low_water * usable),
            supports_caching=supported,
            min_cacheable_prefix=caching.min_prefix_tokens if caching and supported else None,
        )

    @property
    def room(self) -> int:
        """What is left for the conversation and the results of tools."""
        return max(0, self.usable - self.system - self.tools)

    @property
    def missing(self) -> int:
        """By how much the system prompt and the tools alone are more than is usable."""
        return max(0, self.system + self.tools - self.usable)


def _reserve(
    profile: ModelProfile, output: int | None, settings: BudgetSettings
) -> tuple[int, str]:
    window, most = profile.max_context_tokens, profile.max_output_tokens
    if output is not None:
        limit = most if most is not None and most < window else window - 1
        if output > limit:
            raise InvalidArgumentError(
                f"{profile.model_id}: an answer of {output} tokens; it gives at most {limit}"
            )
        return output, f"the request's own limit of {output} tokens"
    if most is not None and most < window:
        return most, f"the model's longest answer, {most} tokens"
    judged = min(settings.unknown_output, int(window * settings.unknown_output_share))
    why = "isn't known" if most is None else f"is given as {most}, its whole window"
    return judged, f"judgement: {judged} tokens, since its longest answer {why}"
