"""The sessions that are looked at, each as one window of an archive, and on which side it stands.

A session is what one file of a tool holds: its window and those that went on after compactions, in
one piece, as if nothing had been compacted. Consecutive sessions of one project on one side are
also joined to one long window, since few single sessions are longer than the largest budgets.
"""

from __future__ import annotations

import tarfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blake3 import blake3

import vox
from tests.context.projection.quality import foreign
from vox.archive.window import Window
from vox.sources import SOURCES

TOOLS = {"claude-code": "claude_code", "codex": "codex"}
"""The folder of each tool that is imported."""

KEPT = Path(__file__).resolve().parents[3] / "data" / "retrieval" / "transcripts.tar.xz"

SPLIT = "7"
"""Goes into the hash that splits sessions. It is the first number that leaves a session of each
large project on both sides and two fifths to three fifths of the tokens on each; it was settled
before anything was projected."""

SHORTEST = 8_000
"""Tokens by a quick guess; shorter sessions fit every budget."""


@dataclass(frozen=True)
class Session:
    """One long window."""

    key: str
    window: Window
    held_out: bool
    joined: bool
    """Made of several sessions."""


def held_out(key: str) -> bool:
    """Whether nothing of this session may be used to choose weights."""
    return bool(blake3(f"{SPLIT} {key}".encode()).digest()[0] & 1)


def unpack(folder: Path) -> Path:
    """The long transcripts that are kept with vox, in an empty folder; gives that."""
    with tarfile.open(KEPT) as transcripts:
        transcripts.extractall(folder, filter="data")
    return folder


def fill(archive: vox.Archive, data: Path) -> list[Session]:
    """Imports the examples; gives the long sessions, single ones first, by their keys."""
    for source in SOURCES:
        if (data / TOOLS[source.name]).is_dir():
            # One after another: costs of handles hang on the numbers of items.
            for path in source.discover(data / TOOLS[source.name]):
                archive.ingest([], paths=[path])
    for key, items in foreign.conversations(data):
        archive.append(key, items)
    rows = archive.windows(count=archive.count_windows()).to_pylist()
    single = sorted(_single(archive, rows), key=lambda found: found[0].key)
    return [*(session for session, _, _ in single), *_joined(archive, single)]


_Found = tuple[Session, str, int]
"""A session, its project, and when it began."""


def _single(archive: vox.Archive, rows: list[dict[str, Any]]) -> Iterator[_Found]:
    later = defaultdict(list)
    for row in rows:
        if row["link"] == "compacted_from":
            later[row["parent"]].append(row)
    for row in rows:
        if row["link"] is None:
            chain = [row]
            for part in chain:
                chain.extend(sorted(later[part["id"]], key=lambda child: child["created_at"]))
            if sum(part["tokens"] for part in chain) >= SHORTEST:
                window = _one(archive, [archive.window(part["id"]) for part in chain], row["key"])
                session = Session(row["key"], window, held_out(row["key"]), joined=False)
                yield session, _project(archive, row), row["created_at"]


def _project(archive: vox.Archive, row: dict[str, Any]) -> str:
    """The repository that a session was found in: the folder its file lies in."""
    files = archive.raw_sources(row["id"]) if row["source"] in TOOLS else []
    for path in files:
        for folder in TOOLS.values():
            if folder in path.parts:
                return path.parts[path.parts.index(folder) + 1]
    return str(row["key"])


def _joined(archive: vox.Archive, single: list[_Found]) -> Iterator[Session]:
    projects = defaultdict(list)
    for session, project, began in single:
        projects[project, session.held_out].append((began, session))
    for (project, side), members in sorted(projects.items()):
        if len(members) > 1:
            ordered = [session for _, session in sorted(members, key=lambda member: member[0])]
            key = f"joined:{project}:{'held out' if side else 'train'}"
            window = _one(archive, [session.window for session in ordered], key)
            yield Session(key, window, side, joined=True)


def _one(archive: vox.Archive, windows: list[Window], key: str) -> Window:
    """What several windows hold, one after the other, without what is no conversation and without
    summaries, for what they stand for is there."""
    parts = [(window, _ordinals(window)) for window in windows]
    return archive.window(archive.merge(parts, key=f"bench:{key}").window)


def _ordinals(window: Window) -> list[int]:
    columns = window.items(0, len(window), preview=False)
    rows = zip(
        columns.column("ordinal"), columns.column("side"), columns.column("kind"), strict=True
    )
    return [int(ordinal) for ordinal, side, kind in rows if not side and kind != "summary"]
