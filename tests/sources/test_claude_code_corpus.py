"""Every example transcript, against a count made without the adapter."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import corpus
from tests.sources import count_claude_code as counting
from tests.sources.drafts import value_at
from vox.sources.base import Batch, Form
from vox.sources.claude_code import ClaudeCode

SOURCE = ClaudeCode()
FILES = corpus.files("claude-code")


def read(path: Path, records: list[bytes]) -> Batch:
    return SOURCE.reader(path, None, lambda: iter(())).read(records)


@pytest.fixture(params=FILES, ids=corpus.name_of)
def path(request: pytest.FixtureRequest) -> Path:
    assert isinstance(request.param, Path)
    return request.param


def test_records_items_and_rejections_equal_the_independent_count(path: Path) -> None:
    data = path.read_bytes()
    count = counting.Count(data)
    batch = read(path, counting.split(data)[0])
    assert Counter(batch.record_types) == count.types
    kinds = Counter(f"{d.role.name.lower()} {d.kind.name.lower()}" for d in batch.drafts)
    assert kinds == count.kinds
    assert len(batch.rejected) == count.rejected


def test_transcripts_are_recognised_and_other_files_are_not(path: Path) -> None:
    transcript = corpus.is_transcript(path)
    assert SOURCE.recognises(path, path.read_bytes()[:65_536]) is transcript


def test_every_item_stands_where_its_draft_says(path: Path) -> None:
    records = counting.split(path.read_bytes())[0]
    for draft in read(path, records).drafts:
        if isinstance(draft.body, tuple):
            value = value_at(records[draft.record], draft)
            assert isinstance(value, str) or draft.form is Form.SLICE


def test_ordinals_of_every_window_are_contiguous_over_batches(path: Path) -> None:
    records = counting.split(path.read_bytes())[0]
    reader = SOURCE.reader(path, None, lambda: iter(()))
    lengths: dict[str, int] = defaultdict(int)
    for start in range(0, len(records), 7):
        batch = reader.read(records[start : start + 7])
        for window in batch.windows:
            if window.shares:
                lengths[window.key] = window.shares
                assert window.parent is not None
                assert window.shares <= lengths[window.parent] + sum(
                    draft.window == window.parent for draft in batch.drafts
                )
        for draft in batch.drafts:
            assert draft.window in batch.at
        for key, first in batch.at.items():
            assert first == lengths[key]
        for draft in batch.drafts:
            lengths[draft.window] += 1


def test_stopping_and_going_on_gives_the_same_items(path: Path) -> None:
    records = counting.split(path.read_bytes())[0]
    if not path.name.startswith("agent-"):
        # The tool names a file after its session; the examples were renamed.
        sessions = re.findall(rb'"sessionId":"([^"]+)"', b"".join(records))
        path = path.with_name((sessions[0].decode() if sessions else "s") + ".jsonl")

    def items(batches: list[Batch]) -> list[tuple[Any, ...]]:
        return [(d.window, d.role, d.kind, d.body, d.name) for b in batches for d in b.drafts]

    batches: list[Batch] = []
    state: bytes | None = None
    step = max(1, len(records) // 9)
    for start in range(0, len(records), step):

        def earlier(start: int = start) -> Iterator[bytes]:
            return iter(records[:start])

        batches.append(SOURCE.reader(path, state, earlier).read(records[start : start + step]))
        state = batches[-1].state
    assert items(batches) == items([read(path, records)])


@pytest.mark.parametrize(
    "name",
    [
        "spotter/short.jsonl",
        "spotter/tool_heavy.jsonl",
        "codemie-code/-tmp-private/4c2ddfdc-b619-4525-8d03-1950fb1b0257.jsonl",
        "claude-code-log/todowrite_examples.jsonl",
        "git-ai/claude-code-with-plan.jsonl",
    ],
)
def test_a_real_session_without_retries_is_one_window(name: str) -> None:
    path = corpus.EXAMPLES / "claude_code" / name
    batch = read(path, counting.split(path.read_bytes())[0])
    assert len(batch.windows) == 1
    assert batch.windows[0].fidelity is None
