"""Where transcripts stand on a machine, and how to tell them from other files."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from vox.sources.base import Earlier
from vox.sources.claude_code.reader import TranscriptReader
from vox.sources.claude_code.records import Record, decode_record
from vox.sources.decoding import NotARecordError

KEPT_DAYS = 30
"""How long Claude Code keeps transcripts if its settings don't say otherwise."""

_MOST_LINES = 50
_NAMED_LIKE_ONE = re.compile(r"(?:agent-.+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl")
_LONG_LINE = 32 << 10
"""A first line whose end isn't within a head of this length: only the name tells."""
_SIDE_TYPES = {
    "summary": "summary",
    "file-history-snapshot": "snapshot",
    "queue-operation": "operation",
    "custom-title": "customTitle",
    "ai-title": "aiTitle",
    "permission-mode": "permissionMode",
    "last-prompt": "lastPrompt",
    "session_start": "sessionId",
}
"""Records that may begin a file, and the field that tells them from another tool's."""


class ClaudeCode:
    """Claude Code's transcripts: one JSON record a line, one file a session or an agent."""

    name = "claude-code"
    title = "Claude Code"
    kinds = frozenset({"agent", "archived"})

    def roots(self) -> list[Path]:
        """The folders of projects: below CLAUDE_CONFIG_DIR, or in the user's home."""
        configured = os.environ.get("CLAUDE_CONFIG_DIR")
        if configured:
            return [Path(configured).expanduser() / "projects"]
        home = Path.home()
        return [home / ".claude" / "projects", home / ".config" / "claude" / "projects"]

    def discover(self, root: Path) -> Iterable[Path]:
        """Transcript files under `root`: a session's before its agents', else by name.

        Candidates by name only; `recognises` tells which of them are transcripts.
        """
        closed: list[OSError] = []
        for folder, subfolders, names in os.walk(root, onerror=closed.append):
            subfolders.sort()
            subfolders[:] = [name for name in subfolders if name != "tool-results"]
            for name in sorted(names, key=lambda name: (name.startswith("agent-"), name)):
                if _may_be_transcript(name):
                    yield Path(folder, name)
        yield from (Path(error.filename) for error in closed)

    def recognises(self, path: Path, head: bytes) -> bool:
        """Whether a file is a transcript, by what its first records hold."""
        if not _may_be_transcript(path.name):
            return False
        if head.lstrip().startswith(b"{") and b'"loglines"' in head[:4096]:
            return True
        if b"\n" not in head and head.startswith(b"{") and _NAMED_LIKE_ONE.fullmatch(path.name):
            return len(head) >= _LONG_LINE or _is_transcript_line(head)
        return any(_is_transcript_line(line) for line in _lines(head))

    def kept_days(self, root: Path) -> int:
        """What `cleanupPeriodDays` says in the settings beside `root`; 30 if nothing does."""
        try:
            settings = json.loads((root.parent / "settings.json").read_bytes())
            return int(settings["cleanupPeriodDays"])
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
            return KEPT_DAYS

    def reader(self, path: Path, state: bytes | None, earlier: Earlier) -> TranscriptReader:
        """A reader at the start of `path`, or where `state` left off."""
        return TranscriptReader(path, state, earlier)


def _may_be_transcript(name: str) -> bool:
    if name in ("journal.jsonl", "history.jsonl") or name.endswith(".meta.json"):
        return False
    return name.endswith((".jsonl", ".json"))


def _lines(head: bytes) -> Iterator[bytes]:
    for line in head.split(b"\n", _MOST_LINES)[:_MOST_LINES]:
        if line.strip():
            yield line


def _is_transcript_line(line: bytes) -> bool:
    try:
        record = decode_record(line)
    except NotARecordError:
        # The head may end within a long first line.
        return (
            line.startswith(b"{")
            and b'"sessionId"' in line
            and b'"parentUuid"' in line
            and b'"parts"' not in line
        )
    return _is_transcript_record(record, line)


def _is_transcript_record(record: Record, line: bytes) -> bool:
    if record.type in ("user", "assistant"):
        return record.message is not None and bool(record.message.content)
    if record.type in ("system", "progress", "attachment"):
        return record.session_id is not None and record.uuid is not None
    side = _SIDE_TYPES.get(record.type or "")
    return side is not None and f'"{side}"'.encode() in line
