"""Inputs of tool calls: what a request holds of them, and what that costs."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import NoReturn

import numpy as np

from vox.context.projection.frames import Cap, Frames
from vox.context.projection.material import Bools, Counted, Outline, Texts
from vox.sources.base import ItemKind


def as_object(text: str) -> str:
    """The input of a tool call as the JSON object that every provider wants: as it stands, if it is
    one; anything else, such as a patch, stands in it under `input`."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return json.dumps({"input": text}, ensure_ascii=False)
    return text if isinstance(value, dict) else f'{{"input": {text}}}'


def with_inputs(
    outline: Outline, counted: Counted, texts: Texts, cap: Cap, frames: Frames, places: Bools
) -> Frames:
    """The frames, with what the inputs of the tool calls at `places` cost beyond their own tokens
    as they are sent. Their texts are read in one go."""
    rows = np.flatnonzero(places & (outline.kinds == ItemKind.TOOL_CALL))
    read = texts(outline.items[rows].tolist()) if rows.size else []
    inputs = [(content or b"").decode("utf-8", "replace") for content in read]
    sent = [as_object(text) for text in inputs]
    other = [at for at, text in enumerate(inputs) if sent[at] != text]
    if not other:
        return frames
    costs = np.array(cap([sent[at] for at in other]), dtype=np.int64)
    around = frames.inputs.copy()
    around[rows[other]] = np.maximum(costs - counted.tokens[rows[other]], 0)
    return replace(frames, inputs=around)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")
