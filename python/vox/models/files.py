"""A model that is a file on this machine."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import msgspec

from vox._native import Gguf
from vox.errors import InvalidArgumentError, of_system
from vox.models.model_profile import ModelProfile
from vox.tokens.loading import is_gguf

LONGEST = 2**53
"""A window beyond this is a tokenizer's way to say that it has none."""


def profile_of_file(path: Path, name: str) -> ModelProfile:
    """What the file of a model says of it: a GGUF file, or a `tokenizer.json` beside which a
    `config.json` or `tokenizer_config.json` states the window.

    Raises `InvalidArgumentError` for one that states no window, `MalformedError`,
    `UnsupportedError` and what the system says.
    """
    try:
        if is_gguf(path):
            gguf = Gguf(path)
            window, template = gguf.context_length, gguf.chat_template
        else:
            window, template = _beside(path)
        day = datetime.fromtimestamp(path.stat().st_mtime, UTC).date()
    except OSError as error:
        raise of_system(error) from error
    if not window:
        raise InvalidArgumentError(
            f"{path}: it doesn't say how much the model's window holds; name the model's GGUF "
            "file, or put its config.json beside it"
        )
    return _local(name, window, template, path, day)


def _local(name: str, window: int, template: str | None, path: Path, day: date) -> ModelProfile:
    return ModelProfile(
        model_id=name,
        max_context_tokens=window,
        tokenizer=str(path),
        # A template that has no place for tools can't show any to the model.
        tool_capable="tools" in (template or ""),
        reasoning_tier="some" if "<think>" in (template or "") else "none",
        locality="local",
        source=str(path),
        as_of=day,
    )


def _beside(path: Path) -> tuple[int | None, str | None]:
    config = _object(path.with_name("config.json"))
    inner = config.get("text_config")
    tokenizer = _object(path.with_name("tokenizer_config.json"))
    stated = (
        config.get("max_position_embeddings"),
        inner.get("max_position_embeddings") if isinstance(inner, dict) else None,
        tokenizer.get("model_max_length"),
    )
    windows = (size for size in stated if type(size) is int and 0 < size < LONGEST)
    template = tokenizer.get("chat_template")
    return next(windows, None), template if isinstance(template, str) else None


def _object(path: Path) -> dict[str, Any]:
    """What a file of JSON states; nothing, where it can't be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (FileNotFoundError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
