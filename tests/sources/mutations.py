"""Transcripts as no tool writes them, made from those that tools wrote.

A mutation keeps what makes a record look like one and changes something within: a value becomes
one of another type, a field goes or comes from another record, ids repeat or are strange, records
change places or are torn, bytes flip. Seeded, so that each can be made again.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import vox
from tests import corpus
from vox import _native
from vox.sources import SOURCES

TOOLS = tuple(corpus.TOOLS)
NAMES = {
    "claude-code": "7c9e6679-7425-40de-944b-e07fc1f90ae7.jsonl",
    "codex": "rollout-2026-01-02T03-04-05-7c9e6679-7425-40de-944b-e07fc1f90ae7.jsonl",
}
"""What a transcript of each tool is called."""

LARGEST = 200_000
"""Bytes of the examples that are used; larger ones only take longer."""

Node: TypeAlias = tuple[Any, Any]
"""A container and a key or position in it."""


@cache
def examples(tool: str) -> list[list[bytes]]:
    """The lines of the repository's small example transcripts."""
    folder = corpus.EXAMPLES / corpus.TOOLS[tool]
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    small = [f for f in files if corpus.is_transcript(f) and f.stat().st_size < LARGEST]
    return [lines for file in small if (lines := file.read_bytes().splitlines())]


STRANGE: list[Callable[[random.Random], Any]] = [
    lambda pick: None,
    lambda pick: pick.choice([True, False]),
    lambda pick: pick.choice([0, -1, 1, 2**31, 2**53, 2**63, -(2**63), 2**64, 10**30]),
    lambda pick: pick.choice([0.5, -0.0, 1e300, -1e-300, 1e22]),
    lambda pick: pick.choice(["", " ", "\x00", "\ud800", "\ud83d\ude00", "null", "a" * 5000]),
    lambda pick: pick.choice(["../../etc/passwd", "/", "C:\\x", "data:image/png;base64,!!"]),
    lambda pick: pick.choice(["2026-13-45T99:99:99Z", "2026-01-01", "0001-01-01T00:00:00Z", "now"]),
    lambda pick: pick.choice(["9999-12-31T23:59:59.999999999+14:00", "-1", "1e9", "١٢٣"]),
    lambda pick: pick.choice([[], {}, [[]], [{}], {"": ""}, [None], {"type": None}]),
    lambda pick: [pick.choice(STRANGE[:5])(pick) for _ in range(pick.randrange(4))],
    lambda pick: deep(pick.randrange(1, 400)),
    lambda pick: {"type": pick.choice(["text", "tool_use", "tool_result", "image", "message", 7])},
]


def deep(levels: int) -> Any:
    """A value nested so deep."""
    value: Any = "deep"
    for level in range(levels):
        value = [value] if level % 2 else {"content": value}
    return value


def nodes(value: Any) -> list[Node]:
    """Every place within a value."""
    found: list[Node] = []
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        keys = list(inner) if isinstance(inner, dict) else range(len(inner))
        for key in keys:
            found.append((inner, key))
            if isinstance(inner[key], dict | list):
                waiting.append(inner[key])
    return found


def mutate_value(pick: random.Random, record: Any, others: list[Any]) -> None:
    """Changes something within a record."""
    places = nodes(record)
    if not places:
        return
    inner, key = pick.choice(places)
    match pick.randrange(7):
        case 0 | 1:
            inner[key] = pick.choice(STRANGE)(pick)
        case 2:
            del inner[key]
        case 3:  # from somewhere else
            there, its = pick.choice(nodes(pick.choice(others)) or places)
            inner[key] = json.loads(json.dumps(there[its]))
        case 4 if isinstance(inner, dict):  # under another name
            inner[pick.choice([str(k) for _, k in places])] = inner.pop(key)
        case 5 if isinstance(inner, list):
            inner.extend(json.loads(json.dumps(inner))[: pick.randrange(1, 50)])
        case _:  # another record has it too: an id, mostly
            same = [n for other in others for n in nodes(other) if n[1] == key]
            if same:
                there, its = pick.choice(same)
                inner[key] = json.loads(json.dumps(there[its]))


def mutate_lines(pick: random.Random, lines: list[bytes]) -> None:
    """Changes the order of lines, or their bytes."""
    at = pick.randrange(len(lines))
    match pick.randrange(7):
        case 0:
            lines.insert(pick.randrange(len(lines)), lines[at])
        case 1:
            del lines[at]
        case 2:
            lines[at] = lines[at][: pick.randrange(len(lines[at]) + 1)]
        case 3:
            pick.shuffle(lines)
        case 4 if lines[at]:
            line = bytearray(lines[at])
            line[pick.randrange(len(line))] ^= 1 << pick.randrange(8)
            lines[at] = bytes(line)
        case 5:
            lines.insert(at, pick.choice([b"", b"[]", b"{}", b"null", b'"x"', b'{"a":', b"\xff"]))
        case _:
            lines.reverse()


def transcript(tool: str, seed: int) -> bytes:
    """A transcript of a tool that a seed decides on."""
    pick = random.Random(seed)
    lines = list(pick.choice(examples(tool)))
    if pick.random() < 0.3:
        lines += pick.choice(examples(tool))
    start = pick.randrange(len(lines))
    if pick.random() < 0.5:
        lines = lines[start : start + pick.randrange(1, 40)]
    records: list[Any] = []
    for line in lines:
        try:
            records.append(json.loads(line))
        except ValueError:
            records.append(None)
    containers = [r for r in records if isinstance(r, dict | list)]
    if containers:
        for _ in range(pick.choice([1, 1, 2, 5, 30])):
            mutate_value(pick, pick.choice(containers), containers)
    ascii_too = pick.random() < 0.5
    for n, record in enumerate(records):
        if record is not None:
            text = json.dumps(record, ensure_ascii=ascii_too)
            lines[n] = text.encode("utf-8", "surrogatepass")
    for _ in range(pick.choice([0, 0, 1, 3])):
        if lines:
            mutate_lines(pick, lines)
    return b"\n".join(lines) + (b"\n" if pick.random() < 0.9 else b"")


def check(tool: str, seed: int, place: Path) -> None:
    """Imports such a transcript, in two halves, and asserts that each record went somewhere."""
    data = transcript(tool, seed)
    file = place / NAMES[tool]
    half = random.Random(-seed).randrange(len(data) + 1)
    (source,) = (source for source in SOURCES if source.name == tool)
    with vox.open(place / "archive") as archive:
        for end in (half, len(data)):
            file.write_bytes(data[:end])
            # By its reader alone, whether or not it looks like a transcript of that tool.
            framer = _native.Framer(file)
            reader = source.reader(file, None, lambda: iter(()))
            while records := framer.next_batch():
                batch = reader.read(records)
                taken = {draft.record for draft in batch.drafts}
                taken |= {rejected.record for rejected in batch.rejected}
                assert taken == set(range(len(records))), "a record went nowhere"
            report = archive.ingest([source], paths=[], root=place)
            failed = [problem for problem in report.problems if problem.file_failed]
            assert not failed, failed
        report_of = archive.verify()
        assert report_of.ok, report_of.findings
