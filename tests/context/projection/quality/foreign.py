"""Long transcripts of tools that vox doesn't import yet, as items: of pi and of aider."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vox.archive import NewItem
from vox.sources.base import ItemKind, Role

Conversation = tuple[str, list[NewItem]]
"""The key of its window, and its items."""

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}


def conversations(data: Path) -> Iterator[Conversation]:
    """Those in the folder of examples, as far as they are there."""
    pi = data / "other_agents" / "pi-mono" / "large-session.jsonl"
    if pi.exists():
        yield "pi:large-session", _pi(pi)
    aider = data / "aider" / "aider" / "chat-history.first-third.md"
    if aider.exists():
        yield "aider:chat-history", _aider(aider)


def _item(role: Role, kind: ItemKind, content: str, name: str | None, at: int) -> NewItem:
    return NewItem(role=role, kind=kind, content=content, name=name, created_at=at)


def _pi(file: Path) -> list[NewItem]:
    items: list[NewItem] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["type"] == "message":
            message = record["message"]
            for part in message["content"]:
                items.append(_pi_part(message, part))
    return items


def _pi_part(message: dict[str, Any], part: dict[str, Any]) -> NewItem:
    at = int(message["timestamp"])
    if part["type"] == "toolCall":
        arguments = json.dumps(part["arguments"], ensure_ascii=False)
        return _item(Role.ASSISTANT, ItemKind.TOOL_CALL, arguments, part["name"], at)
    if message["role"] == "toolResult":
        return _item(Role.TOOL, ItemKind.TOOL_RESULT, part["text"], message["toolName"], at)
    if part["type"] == "thinking":
        return _item(Role.ASSISTANT, ItemKind.REASONING, part["thinking"], None, at)
    return _item(_ROLES[message["role"]], ItemKind.MESSAGE, part["text"], None, at)


def _aider(file: Path) -> list[NewItem]:
    """The history of a folder: many short sessions one after the other. Lines with #### are the
    user's, quoted lines are aider's own, all others the model's."""
    items: list[NewItem] = []
    speaker, lines = Role.SYSTEM, list[str]()
    for line in [*file.read_text(encoding="utf-8").splitlines(), "# aider chat"]:
        now = _aider_speaker(line, speaker)
        if now != speaker:
            text = "\n".join(lines).strip()
            if text:
                items.append(_item(speaker, ItemKind.MESSAGE, text, None, len(items)))
            speaker, lines = now, []
        lines.append(line)
    return items


def _aider_speaker(line: str, speaker: Role) -> Role:
    if line.startswith("#### "):
        return Role.USER
    if line.startswith((">", "# aider chat")):
        return Role.SYSTEM
    return speaker if not line.strip() else Role.ASSISTANT
