"""What is known of how a model counts: its family by its name, its tokenizer where one lies."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from vox._native import Gguf, Tokenizer
from vox.config import Settings, load_settings
from vox.errors import InvalidArgumentError, UnsupportedError
from vox.tokens import loading
from vox.tokens.files import fetched_file, hub_cache, named_file
from vox.tokens.kinds import Kind
from vox.tokens.models import Family, families, family_of


@dataclass(frozen=True, slots=True)
class Found:
    """What is known of how a model counts."""

    family: Family
    form: str
    """What its bound rests on, if there is no tokenizer."""
    whose: str
    """Whose tokenizer it is, or why there is none."""
    tokenizer: Tokenizer | None = None
    bounded: Kind = "assumed"
    """What its bound is worth."""


def find(model: str | os.PathLike[str], settings: Settings | None) -> Found:
    """What is known of a model, by its name or the path of its tokenizer. Raises as
    `vox.tokens.TokenEstimator`."""
    name = os.fspath(model)
    family = family_of(name)
    path = named_file(model)
    if path is None and family and family.encoding:
        whose = f"{family.encoding}, the tokenizer of {family.title}"
        return Found(family, family.form, whose, loading.shipped(family.encoding), "bound")
    path = path or fetched_file(name)
    if path:
        return _in_file(path, family or _other(), settings or load_settings())
    if family is None:
        raise InvalidArgumentError(_unknown(name))
    missing = "published" if family.known == "secret" else "at hand"
    return Found(family, family.form, f"the tokenizer of {family.title} is not {missing}")


def _in_file(path: Path, family: Family, settings: Settings) -> Found:
    try:
        tokenizer = loading.of_file(path, settings.tokenizers)
    except UnsupportedError as error:
        if not loading.is_gguf(path):
            raise
        # All that llama.cpp counts as it counts GPT-2 has a token for every byte, and no token is
        # less: however the text is cut. Of other kinds nothing is known.
        if Gguf(path).model == "gpt2":
            return Found(family, "bytes", str(error), bounded="bound")
        return Found(family, family.form, str(error))
    return Found(family, family.form, f"the tokenizer in {path}", tokenizer, "bound")


def _other() -> Family:
    return next(family for family in families() if family.name == "other")


def _unknown(model: str) -> str:
    names = ", ".join(f"{family.models[0]}…" for family in families() if family.models)
    return (
        f"{model}: nothing is known of such a model. What works: a name that begins as {names}; "
        "the path of a tokenizer.json, of a folder with one, or of a .gguf file; org/name of a "
        f"model in {hub_cache(os.environ)}; name:tag of a model that Ollama has"
    )
