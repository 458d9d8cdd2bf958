"""What a transcript says about its windows: folder, branch, model, title, commit."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct

from vox.sources.claude_code.lineage import Track
from vox.sources.claude_code.records import Record
from vox.sources.decoding import NotARecordError, read_loosely

SUMMARY: Final = 1
GENERATED: Final = 2
CUSTOM: Final = 3
"""Where a title comes from; the higher one wins, the later among equals."""

_MOST_WAITING = 256
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LARGEST_SIDECAR = 1 << 20


class Titles(Struct, array_like=True):
    """Titles of the sessions in a file."""

    by_lane: dict[str, tuple[int, str]] = {}
    by_leaf: dict[str, str] = {}
    """Summaries by the record they were made at. A file begins with those of other sessions
    as well: one counts once its record is seen here."""

    def take(self, lane: str, rank: int, title: str) -> bool:
        """Whether `title` is now the title of `lane`, and wasn't before."""
        known = self.by_lane.get(lane)
        if known is not None and (known[0] > rank or known[1] == title):
            return False
        self.by_lane[lane] = (rank, title)
        return True

    def wait_for(self, leaf: str, title: str) -> None:
        """Hold a summary until its record is seen."""
        if len(self.by_leaf) < _MOST_WAITING:
            self.by_leaf[leaf] = title


class _Worktree(Struct, rename="camel"):
    original_head_commit: str | None = None


class _Segment(Struct, rename="camel"):
    tail_uuid: str | None = None


class _Messages(Struct):
    uuids: list[str] = []


class _Compaction(Struct, rename="camel"):
    preserved_segment: _Segment | None = None
    preserved_messages: _Messages | None = None


class _Sidecar(Struct, rename="camel"):
    agent_type: str | None = None
    description: str | None = None


def observe(
    track: Track,
    record: Record,
    at: int | None,
    model: str | None,
    repos: dict[str, str],
    changes: dict[int, dict[str, Any]],
) -> None:
    """Note under the track's index in `changes` what `record` newly says about its window.

    `repos` holds the folder in which each conversation began, which scopes all its windows.
    """
    if at is not None and track.created_at is None:
        track.created_at = at
        changes.setdefault(track.index, {})["created_at"] = at
    if model is not None and model != track.model:
        track.model = model
        changes.setdefault(track.index, {})["model_route"] = model
    if record.cwd and track.workspace is None:
        track.workspace = record.cwd
        repo = repos.setdefault(track.lane, record.cwd)
        changes.setdefault(track.index, {}).update(workspace=record.cwd, repo=repo)
    if record.git_branch and record.git_branch != track.branch:
        track.branch = record.git_branch
        changes.setdefault(track.index, {})["git_branch"] = record.git_branch
    if record.version and record.version != track.version:
        track.version = record.version
        if track.agent is None:
            changes.setdefault(track.index, {})["agent"] = f"claude-code {record.version}"
    if record.worktree_session:
        commit = _commit(record.worktree_session)
        if commit is not None and track.commit is None:
            track.commit = commit
            changes.setdefault(track.index, {})["git_sha_at_open"] = commit


def kept_records(metadata: Raw) -> list[str]:
    """uuids of the records that a compaction kept."""
    try:
        compaction = msgspec.json.decode(metadata, type=_Compaction)
    except msgspec.DecodeError:
        return []
    kept: list[str] = []
    if compaction.preserved_messages is not None:
        kept += compaction.preserved_messages.uuids
    if compaction.preserved_segment is not None and compaction.preserved_segment.tail_uuid:
        kept.append(compaction.preserved_segment.tail_uuid)
    return kept


def agent_file(transcript: Path) -> dict[str, str]:
    """What the file beside an agent's transcript says: the agent's type and its task."""
    sidecar = transcript.with_suffix(".meta.json")
    try:
        if sidecar.stat().st_size > _LARGEST_SIDECAR:
            return {}
        described = read_loosely(_Sidecar, sidecar.read_bytes())
    except (OSError, NotARecordError):
        return {}
    said = {"agent": described.agent_type, "title": described.description}
    return {name: value for name, value in said.items() if value}


def _commit(worktree: Raw) -> str | None:
    try:
        commit = msgspec.json.decode(worktree, type=_Worktree | None)
    except msgspec.DecodeError:
        return None
    if commit is None or commit.original_head_commit is None:
        return None
    sha = commit.original_head_commit
    return sha if _COMMIT.fullmatch(sha) and set(sha) != {"0"} else None
