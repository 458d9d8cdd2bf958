"""Names of models, as providers, routes, dates and builds write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from vox.tokens.models import AS_AMAZON_NAMES

_VARIANT = re.compile(r":(?:free|beta|nitro|floor|online|extended|exacto|thinking|latest)$")
"""What OpenRouter puts behind a name for a route to the same model, and Ollama's usual tag."""
_AMAZON_VERSION = re.compile(r"-v\d+(?::\d+)?(?::\d+k)?$")
_TURNED_CLAUDE = re.compile(r"^claude-(\d+(?:-\d+)?)-(opus|sonnet|haiku)(?=-|$)")
_PARTED = re.compile(r"([a-z]{2,})(\d)")
_BUILD = re.compile(
    r"-(?:20\d{6}|20\d\d-\d\d-\d\d|latest|preview|instruct|it|hf|gguf|awq|gptq|mlx|\d+bit"
    r"|(?:fp|bf)-?\d+|i?q-?\d(?:-[a-z0-9]{1,2}){0,2})$"
)
"""What says when or how a model was built, not which it is."""
_SIZE = re.compile(r"[ae]?\d+(?:[xp]\d+)?[bm]$")
_BROKEN_SIZE = re.compile(r"(\d)\.(\d+[bm])(?![a-z0-9])")
_VERSION = re.compile(r"([a-z]*)(\d{1,2})([a-z]?)$")

_LOCAL_ROUTES = {"ollama", "ollama_chat", "lmstudio", "lm_studio", "llamacpp", "llama.cpp", "local"}


@dataclass(frozen=True, slots=True)
class Name:
    """A name, taken apart."""

    key: str
    """The model as it stands, in one spelling."""
    bare: str
    """The same without what says when or how it was built."""
    route: tuple[str, ...]
    """The providers that it goes through, the first one first."""
    local: bool
    """It is spelled as programs do that run models on the user's machine."""


@dataclass(frozen=True, slots=True)
class Kin:
    """What a key says of whose kin a model is."""

    family: tuple[str, ...]
    """Its words, such as `claude`, `opus`."""
    version: tuple[int, ...]
    """Its numbers, such as 4, 7."""


@lru_cache(8192)
def parted(name: str) -> Name:
    """A name, taken apart."""
    *route, last = name.strip().lower().split("/")
    if last.startswith("ft:"):
        last = last.removeprefix("ft:").partition(":")[0]
    if AS_AMAZON_NAMES.match(last):
        last = _AMAZON_VERSION.sub("", AS_AMAZON_NAMES.sub("", last))
    plain = _VARIANT.sub("", last)
    tagged = ":" in plain or last.endswith(":latest")
    key = _spelled(plain)
    bare = key
    while (cut := _BUILD.sub("", bare)) != bare:
        bare = cut
    return Name(key, bare, tuple(route), tagged or bool(_LOCAL_ROUTES.intersection(route[:1])))


def _spelled(name: str) -> str:
    name = _BROKEN_SIZE.sub(r"\1p\2", name)
    key = re.sub(r"[^a-z0-9]+", "-", name).strip("-")
    # As Anthropic named them first, and others go on: "claude-3.5-sonnet", "claude-4-opus".
    key = _TURNED_CLAUDE.sub(r"claude-\2-\1", key)
    # "qwen3" and "qwen-3"; a single letter before a number is one word with it: "r1", "v3".
    return _PARTED.sub(r"\1-\2", key)


@lru_cache(8192)
def kin_of(key: str) -> Kin:
    """Whose kin the model of a key is. Sizes, dates and builds say nothing of it."""
    family: list[str] = []
    version: list[int] = []
    for word in key.split("-"):
        if _SIZE.match(word) or (word.isdigit() and len(word) > 2):
            continue
        if numbered := _VERSION.match(word):
            before, number, behind = numbered.groups()
            version.append(int(number))
            family += [letters for letters in (before, behind) if letters]
        elif word:
            family.append(word)
    return Kin(tuple(family), tuple(version))


def is_variant(key: str, of: str) -> bool:
    """Whether a key is another with words behind it that make no other version of it:
    `gpt-4-0613` of `gpt-4`, but not `gpt-5-1` of `gpt-5`."""
    return key.startswith(f"{of}-") and kin_of(key).version == kin_of(of).version
