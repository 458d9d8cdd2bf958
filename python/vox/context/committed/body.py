"""What an entry puts into a message: the bytes of an item as text, image or call."""

from __future__ import annotations

from dataclasses import dataclass

from vox.context.committed.entry import Entry
from vox.context.projection.frames import UNNAMED
from vox.context.projection.images import PREFIX
from vox.context.projection.inputs import as_object
from vox.errors import InvalidArgumentError
from vox.sources.base import ItemKind, Role
from vox.tokens.request import Image, Reasoning, Text, image_size


@dataclass(frozen=True, slots=True)
class Body:
    """What an entry is, beside what the entry says."""

    role: Role
    kind: ItemKind
    name: str = ""
    """Tool, model or media type; empty for none."""
    content: bytes | None = b""
    """None: it was purged, or isn't needed because there is a form."""


def text_of(entry: Entry, body: Body) -> str:
    """An entry as text. What isn't UTF-8 is U+FFFD."""
    if entry.form is not None:
        return entry.form
    if body.content is None:
        return f"[item:{entry.item} was purged]"
    return body.content.decode("utf-8", "replace")


def shown_of(entry: Entry, body: Body, *, sees_images: bool) -> Text | Image:
    """An entry as a model is shown it: text, an image, or a line that says what can't be shown."""
    if entry.form is not None or body.content is None or body.kind != ItemKind.ATTACHMENT:
        return Text(text_of(entry, body))
    if body.name.startswith(PREFIX) and _is_image(body.content):
        if sees_images:
            return Image(body.content)
    elif _is_text(body.content):
        return Text(body.content.decode())
    return Text(
        f"[{body.name or 'attachment'}, {len(body.content)} bytes, can't be shown: "
        f"item:{entry.item}]"
    )


def reasoning_of(entry: Entry, body: Body) -> Reasoning:
    """An entry as reasoning of an earlier answer."""
    return Reasoning(text_of(entry, body))


def arguments_of(entry: Entry, body: Body) -> str:
    """The input of a tool call, as the JSON object that every provider wants."""
    return as_object(text_of(entry, body))


def tool_of(body: Body) -> str:
    """The name of the tool of a call or result."""
    return body.name or UNNAMED


def _is_image(content: bytes) -> bool:
    try:
        image_size(content)
    except InvalidArgumentError:
        return False
    return True


def _is_text(content: bytes) -> bool:
    try:
        return "\0" not in content.decode()
    except UnicodeDecodeError:
        return False
