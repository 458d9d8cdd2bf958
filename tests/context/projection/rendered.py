"""A projection as a request, put together in the plainest way."""

from __future__ import annotations

from tests.context.projection.windows import Made
from vox.context.projection import Projected, Projection
from vox.sources.base import ItemKind, Role
from vox.tokens.request import Message, Request, Text, ToolCall, ToolResult
from vox.tokens.request.shapes import Image, Part, Reasoning


def request_of(made: Made, projection: Projection) -> Request:
    """All that is shown, each item in a message of its own."""
    messages: list[Message] = []
    stubs = {stub.before: stub for stub in projection.stubs}
    shown = projection.shown
    for place in range(len(shown) + 1):
        if place in stubs:
            messages.append(Message("user", [Text(stubs[place].text)]))
        if place < len(shown):
            messages.append(_message(made, shown[place]))
    return Request(messages)


def _message(made: Made, shown: Projected) -> Message:
    one = made.ones[shown.ordinal]
    text = one.content if shown.form is None else shown.form.encode()
    if one.kind == ItemKind.TOOL_CALL and shown.pair is not None:
        return Message("assistant", [ToolCall(one.name, text.decode("utf-8", "replace"))])
    if one.kind == ItemKind.TOOL_RESULT and shown.pair is not None:
        return Message("tool", [ToolResult([Text(text)], name=one.name)])
    part: Part = Text(text)
    if one.kind == ItemKind.ATTACHMENT and shown.form is None and one.name.startswith("image/"):
        part = Image(text)
    if one.kind == ItemKind.REASONING and shown.form is None:
        part = Reasoning(text)
    role = {Role.USER: "user", Role.SYSTEM: "system"}.get(one.role, "assistant")
    return Message(role, [part])  # type: ignore[arg-type]
