"""A request to a model, as far as its cost in tokens goes, whatever provider it is for.

Plain values: whoever speaks to a provider makes them from what it is about to send.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Role: TypeAlias = Literal["system", "developer", "user", "assistant", "tool"]
Detail: TypeAlias = Literal["auto", "low", "medium", "high", "original"]


@dataclass(frozen=True, slots=True)
class Text:
    """Text, as it is sent. Control tokens that stand in it are text."""

    text: str | bytes


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call that an earlier answer made."""

    name: str
    arguments: str
    """The JSON text of its arguments, as it is sent."""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Image:
    """An image, by its bytes or by its size in pixels.

    Its bytes are looked at for its size only: base64 is never counted as text.
    """

    data: bytes | None = None
    width: int | None = None
    height: int | None = None
    detail: Detail = "auto"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered."""

    content: Sequence[Text | Image]
    id: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Reasoning:
    """Reasoning of an earlier answer. It costs nothing where the dialect doesn't send it back."""

    text: str | bytes = ""
    encrypted: str | bytes = b""
    """What only the provider can read: base64, as it came."""
    tokens: int | None = None
    """Tokens that the provider reported for it."""


@dataclass(frozen=True, slots=True)
class File:
    """A file that goes along: by its text, by its number of pages, or both."""

    name: str = ""
    text: str | bytes = b""
    pages: int = 0
    """Pages that the provider shows to the model as images too, as with a PDF."""


Part: TypeAlias = Text | ToolCall | ToolResult | Image | Reasoning | File


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a conversation."""

    role: Role
    parts: Sequence[Part]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """The definition of a tool."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """A JSON schema."""


@dataclass(frozen=True, slots=True)
class Request:
    """What one call of a model sends."""

    messages: Sequence[Message]
    system: str | bytes = ""
    """The system prompt, where it stands outside of the messages."""
    tools: Sequence[Tool] = ()


def user(text: str | bytes) -> Message:
    """A user's message of one text."""
    return Message("user", [Text(text)])


def assistant(text: str | bytes) -> Message:
    """An answer of one text."""
    return Message("assistant", [Text(text)])
