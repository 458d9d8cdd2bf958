"""One model in a catalogue, as `contracts/models/README.md` says."""

from __future__ import annotations

from dataclasses import astuple
from datetime import date
from math import isfinite
from typing import Annotated, Any, TypeAlias

import msgspec

from vox.models.model_profile import Prices

Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Tokens: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**53)]


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a catalogue knows of one model at one provider; None is what it doesn't know."""

    id: Name
    provider: Name
    window: Tokens
    output: Tokens | None = None
    input: Tokens | None = None
    tools: bool | None = None
    reasoning: bool | None = None
    images: bool | None = None
    caching: bool | None = None
    min_prefix: Tokens | None = None
    prices: Prices | None = None
    local: bool = False
    released: date | None = None
    source: Name
    date: date

    def __post_init__(self) -> None:
        prices = () if self.prices is None else astuple(self.prices)
        if not all(price is None or (isfinite(price) and price >= 0) for price in prices):
            raise ValueError("a price is a number of dollars, not below 0")


def over(newer: Row, older: Row) -> Row:
    """`newer`, with what only `older` knows."""
    known: dict[str, Any] = {
        field: value for field, value in msgspec.structs.asdict(newer).items() if value is not None
    }
    return msgspec.structs.replace(older, **known)
