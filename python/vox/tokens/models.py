"""Which family a model belongs to, by its name: the table of `contracts/models.toml`."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Literal

from vox._native import MODELS

AS_AMAZON_NAMES = re.compile(
    r"^(?:[a-z]{2,6}\.)?(?:anthropic|meta|mistral|cohere|deepseek|qwen|openai)\."
)
"""What Amazon puts before a model's name: a region, the provider."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Models that count alike. The table explains its columns."""

    name: str
    title: str
    models: tuple[str, ...]
    form: Literal["bytes", "nfc", "nfkc", "sentencepiece"]
    known: Literal["published", "secret"]
    ratio: str
    status: Literal["researched", "secondary"]
    source: str
    date: date
    encoding: str | None = None


@cache
def families() -> tuple[Family, ...]:
    """Every family, in the order of the table."""
    rows = tomllib.loads(MODELS)["family"]
    return tuple(Family(**{**row, "models": tuple(row["models"])}) for row in rows)


def family_of(model: str) -> Family | None:
    """The family that a model's name belongs to; None for a name that none is known for."""
    name = bare_name(model)
    fitting = [
        (len(beginning), family)
        for family in families()
        for beginning in family.models
        if _begins(name, beginning)
    ]
    return max(fitting, key=lambda fit: fit[0])[1] if fitting else None


def bare_name(model: str) -> str:
    """A model's name in lower case, without what providers and fine-tuning put around it."""
    name = model.strip().lower().rpartition("/")[2].removeprefix("ft:")
    name = re.split("[:@]", name, maxsplit=1)[0]
    return AS_AMAZON_NAMES.sub("", name)


def _begins(name: str, beginning: str) -> bool:
    if not name.startswith(beginning):
        return False
    follows = name[len(beginning) : len(beginning) + 1]
    return not (follows.isalpha() or (follows.isdigit() and beginning[-1].isdigit()))
