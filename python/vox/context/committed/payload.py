"""A rendered request as bytes, and whose each of them is."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vox.context.budget import CLAIMANTS, Claimant
from vox.tokens.request import (
    File,
    Image,
    Message,
    Reasoning,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from vox.tokens.request.entries import as_text
from vox.tokens.request.shapes import Part


@dataclass(frozen=True, slots=True)
class Payload:
    """A request as JSON of no provider in particular, from which each makes its own."""

    data: bytes
    by_claimant: Mapping[Claimant, int]
    """Bytes of what is said, shown and called …"""
    framing: int
    """… and all others: names of fields, quotes, roles, ids."""


def payload_of(request: Request) -> Payload:
    """The bytes of a request; equal requests give equal ones."""
    writer = _Writer()
    data = writer.request(request)
    by_claimant = {claimant: writer.bytes[claimant] for claimant in CLAIMANTS}
    return Payload(data, by_claimant, len(data) - sum(by_claimant.values()))


class _Writer:
    """Writes JSON by hand, to know the bytes of each value."""

    def __init__(self) -> None:
        self.bytes: Counter[Claimant] = Counter()

    def request(self, request: Request) -> bytes:
        fields = [self._list("messages", [self._message(one) for one in request.messages])]
        if request.system:
            fields.append(f'"system":{self._text(request.system, Claimant.SYSTEM)}')
        if request.tools:
            fields.append(self._list("tools", [self._tool(tool) for tool in request.tools]))
        return ("{" + ",".join(fields) + "}").encode()

    def _message(self, message: Message) -> str:
        whose = claimant_of(message)
        name = [f'"name":{_quoted(message.name)}'] if message.name else []
        parts = self._list("content", [self._part(part, whose) for part in message.parts])
        return _object([f'"role":"{message.role}"', *name, parts])

    def _part(self, part: Part, whose: Claimant) -> str:
        match part:
            case Text():
                return _typed("text", [f'"text":{self._text(part.text, whose)}'])
            case ToolCall():
                name = f'"name":{self._text(part.name, whose)}'
                arguments = f'"arguments":{self._text(part.arguments, whose)}'
                return _typed("tool_call", [f'"id":{_quoted(part.id)}', name, arguments])
            case ToolResult():
                name = f'"name":{self._text(part.name, whose)}'
                content = self._list("content", [self._part(one, whose) for one in part.content])
                return _typed("tool_result", [f'"id":{_quoted(part.id)}', name, content])
            case Image():
                data = base64.b64encode(part.data or b"")
                return _typed("image", [f'"data":{self._text(data, whose)}'])
            case Reasoning():
                return _typed("reasoning", [f'"text":{self._text(part.text, whose)}'])
            case File():
                name = f'"name":{self._text(part.name, whose)}'
                return _typed("file", [name, f'"text":{self._text(part.text, whose)}'])

    def _tool(self, tool: Tool) -> str:
        definition = {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
        }
        text = json.dumps(definition, ensure_ascii=False, separators=(",", ":"))
        self.bytes[Claimant.TOOLS] += len(text.encode())
        return text

    def _text(self, text: str | bytes, whose: Claimant) -> str:
        quoted = _quoted(as_text(text))
        self.bytes[whose] += len(quoted.encode()) - 2
        return quoted

    @staticmethod
    def _list(name: str, values: Sequence[str]) -> str:
        return f'"{name}":[{",".join(values)}]'


def claimant_of(message: Message) -> Claimant:
    """Whose the contents of a message are."""
    if message.role in ("system", "developer"):
        return Claimant.SYSTEM
    return Claimant.TOOL_RESULTS if message.role == "tool" else Claimant.CONVERSATION


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _object(fields: Sequence[str]) -> str:
    return "{" + ",".join(fields) + "}"


def _typed(kind: str, fields: Sequence[str]) -> str:
    return _object([f'"type":"{kind}"', *fields])
