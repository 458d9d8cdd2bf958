"""The judged queries of `tests/data/retrieval`, the archive they are about, and how well a ranking
answers them."""

from __future__ import annotations

import json
import tarfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from blake3 import blake3

import vox
from vox.archive import NewItem
from vox.sources.base import ItemKind, Role, WindowDraft

REPOSITORY = Path(__file__).resolve().parents[3]
DATA = REPOSITORY / "tests" / "data" / "retrieval"
DEPTH = 10
"""Places of a ranking that count."""


@dataclass(frozen=True)
class Judged:
    """A query and what answers it."""

    group: str
    """What kind of query it is."""
    query: str
    relevant: frozenset[str]
    """The first 16 hexadecimal digits of the hashes of contents."""


class Quality(NamedTuple):
    """How well queries were answered, on average."""

    recall: float
    """Of the relevant contents, or of ten of them, as many as are among the first ten."""
    reciprocal: float
    """One by the place of the first relevant content; 0 if it isn't among the first ten."""


@cache
def queries() -> list[Judged]:
    """All of them."""
    lines = (DATA / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [Judged(row["class"], row["query"], frozenset(row["relevant"])) for row in rows]


def fill(archive: vox.Archive, scratch: Path) -> None:
    """Puts what the queries are about into an archive; `scratch` is an empty folder."""
    with tarfile.open(DATA / "transcripts.tar.xz") as transcripts:
        transcripts.extractall(scratch, filter="data")
    for tool, folder in {"claude-code": "claude_code", "codex": "codex"}.items():
        report = archive.ingest([tool], root=scratch / folder)
        assert report.windows, tool
    windows: dict[str, list[NewItem]] = defaultdict(list)
    for line in (DATA / "other_scripts.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        role, kind = Role[row["role"].upper()], ItemKind[row["kind"].upper()]
        item = NewItem(role=role, kind=kind, content=row["text"])
        windows[row["window"]].append(item)
    for key, items in windows.items():
        archive.append(WindowDraft(key=key), items)


def mark(body: bytes) -> str:
    """By what a content is known here."""
    return blake3(body).hexdigest(8)


def texts(archive: vox.Archive) -> dict[str, str]:
    """Every content of an archive once."""
    rows = archive.timeline(0, archive.count_timeline(), preview=False)
    found: dict[str, str] = {}
    for item in rows.column("item"):
        body = bytes(archive.read(item))
        found.setdefault(mark(body), body.decode("utf-8", "replace"))
    return found


def measure(rank: Callable[[str], Sequence[str]]) -> dict[str, Quality]:
    """How well `rank`, which gives contents by their marks, answers each group of queries."""
    by_group: dict[str, list[Quality]] = defaultdict(list)
    for judged in queries():
        first = list(rank(judged.query))[:DEPTH]
        hits = [place for place, content in enumerate(first, 1) if content in judged.relevant]
        recall = len(hits) / min(DEPTH, len(judged.relevant))
        by_group[judged.group].append(Quality(recall, 1 / hits[0] if hits else 0.0))
    return {
        group: Quality(
            sum(one.recall for one in all_) / len(all_),
            sum(one.reciprocal for one in all_) / len(all_),
        )
        for group, all_ in by_group.items()
    }
