"""Records to feed the Codex reader with, and what comes out of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.sources.drafts import value_at
from vox.sources.base import Batch, Draft
from vox.sources.codex import Codex

SESSION = "019c4b43-1451-7af3-be4c-5576369bf1ba"
KEY = f"codex:{SESSION}"
ROLLOUT = Path(f"rollout-2026-02-11T05-53-33-{SESSION}.jsonl")
NOON = "2026-02-11T12:00:00.250Z"
NOON_MS = 1770811200250


def line(kind: str, payload: dict[str, Any], timestamp: str = NOON) -> bytes:
    return json.dumps({"timestamp": timestamp, "type": kind, "payload": payload}).encode()


def meta(session: str = SESSION, **more: Any) -> bytes:
    return line("session_meta", {"id": session, "cwd": "/repo", **more})


def item(kind: str, **more: Any) -> bytes:
    return line("response_item", {"type": kind, **more})


def said(role: str, text: str) -> bytes:
    block = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": block, "text": text}])


def event(kind: str, **more: Any) -> bytes:
    return line("event_msg", {"type": kind, **more})


def read(*records: bytes, path: Path = ROLLOUT) -> Batch:
    return Codex().reader(path, None, lambda: iter(())).read(records)


def conversation(batch: Batch) -> list[Draft]:
    return [draft for draft in batch.drafts if not draft.side]


def texts(records: list[bytes], drafts: list[Draft]) -> list[Any]:
    return [value_at(records[draft.record], draft) for draft in drafts]
