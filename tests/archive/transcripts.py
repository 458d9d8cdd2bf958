"""Transcripts made for a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SESSION = "5e551017-0000-4000-8000-000000000001"


def record(number: int, *, session: str = SESSION, prefix: str = "u", **more: Any) -> bytes:
    """The `number`th turn of a Claude Code session as a line: questions and answers by turns."""
    role = "assistant" if number % 2 else "user"
    message: dict[str, Any] = {"role": role, "content": f"{role} says {number} of {session}"}
    if role == "assistant":
        message |= {
            "id": f"msg-{prefix}{number}",
            "model": "model-1",
            "usage": {"input_tokens": 10 + number, "output_tokens": 100 + number},
        }
        more = {"requestId": f"req-{prefix}{number}", **more}
    line = {
        "parentUuid": f"{prefix}{number - 1}" if number else None,
        "isSidechain": False,
        "cwd": "/home/ada/engine",
        "sessionId": session,
        "type": role,
        "message": message,
        "uuid": f"{prefix}{number}",
        "timestamp": f"2026-01-31T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}.000Z",
        **more,
    }
    return json.dumps(line).encode() + b"\n"


def session(count: int, **more: Any) -> bytes:
    """A session of so many turns."""
    return b"".join(record(number, **more) for number in range(count))


def write(folder: Path, data: bytes, name: str = f"{SESSION}.jsonl") -> Path:
    """A transcript file with these bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_bytes(data)
    return file


CODEX = "019fc8be-3658-7ca3-9e29-000000000001"
ROLLOUT = f"rollout-2026-08-03T10-48-56-{CODEX}.jsonl"


def rollout(count: int) -> bytes:
    """A session of Codex with so many questions."""
    records: list[dict[str, Any]] = [{"type": "session_meta", "payload": {"id": CODEX}}]
    for n in range(count):
        content = [{"type": "input_text", "text": f"turn {n}"}]
        said = {"type": "message", "role": "user", "content": content}
        records.append({"type": "response_item", "payload": said})
    for n, line in enumerate(records):
        line["timestamp"] = f"2026-08-03T10:{n // 60:02}:{n % 60:02}.000Z"
    return b"".join(json.dumps(line).encode() + b"\n" for line in records)
