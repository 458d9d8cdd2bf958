"""Requests that the provider puts together out of sight: a number for each frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from vox.tokens.request.entries import (
    Entry,
    Way,
    What,
    as_text,
    call_json,
    file_entries,
    image_entry,
    joined,
    reasoning_tokens,
    result_parts,
    sends_reasoning,
    tool_json,
)
from vox.tokens.request.framing import Dialect
from vox.tokens.request.shapes import (
    File,
    Image,
    Message,
    Part,
    Reasoning,
    Request,
    Text,
    ToolCall,
    ToolResult,
)


def block_entries(request: Request, dialect: Dialect, model: str) -> Iterator[Entry]:
    """The addends of `request`."""
    frame = f"frames of {dialect.name}: {dialect.source}"
    yield Entry("framing", None, dialect.kind, frame, tokens=dialect.request)
    if request.system:
        yield Entry("system", None, "exact", "the system prompt", ways=_one(request.system))
        yield Entry("framing", None, dialect.kind, frame, tokens=dialect.message)
    if request.tools:
        yield _tools(request, dialect)
    for number, message in enumerate(request.messages):
        tokens = dialect.message + dialect.block * max(0, len(message.parts) - 1)
        yield Entry("framing", number, dialect.kind, frame, tokens=tokens)
        if message.name:
            name = "the name of the speaker and its mark"
            yield Entry("framing", number, dialect.kind, name, tokens=1, ways=_one(message.name))
        yield from _parts(request.messages, number, dialect, model)


def _one(text: str | bytes) -> tuple[Way, ...]:
    return joined([as_text(text)])


def _tools(request: Request, dialect: Dialect) -> Entry:
    # No provider says how it writes definitions; JSON is longer than what is known of any.
    return Entry(
        "tools",
        None,
        "assumed",
        "definitions of tools as JSON; how the provider writes them isn't known",
        tokens=dialect.definitions + dialect.definition * len(request.tools),
        ways=(Way(("\n".join(tool_json(tool) for tool in request.tools),)),),
    )


def _parts(
    messages: Sequence[Message], number: int, dialect: Dialect, model: str
) -> Iterator[Entry]:
    message = messages[number]
    what: What = "system" if message.role in ("system", "developer") else "text"
    for is_text, parts in groupby(message.parts, lambda part: isinstance(part, Text)):
        if not is_text:
            for part in parts:
                yield from _part(part, messages, number, dialect, model)
            continue
        texts = [as_text(part.text) for part in parts if isinstance(part, Text)]
        kind = "exact" if len(texts) == 1 else dialect.kind
        yield Entry(what, number, kind, f"text of role {message.role}", ways=joined(texts))


def _part(
    part: Part, messages: Sequence[Message], number: int, dialect: Dialect, model: str
) -> Iterator[Entry]:
    match part:
        case ToolCall():
            text = call_json(part, dialect.tool_call)
            says = "a tool call as JSON; how the provider writes it isn't known"
            yield Entry("tool_call", number, "assumed", says, dialect.call, (Way((text,)),))
        case ToolResult():
            texts, images = result_parts(part.content)
            says = "a tool's result; how the provider frames it isn't known"
            ways = joined([text for text in (part.name, *texts) if text])
            yield Entry("tool_result", number, "assumed", says, dialect.result, ways)
            for image in images:
                yield image_entry(image, model, number)
        case Image():
            yield image_entry(part, model, number)
        case File():
            yield from file_entries(part, model, number)
        case Reasoning() if sends_reasoning(dialect, messages, number):
            tokens, says = reasoning_tokens(part)
            ways = _one(part.text)
            yield Entry("reasoning", number, "assumed", says, tokens, ways)
        case Reasoning():
            says = f"{dialect.name} doesn't send it back"
            yield Entry("reasoning", number, "exact", says)
