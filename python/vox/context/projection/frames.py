"""What stands around items in a request, as a number for each item: never below what the dialect
adds.

Counts of texts add up only across control tokens. Where a frame joins a text without one between
them, `ProjectionSettings.seam_tokens` are charged on top of both counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vox.context.projection.material import Integers, Outline
from vox.errors import InvalidArgumentError
from vox.sources.base import ItemKind, Role
from vox.tokens.kinds import KINDS
from vox.tokens.request.entries import call_json
from vox.tokens.request.framing import Dialect, dialect_of, dialects
from vox.tokens.request.shapes import ToolCall

TOOL_CALL = '{"name": "{name}", "arguments": {arguments}}'
"""How a call is written where its dialect isn't known: JSON is longer than any that is."""

Cap = Callable[[Sequence[str]], list[int]]
"""For each text a number of tokens that it isn't above."""


UNNAMED = "unnamed"
"""A tool whose name the producer didn't record: no provider takes an empty one."""

OPENING = "[an answer stands first]"
"""What a user's turn says before an answer that nothing is shown before; requests begin with a
user. It is charged always: what is shown first is known only afterwards."""


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """Tokens of frames."""

    request: int
    """Around the whole request, and `OPENING`."""
    line: int
    """Around a line of text that stands by itself."""
    items: Integers
    """Around each item as what it is."""
    inputs: Integers
    """Around the input of each tool call that is shown in full, where it isn't sent as it stands;
    0 as long as nobody looked (`inputs.with_inputs`)."""
    kinds: npt.NDArray[np.uint8]
    """What those numbers are worth, as places in `KINDS`."""
    reasoning: str
    """Which reasoning is sent back: `Dialect.reasoning`."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """Frames of one dialect."""

    request: int
    text: int
    system: int
    call: int
    result: int
    reasoning: int


def frames_of(outline: Outline, model: str, cap: Cap, seam: int) -> Frames:
    """The frames of a window's items in a request to `model`. One whose dialect isn't known is
    charged the most that any provider's takes; that is worth `assumed`."""
    dialect = _dialect(model)
    if dialect is None:
        parts, template = _widest(seam), TOOL_CALL
        kind = tool_kind = KINDS.index("assumed")
        sent_back = "always"
    else:
        parts = (
            _blocks(dialect, seam) if dialect.layout == "blocks" else _written(dialect, cap, seam)
        )
        template, sent_back = dialect.tool_call, dialect.reasoning
        kind = max(KINDS.index(dialect.kind), KINDS.index("bound") if seam else 0)
        guessed = dialect.layout == "blocks"
        tool_kind = max(kind, KINDS.index("assumed") if guessed else kind)
    is_call = outline.kinds == ItemKind.TOOL_CALL
    is_result = outline.kinds == ItemKind.TOOL_RESULT
    called, answered = _names(outline, is_call | is_result, template, cap)
    items = np.full(len(outline), parts.text, dtype=np.int64)
    items[outline.roles == Role.SYSTEM] = max(parts.system, parts.text)
    items[outline.kinds == ItemKind.REASONING] = parts.reasoning
    items[is_call] = parts.call + 2 * seam + called[outline.names[is_call]]
    items[is_result] = parts.result + seam + answered[outline.names[is_result]]
    kinds = np.full(len(outline), kind, dtype=np.uint8)
    kinds[is_call | is_result] = tool_kind
    opening = cap([OPENING])[0] + parts.text
    inputs = np.zeros(len(outline), dtype=np.int64)
    return Frames(parts.request + opening, parts.text, items, inputs, kinds, sent_back)


def _dialect(model: str) -> Dialect | None:
    try:
        return dialect_of(model)
    except InvalidArgumentError:
        return None


def _names(
    outline: Outline, tools: npt.NDArray[np.bool_], template: str, cap: Cap
) -> tuple[Integers, Integers]:
    """By name: the tokens of a call without its arguments, and of the name beside a result."""
    called = np.zeros(len(outline.name_texts), dtype=np.int64)
    answered = called.copy()
    used = np.unique(outline.names[tools]).tolist()
    if used:
        names = [outline.name_texts[name] or UNNAMED for name in used]
        called[used] = cap([call_json(ToolCall(name, ""), template) for name in names])
        answered[used] = cap(names)
        # Between a name and a text stands nothing or a line feed.
        answered[used] += 1
    return called, answered


def _blocks(dialect: Dialect, seam: int) -> _Parts:
    # Texts that follow each other in one message are joined, by nothing or by a line feed.
    text = max(dialect.message, dialect.block) + 1 + seam
    return _Parts(
        request=dialect.request + dialect.message,
        text=text,
        system=text,
        call=text + dialect.call,
        result=text + dialect.result,
        reasoning=text,
    )


def _widest(seam: int) -> _Parts:
    all_parts = [_blocks(row, seam) for row in dialects() if row.layout == "blocks"]
    return _Parts(
        *(max(getattr(one, name) for one in all_parts) for name in _Parts.__dataclass_fields__)
    )


def _written(dialect: Dialect, cap: Cap, seam: int) -> _Parts:
    """Frames of a chat template: its control tokens, and what it writes between them."""
    control = re.compile("|".join(re.escape(token) for token in dialect.control))

    def frame(template: str) -> int:
        stretches = [
            stretch
            for side in template.split("{}", 1)
            for stretch in control.split(side)
            if stretch
        ]
        # A seam on each side of the content, and one to the next frame.
        return len(control.findall(template)) + sum(cap(stretches)) + 3 * seam + 1

    said = max(frame(dialect.user), frame(dialect.assistant))
    thought = dialect.reasoning_block.replace("{}", "", 1)
    default = frame(dialect.system) + sum(cap([dialect.default_system or ""]))
    return _Parts(
        request=dialect.bos + frame(dialect.reply) + default,
        text=max(said, frame(dialect.tool_result)),
        system=frame(dialect.system),
        call=frame(dialect.assistant),
        result=frame(dialect.tool_result),
        reasoning=frame(dialect.assistant) + sum(cap([thought])) + 2 * seam,
    )
