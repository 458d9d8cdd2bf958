"""Where rollouts are and how to tell one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from vox.sources.base import Earlier, Reader
from vox.sources.codex.items import BARE_ITEMS
from vox.sources.codex.reader import CodexReader

_ZSTD = b"\x28\xb5\x2f\xfd"
_SUFFIXES = (".jsonl", ".jsonl.zst")
_ENVELOPES = frozenset(
    {
        "session_meta",
        "response_item",
        "request_item",
        "event_msg",
        "turn_context",
        "compacted",
        "world_state",
        "token_usage_record",
    }
)
_PLAIN_KEYS = frozenset(
    {"timestamp", "type", "role", "content", "model", "id", "function", "arguments", "name",
     "result"}
)  # fmt: skip
_LINES_TO_LOOK_AT = 8


class Codex:
    """Rollout files of the Codex CLI and desktop application."""

    name = "codex"
    title = "Codex"
    kinds = frozenset({"agent", "archived"})

    def roots(self) -> list[Path]:
        """`$CODEX_HOME`, or `~/.codex`."""
        home = os.environ.get("CODEX_HOME")
        return [Path(home).expanduser() if home else Path.home() / ".codex"]

    def discover(self, root: Path) -> Iterable[Path]:
        """The rollouts under `root`, oldest first, so that a parent comes before its forks.

        Candidates by name only; `recognises` tells which of them are rollouts. Of a home folder
        only `sessions` and `archived_sessions` are searched; elsewhere files of any name are
        looked into. Where a rollout stands both plain and compressed, the plain one is taken.
        """
        kept = [root / "sessions", root / "archived_sessions"]
        folders = [folder for folder in kept if folder.is_dir()] or [root]
        found: dict[Path, Path] = {}
        for folder in folders:
            for path in _transcripts(folder):
                plain = path.with_suffix("") if path.suffix == ".zst" else path
                if path.suffix != ".zst" or plain not in found:
                    found[plain] = path
        return sorted(found.values(), key=lambda path: (path.name, str(path)))

    def recognises(self, path: Path, head: bytes) -> bool:
        """Whether a file is a rollout, by its name and its first 64 KiB."""
        if not path.name.endswith(_SUFFIXES):
            return False
        if head.startswith(_ZSTD):
            return path.name.startswith("rollout-")
        records = _records(head)
        if not records:
            return path.name.startswith("rollout-") and bool(head.strip())
        return any(map(_is_enveloped, records)) or _is_oldest(records) or _is_plain(records)

    def kept_days(self, root: Path) -> int | None:  # noqa: ARG002
        """None: Codex deletes nothing."""
        return None

    def reader(self, path: Path, state: bytes | None, earlier: Earlier) -> Reader:  # noqa: ARG002
        """A reader at the start of `path`, or where `state` left off."""
        return CodexReader(path, state)


def _transcripts(folder: Path) -> Iterator[Path]:
    closed: list[OSError] = []
    for where, folders, files in os.walk(folder, onerror=closed.append):
        folders.sort()
        for name in sorted(files):
            if name.endswith(_SUFFIXES):
                yield Path(where, name)
    yield from (Path(error.filename) for error in closed)


def _records(head: bytes) -> list[dict[str, Any]]:
    """The first records; a line that breaks off at the end of the head is none."""
    records = []
    for line in head.split(b"\n")[:_LINES_TO_LOOK_AT]:
        try:
            record = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            records.append(record)
    return records


def _is_enveloped(record: dict[str, Any]) -> bool:
    return _type_of(record) in _ENVELOPES and isinstance(record.get("payload"), dict)


def _type_of(record: dict[str, Any]) -> str | None:
    kind = record.get("type")
    return kind if isinstance(kind, str) else None


def _is_oldest(records: list[dict[str, Any]]) -> bool:
    """A bare meta record, then bare response items and state markers."""
    first = records[0]
    if "type" in first or not {"id", "timestamp"} <= first.keys():
        return False
    if "instructions" in first or "originator" in first or "git" in first:
        return True
    return any("record_type" in record for record in records)


def _is_plain(records: list[dict[str, Any]]) -> bool:
    """Bare messages and tool calls with times, and nothing else."""
    first = records[0]
    if not {"timestamp", "role", "content"} <= first.keys():
        return False
    return all(
        record.keys() <= _PLAIN_KEYS and ("type" not in record or _type_of(record) in BARE_ITEMS)
        for record in records
    )
