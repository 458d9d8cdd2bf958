"""Which windows Claude Code's records make: branches, agents, compactions, islands, resuming."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vox.sources.base import Batch, Draft, Fidelity, ItemKind, WindowDraft
from vox.sources.claude_code import ClaudeCode

SOURCE = ClaudeCode()
BASE = "claude-code:s"


def nothing() -> Iterator[bytes]:
    return iter(())


def record(kind: str, uuid: str, parent: str | None, **fields: Any) -> bytes:
    head = {"type": kind, "sessionId": "s", "uuid": uuid, "parentUuid": parent}
    return json.dumps({**head, **fields}).encode()


def prompt(uuid: str, parent: str | None, **fields: Any) -> bytes:
    return record("user", uuid, parent, message={"content": uuid}, **fields)


def answer(uuid: str, parent: str | None, message: str = "", **fields: Any) -> bytes:
    block = {"type": "tool_use", "id": "t" + uuid, "name": "Bash", "input": {}}
    content = {"id": message or "m" + uuid, "content": [block]}
    return record("assistant", uuid, parent, requestId="r", message=content, **fields)


def result(uuid: str, parent: str | None, **fields: Any) -> bytes:
    block = {"type": "tool_result", "tool_use_id": "t" + str(parent), "content": uuid}
    return record("user", uuid, parent, message={"content": [block]}, **fields)


def progress(uuid: str, parent: str | None, **fields: Any) -> bytes:
    return record("progress", uuid, parent, data={"type": "hook_progress"}, **fields)


def read(*records: bytes, path: Path = Path("s.jsonl")) -> Batch:
    return SOURCE.reader(path, None, nothing).read(records)


def paths(batch: Batch, *records: bytes) -> dict[str, list[str]]:
    """uuids of the records in each window, without what it shares with its parent."""
    told: dict[str, list[str]] = defaultdict(list)
    for draft in batch.drafts:
        told[draft.window.removeprefix(BASE)].append(json.loads(records[draft.record])["uuid"])
    return dict(told)


def window(batch: Batch, key: str) -> WindowDraft:
    (found,) = [window for window in batch.windows if window.key == BASE + key]
    return found


def test_a_straight_conversation_is_one_window() -> None:
    records = [prompt("a", None), answer("b", "a"), result("c", "b"), answer("d", "c")]
    batch = read(*records)
    assert paths(batch, *records) == {"": ["a", "b", "c", "d"]}
    assert window(batch, "").parent is None


def test_results_of_parallel_tools_stay_on_the_path() -> None:
    records = [
        prompt("a", None),
        answer("b1", "a", "m"),
        answer("b2", "b1", "m"),
        progress("p1", "b1"),
        result("c1", "b1"),
        progress("p2", "b2"),
        result("c2", "b2"),
        answer("d", "c2"),
    ]
    assert list(paths(read(*records), *records)) == [""]


def test_a_response_that_goes_on_while_its_tools_answer_stays_on_the_path() -> None:
    records = [
        prompt("a", None),
        answer("b1", "a", "m"),
        result("c1", "b1"),
        answer("b2", "b1", "m"),
        result("c2", "b2"),
        answer("d", "c1"),
    ]
    assert list(paths(read(*records), *records)) == [""]


def test_lines_of_one_response_that_all_name_the_prompt_stay_on_the_path() -> None:
    records = [
        prompt("a", None),
        answer("b1", "a", "m"),
        answer("b2", "a", "m"),
        result("c1", "b1"),
        answer("d", "c1"),
    ]
    assert list(paths(read(*records), *records)) == [""]


def test_a_late_result_joins_the_response_it_answers_after_the_user_broke_in() -> None:
    records = [
        prompt("a", None),
        answer("b", "a"),
        prompt("stop", "b"),
        result("c", "b"),
        prompt("e", "c"),
    ]
    assert list(paths(read(*records), *records)) == [""]


def test_an_edited_prompt_opens_a_sibling_that_shares_the_beginning() -> None:
    records = [
        prompt("a", None),
        answer("b", "a"),
        prompt("c", "b"),
        answer("d", "c"),
        prompt("c2", "b"),
        answer("d2", "c2"),
    ]
    batch = read(*records)
    assert paths(batch, *records) == {"": ["a", "b", "c", "d"], "#c2": ["c2", "d2"]}
    branch = window(batch, "#c2")
    assert (branch.parent, branch.link, branch.shares) == (BASE, "forked_from", 2)
    assert batch.at == {BASE: 0, BASE + "#c2": 2}


def test_a_retried_answer_opens_a_sibling() -> None:
    records = [prompt("a", None), answer("b", "a"), answer("b2", "a")]
    batch = read(*records)
    assert paths(batch, *records) == {"": ["a", "b"], "#b2": ["b2"]}
    assert window(batch, "#b2").shares == 1


def test_an_edited_first_prompt_opens_a_sibling_that_shares_nothing() -> None:
    records = [prompt("a", None), answer("b", "a"), prompt("a2", None), answer("b2", "a2")]
    batch = read(*records)
    assert paths(batch, *records) == {"": ["a", "b"], "#a2": ["a2", "b2"]}
    assert window(batch, "#a2").shares == 0


def test_a_third_try_branches_from_the_same_place() -> None:
    records = [
        prompt("a", None),
        answer("b", "a"),
        prompt("c", "b"),
        prompt("c2", "b"),
        prompt("c3", "b"),
    ]
    batch = read(*records)
    assert window(batch, "#c3").parent == BASE
    assert window(batch, "#c2").shares == window(batch, "#c3").shares == 2


def test_going_on_with_the_first_branch_appends_to_it() -> None:
    records = [
        prompt("a", None),
        answer("b", "a"),
        answer("b2", "a"),
        prompt("c2", "b2"),
        prompt("c", "b"),
    ]
    assert paths(read(*records), *records) == {"": ["a", "b", "c"], "#b2": ["b2", "c2"]}


def test_hooks_neither_split_the_path_nor_hide_a_branch() -> None:
    records = [
        progress("p0", None),
        prompt("a", "p0"),
        progress("p1", "a"),
        answer("b", "p1"),
        progress("p2", "a"),
        prompt("c", "b"),
        progress("p3", "a"),
        answer("b2", "p3"),
    ]
    batch = read(*records)
    assert paths(batch, *records) == {
        "": ["p0", "a", "p1", "b", "p2", "c", "p3"],
        "#b2": ["b2"],
    }
    assert window(batch, "#b2").shares == 2
    assert all(draft.side for draft in batch.drafts if draft.kind is ItemKind.RECORD)


def test_an_unknown_parent_makes_an_island_that_is_marked() -> None:
    records = [prompt("a", None), answer("b", "gone"), prompt("c", "b")]
    batch = read(*records)
    assert paths(batch, *records) == {"": ["a", "b", "c"]}
    assert window(batch, "").fidelity is Fidelity.INFERRED


def test_circles_of_parents_end() -> None:
    records = [prompt("a", "c"), answer("b", "a"), prompt("c", "b"), answer("d", "d")]
    batch = read(*records, *records)
    assert len(batch.drafts) == 8


def test_a_compaction_boundary_starts_a_window_linked_to_the_old_one(transcripts: Path) -> None:
    path = transcripts / "claude_code/spotter/258c7280-ae70-4798-800f-63464d01a85d.excerpt.jsonl"
    records = path.read_bytes().splitlines()
    batch = read(*records, path=path)
    old = "claude-code:258c7280-ae70-4798-800f-63464d01a85d"
    new = old + "#compact-d46d6800-2f43-4360-ba84-c1de9c1ecbae"
    assert [(w.key, w.parent, w.link) for w in batch.windows] == [
        (old, None, None),
        (new, old, "compacted_from"),
    ]
    after = [draft for draft in batch.drafts if draft.window == new]
    assert [draft.kind for draft in after[:2]] == [ItemKind.MESSAGE, ItemKind.SUMMARY]
    assert batch.at == {old: 0, new: 0}


def test_a_summary_without_a_boundary_starts_a_window_too_and_says_it_is_inferred() -> None:
    records = [prompt("a", None), answer("b", "a"), prompt("c", None, isCompactSummary=True)]
    batch = read(*records)
    compacted = window(batch, "#compact-c")
    assert (compacted.parent, compacted.link) == (BASE, "compacted_from")
    assert compacted.fidelity is Fidelity.INFERRED


def test_records_that_a_compaction_kept_lead_on_into_the_new_window() -> None:
    kept = {"preservedSegment": {"headUuid": "b", "tailUuid": "c"}}
    records = [
        prompt("a", None),
        answer("b", "a"),
        result("c", "b"),
        record(
            "system",
            "x",
            None,
            subtype="compact_boundary",
            content="Conversation compacted",
            logicalParentUuid="c",
            compactMetadata=kept,
        ),
        prompt("y", "x", isCompactSummary=True),
        answer("d", "c"),
    ]
    assert paths(read(*records), *records) == {"": ["a", "b", "c"], "#compact-x": ["x", "y", "d"]}


def test_a_named_side_conversation_is_an_agents_window() -> None:
    side = {"isSidechain": True, "agentId": "7"}
    records = [prompt("a", None), answer("b", "a"), prompt("x", None, **side), result("c", "b")]
    batch = read(*records)
    assert paths(batch, *records) == {"": ["a", "b", "c"], "/agent-7": ["x"]}
    agent = window(batch, "/agent-7")
    assert (agent.kind, agent.parent, agent.link) == ("agent", BASE, "spawned_by")


def test_side_conversations_without_names_are_told_apart_by_their_parents() -> None:
    records = [
        prompt("a", None),
        prompt("x", None, isSidechain=True),
        prompt("y", None, isSidechain=True),
        answer("x2", "x", isSidechain=True),
        answer("y2", "y", isSidechain=True),
        answer("b", "a"),
    ]
    assert paths(read(*records), *records) == {
        "": ["a", "b"],
        "/agent-x": ["x", "x2"],
        "/agent-y": ["y", "y2"],
    }


def test_an_agents_file_is_a_window_linked_to_its_session(tmp_path: Path) -> None:
    folder = tmp_path / "s" / "subagents"
    folder.mkdir(parents=True)
    sidecar = {"agentType": "Explore", "description": "Find it", "spawnDepth": 1}
    (folder / "agent-7.meta.json").write_text(json.dumps(sidecar))
    path = folder / "agent-7.jsonl"
    batch = read(prompt("x", None, isSidechain=True, agentId="7", version="2"), path=path)
    agent = window(batch, "/agent-7")
    assert (agent.kind, agent.parent, agent.link) == ("agent", BASE, "spawned_by")
    assert (agent.agent, agent.title) == ("Explore", "Find it")


def test_sessions_in_one_file_are_windows_of_their_own_and_one_that_goes_on_is_a_fork() -> None:
    records = [
        prompt("a", None),
        answer("b", "a"),
        prompt("x", None, sessionId="other"),
        prompt("c", "b", sessionId="later"),
    ]
    batch = read(*records)
    later = next(window for window in batch.windows if window.key == "claude-code:later")
    assert (later.parent, later.link, later.shares) == (BASE, "forked_from", 2)
    other = next(window for window in batch.windows if window.key == "claude-code:other")
    assert other.parent is None


def test_records_before_the_first_session_belong_to_it() -> None:
    batch = read(b'{"type":"file-history-snapshot"}', prompt("a", None), path=Path("x.jsonl"))
    assert {draft.window for draft in batch.drafts} == {BASE}


def test_a_fork_in_another_file_gives_the_same_items() -> None:
    first = [prompt("a", None), answer("b", "a"), result("c", "b")]
    fork = [json.dumps({**json.loads(r), "sessionId": "f"}).encode() for r in first]
    one, two = read(*first), read(*fork, path=Path("f.jsonl"))

    def bare(draft: Draft) -> tuple[Any, ...]:
        return (draft.record, draft.role, draft.kind, draft.body, draft.created_at, draft.name)

    assert [bare(draft) for draft in one.drafts] == [bare(draft) for draft in two.drafts]
    assert two.at == {"claude-code:f": 0}


def parts(records: list[bytes], cuts: list[int]) -> list[Batch]:
    """The batches of reading up to each cut with a new reader that has only the state."""
    batches: list[Batch] = []
    state: bytes | None = None
    edges = [0, *sorted({cut % (len(records) + 1) for cut in cuts}), len(records)]
    for start, end in pairwise(edges):

        def earlier(start: int = start) -> Iterator[bytes]:
            return iter(records[:start])

        reader = SOURCE.reader(Path("s.jsonl"), state, earlier)
        batches.append(reader.read(records[start:end]))
        state = batches[-1].state
    return batches


def flat(batches: list[Batch]) -> list[tuple[Any, ...]]:
    """Every item with its window and ordinal, wherever the batches were cut."""
    told: list[tuple[Any, ...]] = []
    for batch in batches:
        ordinals = dict(batch.at)
        for draft in batch.drafts:
            told.append((draft.window, ordinals[draft.window], draft.kind, draft.body, draft.name))
            ordinals[draft.window] += 1
    return told


BRANCHED = [
    prompt("a", None),
    answer("b", "a"),
    progress("p", "b"),
    result("c", "b"),
    prompt("d", "c"),
    answer("e", "d"),
    prompt("d2", "c"),
    answer("e2", "d2"),
    prompt("x", None, isSidechain=True),
    answer("x2", "x", isSidechain=True),
    record("system", "k", None, subtype="compact_boundary", logicalParentUuid="e2", content="-"),
    prompt("l", "k", isCompactSummary=True),
    answer("m", "l"),
    prompt("d3", "c"),
    answer("e3", "gone"),
    prompt("f", "e"),
    result("c2", "b"),
]


@given(st.lists(st.integers(0, len(BRANCHED)), max_size=6))
def test_it_makes_no_difference_where_an_import_stops_and_goes_on(cuts: list[int]) -> None:
    assert flat(parts(BRANCHED, cuts)) == flat(parts(BRANCHED, []))


@st.composite
def tangles(draw: st.DrawFn) -> list[bytes]:
    """Records whose parents may be any record, none, unknown, later or themselves; uuids recur."""
    several = st.sampled_from(["u0", "u1", "u2", "u3", "u4"])
    distinct = st.integers(1, 14).map(lambda count: [f"u{number}" for number in range(count)])
    uuids = draw(distinct | st.lists(several, min_size=1, max_size=14))
    makers = st.sampled_from([prompt, answer, result, progress])
    made = []
    for uuid in uuids:
        parent = draw(st.sampled_from([*uuids, None, "gone"]))
        fields: dict[str, Any] = {}
        if draw(st.integers(0, 5)) == 0:
            fields["isSidechain"] = True
        if draw(st.integers(0, 9)) == 0:
            fields["isCompactSummary"] = True
        maker = draw(makers)
        if draw(st.integers(0, 9)) == 0:
            made.append(record("system", uuid, None, subtype="compact_boundary"))
        elif maker is answer:
            made.append(answer(uuid, parent, draw(st.sampled_from(["", "m"])), **fields))
        else:
            made.append(maker(uuid, parent, **fields))
    return made


@given(tangles(), st.lists(st.integers(0, 14), max_size=3))
def test_however_tangled_each_record_stands_once_and_windows_have_no_holes(
    records: list[bytes], cuts: list[int]
) -> None:
    batches = parts(records, cuts)
    assert flat(batches) == flat(parts(records, []))
    drafts = [json.loads(records[d.record])["uuid"] for d in read(*records).drafts]
    assert drafts == [json.loads(record)["uuid"] for record in records]

    lengths: dict[str, int] = {}
    for batch in batches:
        for opened in batch.windows:
            if opened.key not in lengths:
                lengths[opened.key] = opened.shares
        for key, first in batch.at.items():
            assert first == lengths[key]
        for draft in batch.drafts:
            lengths[draft.window] += 1
        for opened in batch.windows:
            assert opened.shares <= lengths.get(opened.parent or "", 0)


def test_going_on_at_the_tip_never_looks_back() -> None:
    records = [prompt("a", None), answer("b", "a"), progress("p", "b")]
    first = read(*records)

    def looked_back() -> Iterator[bytes]:
        raise AssertionError("read again")

    reader = SOURCE.reader(Path("s.jsonl"), first.state, looked_back)
    assert len(reader.read([result("c", "b"), answer("d", "c")]).drafts) == 2


def test_going_back_after_resuming_reads_the_file_once() -> None:
    records = [prompt("a", None), answer("b", "a"), prompt("c", "b"), answer("d", "c")]
    first = read(*records)
    times: list[int] = []

    def earlier() -> Iterator[bytes]:
        times.append(1)
        return iter(records)

    reader = SOURCE.reader(Path("s.jsonl"), first.state, earlier)
    batch = reader.read([prompt("c2", "b"), prompt("c3", "b"), prompt("x", "gone")])
    assert window(batch, "#c2").shares == 2
    assert times == [1]


def test_the_state_stays_small_on_a_long_file() -> None:
    records = [prompt("u0", None)]
    for turn in range(3_000):
        records += [answer(f"v{turn}", f"u{turn}"), prompt(f"u{turn + 1}", f"v{turn}")]
    assert len(read(*records).state) < 4_000


@pytest.mark.parametrize(
    ("name", "line", "expected"),
    [
        ("s.jsonl", prompt("a", None), True),
        ("s.jsonl", b'{"type":"summary","summary":"x","leafUuid":"y"}', True),
        ("s.jsonl", b'{"type":"file-history-snapshot","snapshot":{}}', True),
        ("s.json", b'{"loglines": [\n', True),
        ("s.jsonl", record("user", "a", None, message={"content": "x" * 70_000})[:65_536], True),
        ("s.jsonl", b'{"type":"user","message":{"role":"user","parts":[]},"uuid":"u"}', False),
        ("s.jsonl", b'{"timestamp":"x","type":"response_item","payload":{}}', False),
        ("s.jsonl", b'{"display":"/clear","project":"/x","timestamp":1}', False),
        ("s.jsonl", b"", False),
        ("s.jsonl", b"# Notes", False),
        ("s.txt", prompt("a", None), False),
        ("journal.jsonl", prompt("a", None), False),
        ("agent-1.meta.json", prompt("a", None), False),
    ],
)
def test_transcripts_are_told_by_what_they_hold(name: str, line: bytes, expected: bool) -> None:
    assert SOURCE.recognises(Path(name), line) is expected


def test_a_session_is_discovered_before_its_agents_and_spilled_output_is_not(
    tmp_path: Path,
) -> None:
    for name in (
        "p/s/subagents/agent-1.jsonl",
        "p/s/subagents/agent-1.meta.json",
        "p/s/subagents/workflows/w/journal.jsonl",
        "p/s/tool-results/t.json",
        "p/s.jsonl",
        "p/notes.txt",
        "q/agent-2.jsonl",
        "q/f.jsonl",
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    found = [path.relative_to(tmp_path).as_posix() for path in SOURCE.discover(tmp_path)]
    sessions = ["p/s.jsonl", "p/s/subagents/agent-1.jsonl", "q/f.jsonl", "q/agent-2.jsonl"]
    assert found == sessions


def test_the_root_follows_the_tools_own_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    assert SOURCE.roots() == [tmp_path / "projects"]
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    assert Path.home() / ".claude" / "projects" in SOURCE.roots()
