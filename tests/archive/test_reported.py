"""What providers reported, beside an estimate of the texts in between."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import vox
from vox.archive import Archive
from vox.archive.chat import Message
from vox.archive.reported import observations, reported_input
from vox.tokens.calibration import Observation


def record(second: int, role: str, content: object, **usage: int) -> str:
    message: dict[str, object] = {"role": role, "content": content}
    if usage:
        message |= {"id": f"msg_{second}", "model": "claude-opus-4-8", "usage": usage}
    return json.dumps(
        {
            "type": role,
            "uuid": f"00000000-0000-4000-8000-0000000000{second:02}",
            "parentUuid": f"00000000-0000-4000-8000-0000000000{second - 1:02}" if second else None,
            "sessionId": "11111111-1111-4111-8111-111111111111",
            "requestId": f"req_{second}",
            "timestamp": f"2026-01-01T00:00:{second:02}.000Z",
            "cwd": "/tmp",
            "message": message,
        }
    )


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """A session in which the input grows, shrinks and grows again."""
    answer = [{"type": "text", "text": "yes" * 10}]
    lines = [
        record(0, "user", "begin"),
        record(1, "assistant", answer, input_tokens=10, cache_creation_input_tokens=5000),
        record(2, "user", "more " * 100),
        record(3, "assistant", answer, input_tokens=200, cache_read_input_tokens=5010),
        record(4, "user", "again"),
        record(5, "assistant", answer, input_tokens=10, cache_read_input_tokens=20),
        record(6, "user", "last"),
        record(7, "assistant", answer, input_tokens=10, cache_read_input_tokens=40),
    ]
    folder = tmp_path / "claude" / "project"
    folder.mkdir(parents=True)
    file = folder / "11111111-1111-4111-8111-111111111111.jsonl"
    file.write_text("\n".join(lines) + "\n")
    archive = vox.open(tmp_path / "archive")
    archive.ingest(["claude-code"], root=tmp_path / "claude")
    return archive


def lengths(model: str, texts: Sequence[bytes]) -> list[int]:
    assert model == "claude-opus-4-8"
    return [len(text) for text in texts]


def test_growth_of_the_input_is_compared_with_the_items_in_between(archive: Archive) -> None:
    (row,) = archive.windows().to_pylist()
    at = 1767225600000
    assert list(observations(archive, [row["window"]], lengths)) == [
        # The first answer and the user's words; input from the cache counts like any other.
        Observation("claude-opus-4-8", estimated=30 + 500, reported=5210 - 5010, at=at + 3000),
        # The third step comes after the input shrank, which says nothing of it.
        Observation("claude-opus-4-8", estimated=30 + 4, reported=50 - 30, at=at + 7000),
    ]


def test_a_model_that_nothing_is_known_of_is_left_out(archive: Archive) -> None:
    (row,) = archive.windows().to_pylist()
    assert list(observations(archive, [row["window"]], lambda model, texts: None)) == []


def test_all_input_is_what_was_cached_and_what_was_not() -> None:
    usage = {"input": 1, "cache_read": 20, "cache_write": 300, "cache_write_1h": 4000, "output": 9}
    assert reported_input(usage) == 4321


def test_a_window_without_usage_says_nothing(tmp_path: Path) -> None:
    with vox.open(tmp_path / "archive") as archive:
        plan = archive.chat.create(title="Plans")
        archive.chat.append(plan, Message(role="user", content="Hello"))
        numbers = [row["window"] for row in archive.windows().to_pylist()]
        assert list(observations(archive, numbers, lengths)) == []
