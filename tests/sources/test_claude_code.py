"""What Claude Code's records mean: items, usage and facts. Windows have a file of their own."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.sources.drafts import value_at
from vox.sources.base import Batch, Form, ItemKind, Role
from vox.sources.claude_code import ClaudeCode

SOURCE = ClaudeCode()


def line(**fields: Any) -> bytes:
    return json.dumps({"sessionId": "s", "uuid": "u", **fields}).encode()


def user(content: Any, **fields: Any) -> bytes:
    return line(type="user", message={"role": "user", "content": content}, **fields)


def assistant(content: Any, message: dict[str, Any] | None = None, **fields: Any) -> bytes:
    said = {"role": "assistant", "id": "m", "model": "claude-x", "content": content}
    return line(type="assistant", message={**said, **(message or {})}, **fields)


def read(*records: bytes, path: Path = Path("s.jsonl")) -> Batch:
    return SOURCE.reader(path, None, lambda: iter(())).read(records)


def shown(batch: Batch, *records: bytes) -> list[tuple[str, str, Any, str | None]]:
    """Role, kind, value and name of each item."""
    return [
        (
            draft.role.name.lower(),
            draft.kind.name.lower(),
            value_at(records[draft.record], draft) if draft.body is not None else "whole",
            draft.name,
        )
        for draft in batch.drafts
    ]


def items(record: bytes) -> list[tuple[str, str, Any, str | None]]:
    return shown(read(record), record)


def test_a_prompt_is_a_message_whether_it_is_text_or_blocks() -> None:
    assert items(user("hello")) == [("user", "message", "hello", None)]
    blocks = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    assert items(user(blocks)) == [
        ("user", "message", "one", None),
        ("user", "message", "two", None),
    ]
    assert items(user("injected", isMeta=True)) == [("user", "message", "injected", None)]


def test_an_answer_gives_one_item_for_each_block() -> None:
    record = assistant(
        [
            {"type": "thinking", "thinking": "hm", "signature": "x"},
            {"type": "redacted_thinking", "data": "sealed"},
            {"type": "text", "text": "done"},
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
            {"type": "server_tool_use", "id": "t2", "name": "web_search", "input": {"query": "q"}},
        ]
    )
    assert items(record) == [
        ("assistant", "reasoning", "hm", "claude-x"),
        ("assistant", "reasoning", "sealed", "claude-x"),
        ("assistant", "message", "done", "claude-x"),
        ("assistant", "tool_call", {"command": "ls"}, "Bash"),
        ("assistant", "tool_call", {"query": "q"}, "web_search"),
    ]
    forms = [draft.form for draft in read(record).drafts]
    assert forms == [Form.STRING, Form.STRING, Form.STRING, Form.SLICE, Form.SLICE]


def test_a_result_is_named_after_the_tool_that_was_called_even_in_a_later_import() -> None:
    call = assistant([{"type": "tool_use", "id": "t1", "name": "Read", "input": {}}], uuid="a")
    result = user(
        [{"type": "tool_result", "tool_use_id": "t1", "content": "text"}],
        uuid="b",
        parentUuid="a",
        toolUseResult={"stdout": "text"},
    )
    first = SOURCE.reader(Path("s.jsonl"), None, lambda: iter(())).read([call])
    second = SOURCE.reader(Path("s.jsonl"), first.state, lambda: iter([call])).read([result])
    assert shown(second, result) == [("tool", "tool_result", "text", "Read")]
    assert second.at == {"claude-code:s": 1}


def test_a_result_of_several_blocks_gives_an_item_for_each() -> None:
    image = {"type": "base64", "media_type": "image/png", "data": "aGk="}
    content = [
        {"type": "text", "text": "one"},
        {"type": "image", "source": image},
        {"type": "tool_reference", "tool_name": "x"},
    ]
    batch = read(user([{"type": "tool_result", "tool_use_id": "?", "content": content}]))
    assert [(d.role, d.kind, d.form, d.name) for d in batch.drafts] == [
        (Role.TOOL, ItemKind.TOOL_RESULT, Form.STRING, None),
        (Role.TOOL, ItemKind.ATTACHMENT, Form.BASE64, "image/png"),
        (Role.TOOL, ItemKind.TOOL_RESULT, Form.SLICE, None),
    ]


@pytest.mark.parametrize("empty", ["", [], None])
def test_an_empty_result_still_answers_its_call(empty: Any) -> None:
    batch = read(user([{"type": "tool_result", "tool_use_id": "t", "content": empty}]))
    assert [draft.kind for draft in batch.drafts] == [ItemKind.TOOL_RESULT]
    assert batch.drafts[0].body is not None


def test_results_of_tools_run_by_the_provider_are_results() -> None:
    found = [{"type": "web_search_result", "url": "u"}]
    record = assistant([{"type": "web_search_tool_result", "tool_use_id": "t", "content": found}])
    assert items(record) == [("tool", "tool_result", found, None)]


def test_images_and_documents_are_attachments_decoded_from_base64() -> None:
    data = base64.b64encode(b"\x89PNG").decode()
    record = user(
        [
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": data},
            },
            {
                "type": "document",
                "source": {"type": "text", "media_type": "text/plain", "data": "plain"},
            },
            {"type": "image", "source": {"type": "url", "url": "https://example.invalid/a.png"}},
        ]
    )
    batch = read(record)
    assert [(d.kind, d.form, d.name) for d in batch.drafts] == [
        (ItemKind.ATTACHMENT, Form.BASE64, "image/png"),
        (ItemKind.ATTACHMENT, Form.STRING, "text/plain"),
        (ItemKind.ATTACHMENT, Form.SLICE, None),
    ]
    assert value_at(record, batch.drafts[0]) == data
    assert value_at(record, batch.drafts[1]) == "plain"


@pytest.mark.parametrize(
    ("copy", "place"),
    [
        ({"type": "image", "file": {"base64": "aGk="}}, ("file", "base64")),
        (
            [{"type": "text", "text": "x"}, {"source": {"type": "base64", "data": "aGk="}}],
            (1, "source", "data"),
        ),
    ],
)
def test_an_image_in_the_tools_own_result_is_cut_out_beside_the_conversation(
    copy: Any, place: tuple[Any, ...]
) -> None:
    source = {"type": "base64", "media_type": "image/png", "data": "aGk="}
    content = [{"type": "image", "source": source}]
    result = [{"type": "tool_result", "tool_use_id": "t", "content": content}]
    shown, copied = read(user(result, toolUseResult=copy)).drafts
    assert (shown.kind, shown.form, shown.side) == (ItemKind.ATTACHMENT, Form.BASE64, False)
    assert (copied.kind, copied.form, copied.side) == (ItemKind.RECORD, Form.BASE64, True)
    assert copied.body == ("toolUseResult", *place)


def test_a_block_of_an_unknown_type_is_carried_as_its_slice() -> None:
    for block in ({"type": "fallback", "to": "y"}, {"no": "type"}, 7, ["a"], "bare", None):
        record = assistant([block])
        assert items(record) == [("assistant", "message", block, "claude-x")]
        assert read(record).drafts[0].form is Form.SLICE


def test_the_summary_of_a_compaction_is_a_summary() -> None:
    assert items(user("So far: …", isCompactSummary=True)) == [
        ("user", "summary", "So far: …", None)
    ]


def test_a_notice_with_text_is_a_system_message_and_one_without_is_a_record() -> None:
    assert items(line(type="system", subtype="local_command", content="<x>")) == [
        ("system", "message", "<x>", None)
    ]
    assert items(line(type="system", subtype="turn_duration", durationMs=3)) == [
        ("system", "record", "whole", None)
    ]


def test_a_queued_prompt_is_what_the_user_said_and_other_attachments_are_attachments() -> None:
    queued = {"type": "queued_command", "prompt": "also this", "commandMode": "prompt"}
    assert items(line(type="attachment", attachment=queued)) == [
        ("user", "message", "also this", None)
    ]
    file = {"type": "file", "filename": "a", "content": {"type": "text"}}
    assert items(line(type="attachment", attachment=file)) == [
        ("system", "attachment", file, "file")
    ]


@pytest.mark.parametrize(
    "record",
    [
        user([]),
        user(""),
        user(None),
        line(type="user"),
        line(type="user", message="text"),
        line(type="attachment", attachment=[1]),
        line(type="attachment"),
        line(type="never-seen", anything={"a": 1}),
        line(type=5),
        b"{}",
    ],
)
def test_a_record_without_items_is_carried_whole_beside_the_conversation(record: bytes) -> None:
    (draft,) = read(record).drafts
    assert (draft.body, draft.kind, draft.role) == (None, ItemKind.RECORD, Role.SYSTEM)
    assert draft.side


def test_fields_of_unexpected_types_do_not_lose_the_message() -> None:
    record = user("kept", timestamp=["x"], cwd=3, isSidechain="no", version={"a": 1})
    batch = read(record)
    assert shown(batch, record) == [("user", "message", "kept", None)]
    assert batch.drafts[0].created_at is None


def test_lone_surrogates_and_broken_utf8_are_no_reason_to_drop_a_record() -> None:
    surrogate = rb'{"type":"user","sessionId":"s","cwd":"/a\ud800","message":{"content":"x\udc00"}}'
    broken = b'{"type":"user","sessionId":"s","cwd":"/a\xff","message":{"content":"y"}}'
    batch = read(surrogate, broken)
    assert [draft.body for draft in batch.drafts] == [("message", "content")] * 2
    assert batch.rejected == []
    assert batch.windows[0].workspace == "/a\ufffd"


def test_what_is_no_record_is_rejected_with_its_reason_and_the_rest_goes_on() -> None:
    deep = b'{"type":"user","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    batch = read(b"[1]", b"{cut", user("fine"), b'"text"', deep)
    assert [(r.record, r.reason) for r in batch.rejected] == [
        (0, "not_a_record"),
        (1, "malformed"),
        (3, "not_a_record"),
        (4, "too_deep"),
    ]
    assert [draft.record for draft in batch.drafts] == [2]


def test_record_types_are_counted_as_the_tool_names_them() -> None:
    records = [user("a"), user("b"), line(type="system", subtype="api_error"), line(type="mode")]
    assert read(*records, b"{}").record_types == {
        "user": 2,
        "system/api_error": 1,
        "mode": 1,
        "untyped": 1,
    }


USAGE = {
    "input_tokens": 3,
    "output_tokens": 1,
    "cache_read_input_tokens": 100,
    "cache_creation_input_tokens": 30,
    "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20},
}


def test_a_response_over_several_lines_is_one_report_and_the_largest_stays() -> None:
    lines = [
        assistant("a", {"usage": {**USAGE, "output_tokens": tokens}}, requestId="r", uuid=uuid)
        for tokens, uuid in ((1, "a1"), (9, "a2"), (4, "a3"))
    ]
    (usage,) = read(*lines).usage
    assert usage.key == "anthropic:m:r"
    assert (usage.input, usage.output, usage.cache_read) == (3, 9, 100)
    assert (usage.cache_write, usage.cache_write_1h) == (10, 20)
    assert usage.cost_nano_usd is None


def test_a_recorded_cost_is_kept_in_billionths_of_a_dollar() -> None:
    (usage,) = read(assistant("a", {"usage": USAGE}, costUSD=0.125)).usage
    assert usage.cost_nano_usd == 125_000_000


def test_a_cost_is_kept_without_tokens_and_when_a_larger_report_has_none() -> None:
    (alone,) = read(assistant("a", costUSD=0.5)).usage
    assert (alone.output, alone.cost_nano_usd) == (0, 500_000_000)
    first = assistant("a", {"usage": USAGE}, requestId="r", costUSD=0.5, uuid="a1")
    larger = assistant("b", {"usage": {**USAGE, "output_tokens": 9}}, requestId="r", uuid="a2")
    for lines in ([first, larger], [larger, first]):
        (usage,) = read(*lines).usage
        assert (usage.output, usage.cost_nano_usd) == (9, 500_000_000)


def test_a_message_id_that_a_gateway_repeats_is_not_one_response() -> None:
    ended = {"usage": USAGE, "stop_reason": "tool_use"}
    result = [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]
    batch = read(
        assistant("a", {"usage": USAGE}, uuid="a1"),
        assistant("b", ended, uuid="a2", parentUuid="a1"),
        user(result, uuid="b", parentUuid="a2"),
        assistant("c", ended, uuid="a3", parentUuid="b"),
    )
    assert [usage.key for usage in batch.usage] == ["claude-code:m:a1", "claude-code:m:a3"]


def test_what_no_model_answered_has_no_usage() -> None:
    assert read(assistant("x", {"usage": USAGE}, isApiErrorMessage=True)).usage == []
    synthetic = read(assistant("x", {"usage": USAGE, "model": "<synthetic>"}))
    assert synthetic.usage == []
    assert synthetic.windows[0].model_route is None


def test_a_window_knows_where_it_was_and_who_answered_last() -> None:
    (window,) = read(
        user("a", cwd="/w", gitBranch="main", version="2", timestamp="2026-01-01T00:00:00Z"),
        assistant("b", cwd="/w/sub", gitBranch="fix", version="2"),
        line(type="worktree-state", worktreeSession={"originalHeadCommit": "ab" * 20}),
    ).windows
    assert (window.workspace, window.repo, window.git_branch) == ("/w", "/w", "fix")
    assert (window.model_route, window.agent) == ("claude-x", "claude-code 2")
    assert window.created_at == 1_767_225_600_000
    assert window.git_sha_at_open == "ab" * 20


def titles(*records: bytes) -> list[str | None]:
    return [window.title for window in read(*records).windows]


def test_a_title_given_by_hand_wins_over_a_generated_one_and_both_over_a_summary() -> None:
    own = line(type="custom-title", customTitle="mine")
    generated = line(type="ai-title", aiTitle="made")
    summary = json.dumps({"type": "summary", "summary": "sum", "leafUuid": "u"}).encode()
    assert titles(user("x"), own, generated, summary) == ["mine"]
    assert titles(user("x"), generated, summary) == ["made"]
    assert titles(summary, user("x")) == ["sum"]


def test_a_summary_of_another_session_is_no_title() -> None:
    foreign = json.dumps({"type": "summary", "summary": "other", "leafUuid": "elsewhere"}).encode()
    assert titles(foreign, user("x")) == [None]


def spill(folder: str) -> bytes:
    text = f"<persisted-output>\nFull output saved to: {folder}\n\nPreview"
    return user([{"type": "tool_result", "tool_use_id": "t", "content": text}])


def test_spilled_output_is_read_from_the_sessions_own_folder(tmp_path: Path) -> None:
    project = tmp_path / "-work-x"
    (project / "s" / "tool-results").mkdir(parents=True)
    (project / "s" / "tool-results" / "t.txt").write_bytes(b"all of it")
    record = spill("/home/other/.claude/projects/-work-x/s/tool-results/t.txt")
    batch = read(record, record, path=project / "s.jsonl")
    assert [draft.body for draft in batch.drafts if isinstance(draft.body, bytes)] == [b"all of it"]
    assert batch.drafts[1].kind is ItemKind.TOOL_RESULT
    assert batch.missing == []


def test_spilled_output_that_is_gone_is_named_and_the_record_kept() -> None:
    batch = read(spill("/p/s/tool-results/t.txt"), path=Path("/nowhere/s.jsonl"))
    assert batch.missing == [(0, "s/tool-results/t.txt")]
    assert len(batch.drafts) == 1


def test_nothing_outside_the_project_is_read_as_spilled_output(tmp_path: Path) -> None:
    project = tmp_path / "project"
    outside = tmp_path / "outside" / "tool-results"
    (project / "s" / "tool-results").mkdir(parents=True)
    outside.mkdir(parents=True)
    (outside / "secret.txt").write_text("secret")
    (project / "s" / "tool-results" / "link.txt").symlink_to(outside / "secret.txt")
    records = [
        spill(f"{outside}/secret.txt"),
        spill("../outside/tool-results/secret.txt"),
        spill("/p/s/tool-results/link.txt"),
        spill("/etc/passwd"),
    ]
    batch = read(*records, path=project / "s.jsonl")
    assert not any(isinstance(draft.body, bytes) for draft in batch.drafts)


def test_a_session_exported_from_the_web_is_read_line_by_line(transcripts: Path) -> None:
    path = transcripts / "claude_code/claude-code-transcripts/sample_session.json"
    document = path.read_bytes()
    batch = read(document, path=path)
    assert shown(batch, document)[:3] == [
        ("user", "message", "Create a simple Python function to add two numbers", None),
        (
            "assistant",
            "reasoning",
            value_at(document, batch.drafts[1]),
            None,
        ),
        (
            "assistant",
            "message",
            "I'll create a simple Python function for you. Let me write it now.",
            None,
        ),
    ]
    assert {draft.window for draft in batch.drafts} == {"claude-code:sample_session"}
    assert {draft.record for draft in batch.drafts} == {0}
