"""What projections weigh by. Each number is a judgement unless it says otherwise.

Those that say *measured* were chosen on 2026-12-01 by `benches/choose_projection_weights.py` (80
steps, seed 1), on real sessions, by how much of what their next turns use is kept; they are
rounded. How well they do on other sessions is measured by `benches/bench_projection_quality.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from types import MappingProxyType

from vox.context.projection.fate import Fate
from vox.errors import InvalidArgumentError
from vox.sources.base import ItemKind, Role

LEAST_FORM = 24
"""Tokens that every shorter form may have at least: as many as its shortest has bytes."""


def _kinds() -> Mapping[ItemKind, float]:
    weights = {
        ItemKind.MESSAGE: 1.0,
        ItemKind.PIN: 2.0,
        ItemKind.ATTACHMENT: 0.6,
        ItemKind.SUMMARY: 3.0,
        ItemKind.TOOL_CALL: 1.0,  # measured
        ItemKind.TOOL_RESULT: 0.2,  # measured
        ItemKind.REASONING: 0.2,
    }
    return MappingProxyType(weights)


def _roles() -> Mapping[Role, float]:
    weights = {Role.USER: 1.5, Role.ASSISTANT: 1.0, Role.SYSTEM: 0.8, Role.TOOL: 1.0}
    return MappingProxyType(weights)


def _fidelity() -> Mapping[Fate, float]:
    # Measured. A shorter form ends with the handle, and so keeps what a handle keeps, and more.
    return MappingProxyType({Fate.INCLUDED: 1.0, Fate.SUMMARIZED: 0.25, Fate.ON_DEMAND: 0.23})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectionSettings:
    """Numbers that a projection goes by."""

    kind_weights: Mapping[ItemKind, float] = field(default_factory=_kinds)
    """Factors of an item's utility by its kind; 0 for one that isn't named."""
    role_weights: Mapping[Role, float] = field(default_factory=_roles)
    """Factors by role; 1 for one that isn't named."""
    fidelity: Mapping[Fate, float] = field(default_factory=_fidelity)
    """The share of an item's utility that each fate keeps …"""
    kind_fidelity: Mapping[tuple[ItemKind, Fate], float] = field(
        default_factory=lambda: MappingProxyType({})
    )
    """… and where that is another for one kind."""

    recency: float = 1.0
    """What the newest item has for being new."""
    recency_tokens: float = 1_300.0
    """Tokens behind an item over which that falls to a half, if the exponent is 1 … Measured."""
    recency_exponent: float = 1.5
    """… else to a half, to this power: it falls as 1 / (1 + distance) to this power, which has no
    scale of its own far away, so that a window of any size keeps more of what is newer.
    Measured."""
    used_again: float = 0.13
    """What an item has whose names the newest item uses; it falls the same way with the distance
    of the last item that uses them. Measured."""
    mentions: float = 0.26
    """What part of that is added for an item whose names many later items use, measured …"""
    mentions_full: float = 8.0
    """… counted by logarithm, up to this many items."""
    relevance: float = 2.0
    """What the best answer to a query has."""
    floor: float = 0.0014
    """What every item has. Measured."""
    size_exponent: float = 0.88
    """How an item's utility grows with its tokens: with 0 all are worth the same, with 1 each
    token is. Measured."""
    covered: float = 0.5
    """The factor for items that a later summary in the window stands for."""

    touched_files: int = 5
    """How many of the files touched last are kept at hand."""
    touched_share: float = 0.1
    """The share of the budget that they may take together; each may take its part."""
    touched_factor: float = 2.5
    """The factor of utility for what was touched of them last, within that share. Measured."""

    form_from: int = 400
    """Items of fewer tokens have no shorter form."""
    form_share: float = 0.15
    """The share of an item's tokens that its shorter form may have …"""
    form_least: int = 120
    """… but no fewer than this …"""
    form_most: int = 600
    """… and no more than this."""
    form_head: float = 0.6
    """The share of a shorter form that is the item's beginning; the rest is its end."""
    same_from: int = 64
    """Copies of fewer tokens aren't replaced by a pointer to one of them."""
    seam_tokens: int = 1
    """Tokens charged for each place where an item's text joins that of a frame without a control
    token between them: byte pairs across such a seam may be merged otherwise than apart."""
    images_read: int = 256
    """Images whose size is looked up, the newest first; others cost the most that any does."""

    clear_at_least: int = 0
    """Tokens that planning anew must free; otherwise what was sent stays as long as it fits."""
    turns_ahead: float = 20.0
    """Turns over which freed tokens are saved, where their price is weighed against that of
    writing the cache anew."""
    cache_write: float = 1.25
    """What writing a token to the cache costs where no price is known, in prices of input.
    Anthropic, Prompt caching: 1.25 for five minutes."""
    cache_read: float = 0.1
    """The same for reading one. Anthropic, Prompt caching: 0.1."""
    fill_step: float = 1.02
    """Between charging each kept item a stub and charging those that there are, plans are tried
    for budgets that grow by this factor."""

    def __post_init__(self) -> None:
        weights = [
            *self.kind_weights.values(),
            *self.role_weights.values(),
            *self.fidelity.values(),
            *self.kind_fidelity.values(),
            self.recency,
            self.mentions,
            self.used_again,
            self.relevance,
            self.floor,
            self.covered,
            self.touched_factor,
        ]
        if not all(isfinite(weight) and weight >= 0 for weight in weights):
            raise InvalidArgumentError("weights of a projection are finite and at least 0")
        for name, least in (
            ("recency_tokens", 1.0),
            ("recency_exponent", 0.0),
            ("mentions_full", 1.0),
            ("form_least", LEAST_FORM),
            ("form_from", self.form_least),
            ("form_most", self.form_least),
            ("fill_step", 1.001),
            ("turns_ahead", 0.0),
        ):
            value = getattr(self, name)
            if not (isfinite(value) and value >= least):
                raise InvalidArgumentError(f"{name} is {value}; {least} is the least")
        for name in ("form_share", "form_head", "touched_share", "size_exponent"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidArgumentError(f"{name} is {getattr(self, name)}: it is a share")
