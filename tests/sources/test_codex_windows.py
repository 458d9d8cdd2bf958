"""Windows of a Codex rollout: their facts, where they came from, where they are cut."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sources.codex_records import (
    KEY,
    NOON_MS,
    SESSION,
    conversation,
    event,
    item,
    line,
    meta,
    read,
    said,
    texts,
)
from vox.sources.base import Batch, Fidelity, ItemKind, Role, WindowDraft

PARENT = "019c4b00-0000-7000-8000-000000000001"
CHILD_TURN = "019c4b99-0000-7000-8000-000000000009"
PARENT_TURN = "019c4b01-0000-7000-8000-000000000002"


def window(batch: Batch, key: str = KEY) -> WindowDraft:
    [found] = [draft for draft in batch.windows if draft.key == key]
    return found


def spoken(batch: Batch, records: list[bytes], key: str) -> list[object]:
    return texts(records, [draft for draft in conversation(batch) if draft.window == key])


def test_the_session_says_what_its_window_is() -> None:
    batch = read(
        meta(
            timestamp="2026-02-11T11:00:00Z",
            base_instructions={"text": "You are Codex."},
            git={"commit_hash": "c0ffee", "branch": "main", "repository_url": "git@host:a.git"},
        ),
        line("turn_context", {"model": "gpt-5", "cwd": "/elsewhere"}),
        line("turn_context", {"model": "gpt-6"}),
        event("thread_name_updated", thread_id=SESSION, thread_name="Fix the build"),
    )
    assert batch.windows == [
        WindowDraft(
            key=KEY,
            title="Fix the build",
            repo="git@host:a.git",
            workspace="/repo",
            model_route="gpt-6",
            thread_id=SESSION,
            git_sha_at_open="c0ffee",
            git_branch="main",
            fidelity=Fidelity.RECORDED,
            created_at=1770807600000,
        )
    ]


def test_without_a_remote_the_workspace_is_the_repository() -> None:
    assert window(read(meta())).repo == "/repo"


def test_the_instructions_are_the_first_item() -> None:
    record = meta(base_instructions={"text": "You are Codex."}, dynamic_tools=[{"name": "t"}])
    [draft] = read(record).drafts
    assert (draft.role, draft.kind, draft.side) == (Role.SYSTEM, ItemKind.MESSAGE, False)
    assert texts([record], [draft]) == ["You are Codex."]


def test_a_fork_names_its_parent_and_says_that_it_repeats_it() -> None:
    found = window(read(meta(forked_from_id=PARENT)))
    assert (found.parent, found.link, found.replays) == (f"codex:{PARENT}", "forked_from", True)
    assert found.kind is None


def test_the_first_meta_record_names_the_session_and_a_copied_one_only_stands_beside() -> None:
    records = [
        meta(forked_from_id=PARENT, base_instructions={"text": "You are Codex."}),
        meta(PARENT, base_instructions={"text": "You are Codex."}),
        said("user", "hello"),
    ]
    batch = read(*records)
    assert {draft.window for draft in batch.drafts} == {KEY}
    assert texts(records, conversation(batch)) == ["You are Codex.", "hello"]


def test_a_copied_meta_record_tells_a_fork_that_names_no_parent() -> None:
    found = window(read(meta(), meta(PARENT), said("user", "hello")))
    assert (found.parent, found.link, found.replays) == (f"codex:{PARENT}", "forked_from", True)


@pytest.mark.parametrize(
    "more",
    [
        {"parent_thread_id": PARENT, "thread_source": "subagent"},
        {"source": {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}},
    ],
)
def test_a_sub_agent_is_linked_to_whoever_started_it(more: dict[str, Any]) -> None:
    found = window(read(meta(session_id=PARENT, **more)))
    assert (found.kind, found.parent, found.link) == ("agent", f"codex:{PARENT}", "spawned_by")
    assert not found.replays
    assert window(read(meta(**more), meta(PARENT))).replays


def test_a_sub_agent_is_called_by_its_role() -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "agent_role": "tester"}}}
    assert window(read(meta(source=source, agent_nickname="Ada"))).agent == "tester"
    assert window(read(meta(source={"subagent": "review"}))).agent == "review"


def test_junk_in_place_of_ids_links_nothing() -> None:
    junk = "[trimmed for fixture]"
    batch = read(meta(forked_from_id=junk), meta(junk), said("user", "hello"))
    assert window(batch).parent is None


def test_a_compaction_starts_a_window_with_what_the_model_was_left_with() -> None:
    history = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Sum"}]},
        {"type": "compaction", "encrypted_content": "gAAAA"},
    ]
    records = [
        meta(),
        said("user", "hello"),
        said("assistant", "hi"),
        line("compacted", {"message": "Sum", "replacement_history": history}),
        event("context_compacted"),
        said("user", "go on"),
    ]
    batch = read(*records)
    after = f"{KEY}#compact-1"
    assert window(batch, after) == WindowDraft(
        key=after,
        repo="/repo",
        workspace="/repo",
        thread_id=SESSION,
        fidelity=Fidelity.UNKNOWN,
        created_at=NOON_MS,
        parent=KEY,
        link="compacted_from",
    )
    assert spoken(batch, records, KEY) == ["hello", "hi"]
    assert spoken(batch, records, after) == ["hello", "Sum", history[2], "go on"]
    kinds = [draft.kind for draft in conversation(batch) if draft.window == after]
    assert kinds == [ItemKind.MESSAGE, ItemKind.SUMMARY, ItemKind.SUMMARY, ItemKind.MESSAGE]
    assert batch.at == {KEY: 0, after: 0}


def test_a_compaction_that_kept_only_its_summary_starts_with_it() -> None:
    records = [meta(), said("user", "hello"), line("compacted", {"message": "Sum"})]
    batch = read(*records)
    assert spoken(batch, records, f"{KEY}#compact-1") == ["Sum"]
    assert batch.drafts[-1].kind is ItemKind.SUMMARY


def test_compactions_follow_one_another() -> None:
    batch = read(meta(), line("compacted", {"message": "a"}), line("compacted", {"message": "b"}))
    assert window(batch, f"{KEY}#compact-2").parent == f"{KEY}#compact-1"


TURNS = [
    meta(base_instructions={"text": "You are Codex."}),
    said("user", "<environment_context>\n<cwd>/repo</cwd>"),
    said("user", "one"),
    said("assistant", "1"),
    event("token_count", info=None),
    said("user", "two"),
    said("assistant", "2"),
    said("user", "three"),
    said("assistant", "3"),
]


@pytest.mark.parametrize(("turns", "cut"), [(1, 7), (2, 5), (3, 2), (9, 2)])
def test_a_rollback_goes_on_in_a_sibling_that_shares_what_was_kept(turns: int, cut: int) -> None:
    records = [
        *TURNS,
        event("thread_rolled_back", num_turns=turns),
        said("user", "instead"),
    ]
    batch = read(*records)
    sibling = f"{KEY}#rollback-1"
    found = window(batch, sibling)
    assert (found.parent, found.link, found.shares) == (KEY, "forked_from", cut)
    assert batch.at[sibling] == cut
    assert spoken(batch, records, KEY)[-1] == "3"
    assert spoken(batch, records, sibling) == ["instead"]


def test_a_second_rollback_counts_the_turns_that_are_left() -> None:
    records = [
        *TURNS,
        event("thread_rolled_back", num_turns=2),
        said("user", "instead"),
        event("thread_rolled_back", num_turns=2),
        said("user", "at last"),
    ]
    batch = read(*records)
    found = window(batch, f"{KEY}#rollback-2")
    assert (found.parent, found.shares) == (f"{KEY}#rollback-1", 2)


def test_a_rollback_after_a_compaction_cuts_the_compacted_window() -> None:
    history = [{"type": "message", "role": "user", "content": "one"}]
    records = [
        *TURNS,
        line("compacted", {"message": "Sum", "replacement_history": history}),
        said("user", "four"),
        said("user", "five"),
        event("thread_rolled_back", num_turns=1),
        said("user", "six"),
    ]
    found = window(read(*records), f"{KEY}#rollback-1")
    assert (found.parent, found.shares) == (f"{KEY}#compact-1", 3)


@pytest.mark.parametrize("turns", [0, 1])
def test_a_rollback_of_nothing_changes_nothing(turns: int) -> None:
    batch = read(meta(), event("thread_rolled_back", num_turns=turns), said("user", "hello"))
    assert {draft.window for draft in batch.drafts} == {KEY}


def test_the_title_of_a_repeated_session_is_not_the_forks() -> None:
    batch = read(meta(forked_from_id=PARENT), event("thread_name_updated", thread_id=PARENT,
                                                    thread_name="Other"))  # fmt: skip
    assert window(batch).title is None


def test_a_turn_by_another_agent_can_be_rolled_back() -> None:
    content = [{"type": "input_text", "text": "do it"}]
    records = [
        meta(),
        item("agent_message", author="/root", content=content),
        said("assistant", "done"),
        event("thread_rolled_back", num_turns=1),
    ]
    assert window(read(*records), f"{KEY}#rollback-1").shares == 1
