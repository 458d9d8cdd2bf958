"""The table of `contracts/framing.toml`: frames by dialect, formulas of images by model."""

from __future__ import annotations

import datetime
import tomllib
from fnmatch import fnmatchcase
from functools import cache
from pathlib import PurePath
from typing import Annotated, Literal

import msgspec

from vox._native import FRAMING
from vox.errors import InvalidArgumentError
from vox.tokens.kinds import Kind
from vox.tokens.models import bare_name

_Count = Annotated[int, msgspec.Meta(ge=0)]


class Dialect(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a request is laid out. The table explains its columns."""

    name: str
    layout: Literal["blocks", "template"]
    models: tuple[str, ...]
    kind: Kind
    reasoning: Literal["never", "last_turn", "always"]
    source: str
    date: datetime.date
    checked: str = ""

    # blocks
    request: _Count = 0
    message: _Count = 0
    block: _Count = 0
    call: _Count = 0
    result: _Count = 0
    definition: _Count = 0
    definitions: _Count = 0

    # template
    control: tuple[str, ...] = ()
    bos: _Count = 0
    trim: bool = False
    default_system: str | None = None
    system: str = ""
    user: str = ""
    assistant: str = ""
    tool_result: str = ""
    tool_call: str = '{"name": "{name}", "arguments": {arguments}}'
    reasoning_block: str = "{}"
    tools_before: str = ""
    tool: str = "{}\n"
    tools_after: str = ""
    tool_indent: int | None = None
    omits_tools: bool = False
    reply: str = ""


class ImageFormula(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What an image costs some models. The table explains its columns."""

    models: tuple[str, ...]
    formula: Literal["tiles", "patches", "grid", "crops", "pixels", "fixed"]
    kind: Kind
    source: str
    date: datetime.date
    base: _Count = 0
    tile: _Count = 0
    patch: _Count = 0
    least: _Count = 0
    most: int | None = None
    factor: float = 1.0
    longest: int | None = None
    shortest: int | None = None
    detail: dict[str, int] = {}


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    dialect: tuple[Dialect, ...]
    image: tuple[ImageFormula, ...]


@cache
def _table() -> _Table:
    return msgspec.convert(tomllib.loads(FRAMING), _Table)


def dialects() -> tuple[Dialect, ...]:
    """All dialects of the table, in its order."""
    return _table().dialect


def short_name(model: str) -> str:
    """The part of a model's name or path that patterns are compared with: `qwen3-8b` of
    `Qwen/Qwen3-8B`, of `models/Qwen3-8B.gguf` and of `Qwen3-8B/tokenizer.json`."""
    path = PurePath(model)
    if path.name == "tokenizer.json":
        # The file says nothing; its folder does.
        path = path.parent
    return bare_name(path.name).removesuffix(".gguf")


def dialect_of(model: str, dialect: str | None = None) -> Dialect:
    """The dialect of that name, or else the one of the model's family.

    Raises `InvalidArgumentError` if there is none.
    """
    known = ", ".join(row.name for row in dialects())
    if dialect is not None:
        for row in dialects():
            if row.name == dialect:
                return row
        raise InvalidArgumentError(f"no dialect is called {dialect!r}; there are {known}")
    name = short_name(model)
    for row in dialects():
        if any(fnmatchcase(name, pattern) for pattern in row.models):
            return row
    raise InvalidArgumentError(
        f"how requests to {model!r} are framed isn't known; name a dialect: {known}"
    )


def image_formula_of(model: str) -> ImageFormula:
    """The formula for images of a model; the last row of the table fits all."""
    name = short_name(model)
    return next(
        row for row in _table().image if any(fnmatchcase(name, pattern) for pattern in row.models)
    )
