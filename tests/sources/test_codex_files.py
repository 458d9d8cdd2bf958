"""Codex rollouts as files: which they are, all of the examples, and reading on after an append."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import corpus
from tests.sources.codex_records import (
    ROLLOUT,
    event,
    item,
    line,
    meta,
    read,
    said,
)
from tests.sources.count_codex import Count
from tests.sources.drafts import value_at
from tests.sources.test_codex_usage import FIRST, LAST, SECOND, STARTED, count
from vox.sources.base import Batch, Form, UsageDraft
from vox.sources.codex import Codex

DATA = corpus.EXAMPLES / "codex"


def rollouts(folder: Path) -> list[Path]:
    found = Codex().discover(folder)
    return [path for path in found if Codex().recognises(path, path.read_bytes()[:65_536])]


FOUND = [path for folder in corpus.folders("codex") for path in rollouts(folder)]
EXAMPLES = sorted(set(FOUND) & set(corpus.files("codex")))


def records_of(path: Path) -> list[bytes]:
    return [record for record in path.read_bytes().split(b"\n") if record.strip()]


def test_every_example_is_found_but_what_is_no_transcript() -> None:
    found = {path.relative_to(DATA).as_posix() for path in rollouts(DATA)}
    every = {path.relative_to(DATA).as_posix() for path in DATA.rglob("*.jsonl")}
    assert every - found == {"codemie-code/expected-conversation.jsonl"}


@pytest.mark.parametrize("path", EXAMPLES, ids=corpus.name_of)
def test_an_example_has_the_records_and_items_of_an_independent_count(path: Path) -> None:
    batch = Codex().reader(path, None, lambda: iter(())).read(records_of(path))
    expected = Count(path.read_bytes())
    assert batch.record_types == dict(expected.types)
    assert Counter(draft.kind.name.lower() for draft in batch.drafts) == +expected.kinds
    assert sum(draft.side for draft in batch.drafts) == expected.side
    assert batch.rejected == []


@pytest.mark.parametrize("path", EXAMPLES, ids=corpus.name_of)
def test_every_record_of_an_example_gives_an_item_that_stands_where_it_says(path: Path) -> None:
    records = records_of(path)
    batch = Codex().reader(path, None, lambda: iter(())).read(records)
    assert {draft.record for draft in batch.drafts} == set(range(len(records)))
    for draft in batch.drafts:
        value = value_at(records[draft.record], draft)
        if draft.form is Form.SLICE:
            assert isinstance(value, dict | list)
        else:
            assert isinstance(value, str)


def test_every_use_in_the_real_session_adds_up_to_its_totals() -> None:
    [path] = DATA.glob("live-*/rollout-*.jsonl")
    usage = Codex().reader(path, None, lambda: iter(())).read(records_of(path)).usage
    totals = [
        json.loads(record)["payload"]["thread_token_usage"]
        for record in records_of(path)
        if b'"type":"token_usage_record"' in record
    ]
    assert sum(found.input + found.cache_read for found in usage) == totals[-1]["input_tokens"]
    assert sum(found.output for found in usage) == totals[-1]["output_tokens"]
    assert len({found.key for found in usage}) == len(totals)


LONG = [
    meta(forked_from_id="019c4b00-0000-7000-8000-000000000001"),
    meta("019c4b00-0000-7000-8000-000000000001"),
    event("user_message", message="early"),
    said("user", "early"),
    STARTED,
    line("turn_context", {"model": "gpt-5"}),
    item("function_call", name="shell", arguments="{}", call_id="c"),
    count(FIRST, FIRST),
    item("function_call_output", call_id="c", output="ok"),
    count(FIRST, FIRST),
    b"[]",
    said("user", "two"),
    event("thread_rolled_back", num_turns=1),
    said("user", "three"),
    line("token_usage_record", {"usage": LAST, "thread_token_usage": SECOND}),
    count(SECOND, LAST),
    line("compacted", {"message": "Sum", "replacement_history": None}),
    event("turn.completed", usage=LAST),
    said("user", "four"),
    said("assistant", "4"),
    event("thread_name_updated", thread_name="Named"),
    event("thread_rolled_back", num_turns=1),
    said("user", "five"),
]


def folded(batches: list[tuple[int, Batch]]) -> tuple[object, ...]:
    """What an archive has after these batches, each with the number of its first record."""
    windows: dict[str, dict[str, object]] = {}
    drafts: list[tuple[object, ...]] = []
    usage: list[UsageDraft] = []
    rejected: list[tuple[int, str]] = []
    types: Counter[str] = Counter()
    counts: dict[str, int] = {}
    for start, batch in batches:
        for window in batch.windows:
            facts = windows.setdefault(window.key, {})
            for name in window.__struct_fields__:
                value = getattr(window, name)
                if value or (name == "fidelity" and value is not None):
                    facts[name] = value
            counts.setdefault(window.key, window.shares)
        assert batch.at == {draft.window: counts[draft.window] for draft in reversed(batch.drafts)}
        for draft in batch.drafts:
            counts[draft.window] += 1
            fields = [getattr(draft, name) for name in draft.__struct_fields__]
            drafts.append((start + draft.record, *fields[:1], *fields[2:]))
        usage += batch.usage
        rejected += [(start + found.record, found.reason) for found in batch.rejected]
        types.update(batch.record_types)
    return windows, drafts, usage, rejected, types, batches[-1][1].state


@given(st.sets(st.integers(1, len(LONG) - 1)))
def test_an_import_goes_on_at_any_record_as_if_it_had_never_stopped(cuts: set[int]) -> None:
    bounds = [0, *sorted(cuts), len(LONG)]
    batches: list[tuple[int, Batch]] = []
    state: bytes | None = None
    for start, end in itertools.pairwise(bounds):
        batch = Codex().reader(ROLLOUT, state, lambda: iter(())).read(LONG[start:end])
        state = batch.state
        batches.append((start, batch))
    assert folded(batches) == folded([(0, read(*LONG))])


def test_the_state_stays_small() -> None:
    calls = [
        item("function_call", name="shell", arguments="{}", call_id=f"c{number}")
        for number in range(5000)
    ]
    assert len(read(meta(), *calls).state) < 16_384


def test_the_home_folder_is_the_tools_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", "/srv/codex")
    assert Codex().roots() == [Path("/srv/codex")]
    monkeypatch.delenv("CODEX_HOME")
    assert Codex().roots() == [Path.home() / ".codex"]


def test_a_home_is_searched_for_live_and_archived_sessions_oldest_first(tmp_path: Path) -> None:
    later = tmp_path / "sessions" / "2026" / "02" / "11" / ROLLOUT
    earlier = tmp_path / "archived_sessions" / "rollout-2025-01-01T00-00-00-x.jsonl"
    other = tmp_path / "worktrees" / "rollout-2024-01-01T00-00-00-y.jsonl"
    history = tmp_path / "sessions" / "history.jsonl"
    for path in (later, earlier, other):
        path.parent.mkdir(parents=True)
        path.write_bytes(meta())
    history.write_bytes(b'{"session_id":"x","ts":1,"text":"run"}\n')
    assert rollouts(tmp_path) == [earlier, later]


def test_a_plain_rollout_is_preferred_to_its_compressed_copy(tmp_path: Path) -> None:
    plain, packed = tmp_path / "rollout-1.jsonl", tmp_path / "rollout-1.jsonl.zst"
    alone = tmp_path / "rollout-2.jsonl.zst"
    plain.write_bytes(meta())
    for path in (packed, alone):
        path.write_bytes(b"\x28\xb5\x2f\xfd rest of a frame")
    assert list(Codex().discover(tmp_path)) == [plain, alone]


@pytest.mark.parametrize(
    ("name", "head", "answer"),
    [
        ("anything.jsonl", meta(), True),
        ("anything.jsonl", b'{"id":"a","timestamp":"t","instructions":null}\n', True),
        ("anything.jsonl", b'{"timestamp":"t","role":"user","content":"hi"}\n', True),
        ("anything.json", meta(), False),
        ("a.jsonl", b'{"type":"user","uuid":"u","timestamp":"t","message":{}}\n', False),
        ("a.jsonl", b'{"role":"user","message":{"content":[]}}\n', False),
        ("a.jsonl", b'{"type":{},"payload":{}}\n', False),
        ("a.jsonl", b'{"timestamp":"t","role":"user","content":"hi","type":[]}\n', False),
        ("session_index.jsonl", b'{"id":"a","thread_name":"n","updated_at":"t"}\n', False),
        ("state_5.sqlite", b"SQLite format 3\x00", False),
        ("empty.jsonl", b"", False),
        ("rollout-1.jsonl", meta(base_instructions={"text": "x" * 70_000})[: 64 * 1024], True),
    ],
)
def test_a_rollout_is_told_by_its_content(name: str, head: bytes, answer: bool) -> None:
    assert Codex().recognises(Path(name), head) is answer


def test_a_file_that_names_no_session_is_named_after_itself_and_its_first_record() -> None:
    named = read(said("user", "hi")).windows[0].key
    assert named == "codex:019c4b43-1451-7af3-be4c-5576369bf1ba"
    keys = {read(said("user", text), path=Path("s.jsonl")).windows[0].key for text in ("a", "b")}
    assert len(keys) == 2
