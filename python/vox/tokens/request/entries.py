"""The addends of a request's cost, before their texts are counted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Literal, TypeAlias

from vox.errors import InvalidArgumentError
from vox.tokens.kinds import Kind
from vox.tokens.request.framing import Dialect
from vox.tokens.request.images import image_cost
from vox.tokens.request.shapes import File, Image, Message, Reasoning, Text, Tool, ToolCall

What: TypeAlias = Literal[
    "system",
    "tools",
    "text",
    "tool_call",
    "tool_result",
    "image",
    "reasoning",
    "file",
    "framing",
]
"""What an addend stands for."""


@dataclass(frozen=True, slots=True)
class Way:
    """Texts that are counted apart, and tokens that stand between them."""

    texts: tuple[str, ...]
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """An addend: fixed tokens, and the dearest of the ways in which its text may be put."""

    what: What
    message: int | None
    kind: Kind
    says: str
    tokens: int = 0
    ways: tuple[Way, ...] = ()
    less: str | None = None
    """A text that another entry counts and that the ways begin with."""


def as_text(text: str | bytes) -> str:
    """`text` as `str`: of bytes that aren't UTF-8, each maximal subpart is U+FFFD."""
    return text if isinstance(text, str) else text.decode("utf-8", errors="replace")


def joined(texts: Sequence[str]) -> tuple[Way, ...]:
    """Ways of texts that follow each other, where it isn't known what is put between them."""
    if len(texts) < 2:
        return (Way((texts[0],)),) if texts and texts[0] else ()
    return (Way(("".join(texts),)), Way(("\n".join(texts),)))


def tool_json(tool: Tool, indent: int | None = None) -> str:
    """A tool's definition as templates and providers write it."""
    function: dict[str, Any] = {"name": tool.name, "description": tool.description}
    function["parameters"] = tool.parameters
    definition = {"type": "function", "function": function}
    return json.dumps(definition, ensure_ascii=False, indent=indent)


def call_json(call: ToolCall, template: str) -> str:
    """A tool call in the words of a template with `{name}` and `{arguments}`."""
    before, _, rest = template.partition("{name}")
    between, _, after = rest.partition("{arguments}")
    return f"{before}{call.name}{between}{call.arguments}{after}"


def image_entry(image: Image, model: str, message: int | None) -> Entry:
    """The addend of an image."""
    cost = image_cost(image, model)
    return Entry("image", message, cost.kind, cost.says, tokens=cost.tokens)


def sends_reasoning(dialect: Dialect, messages: Sequence[Message], message: int) -> bool:
    """Whether the reasoning of a message goes along."""
    if dialect.reasoning == "last_turn":
        last_user = max((i for i, m in enumerate(messages) if m.role == "user"), default=-1)
        return message > last_user
    return dialect.reasoning == "always"


def reasoning_tokens(part: Reasoning) -> tuple[int, str]:
    """Tokens of what only the provider can read, and how they are known."""
    if part.tokens is not None:
        return part.tokens, "as the provider reported"
    # Encrypting takes no bytes away, base64 makes four of three, and a token has at least one.
    return ceil(len(part.encrypted) * 3 / 4), "no more tokens than encrypted bytes"


def file_entries(file: File, model: str, message: int | None) -> Iterable[Entry]:
    """The addends of a file: its text and its pages.

    Raises `InvalidArgumentError` if neither is given.
    """
    if not file.text and not file.pages:
        raise InvalidArgumentError(
            f"what the file {file.name!r} costs follows from its text and its pages; give them"
        )
    texts = [text for text in (file.name, as_text(file.text)) if text]
    yield Entry("file", message, "assumed", "name and text of the file", ways=joined(texts))
    if file.pages:
        page = image_cost(Image(), model)
        says = f"{file.pages} pages as images {page.says}"
        yield Entry("file", message, "assumed", says, tokens=file.pages * page.tokens)


def result_parts(content: Iterable[Text | Image]) -> tuple[list[str], list[Image]]:
    """Texts and images of a tool's result."""
    texts: list[str] = []
    images: list[Image] = []
    for part in content:
        if isinstance(part, Text):
            texts.append(as_text(part.text))
        else:
            images.append(part)
    return texts, images
