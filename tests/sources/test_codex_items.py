"""What each record of a Codex rollout becomes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.sources.codex_records import (
    NOON_MS,
    conversation,
    event,
    item,
    line,
    meta,
    read,
    said,
    texts,
)
from tests.sources.drafts import value_at
from vox.sources.base import Draft, Form, ItemKind, Rejected, Role

PNG = "data:image/png;base64,iVBORw0KGgo="


def only(record: bytes) -> Draft:
    """The single item of a record in a file that has begun."""
    drafts = [draft for draft in read(meta(), record).drafts if draft.record == 1]
    assert len(drafts) == 1
    return drafts[0]


def facts(draft: Draft) -> tuple[Any, ...]:
    return draft.role, draft.kind, draft.body, draft.form, draft.name, draft.side


@pytest.mark.parametrize(
    ("written", "role"),
    [("user", Role.USER), ("assistant", Role.ASSISTANT), ("developer", Role.SYSTEM)],
)
def test_a_message_is_one_item_for_each_text(written: str, role: Role) -> None:
    record = item(
        "message",
        role=written,
        content=[{"type": "input_text", "text": "one"}, {"type": "input_text", "text": "two"}],
    )
    drafts = read(meta(), record).drafts[1:]
    assert [draft.body for draft in drafts] == [
        ("payload", "content", 0, "text"),
        ("payload", "content", 1, "text"),
    ]
    assert {(draft.role, draft.kind, draft.side) for draft in drafts} == {
        (role, ItemKind.MESSAGE, False)
    }
    assert {draft.created_at for draft in drafts} == {NOON_MS}


def test_an_answer_names_its_model() -> None:
    batch = read(meta(), line("turn_context", {"model": "gpt-5"}), said("assistant", "yes"))
    assert [draft.name for draft in conversation(batch)] == ["gpt-5"]


def test_an_image_becomes_its_bytes_under_its_media_type() -> None:
    image = {"type": "input_image", "image_url": PNG, "detail": "auto"}
    empty = {"type": "input_image", "image_url": None}
    draft = only(item("message", role="user", content=[image, empty]))
    assert facts(draft) == (
        Role.USER,
        ItemKind.ATTACHMENT,
        ("payload", "content", 0, "image_url"),
        Form.DATA_URL,
        "image/png",
        False,
    )


def test_reasoning_is_its_readable_texts_only() -> None:
    record = item(
        "reasoning",
        summary=[{"type": "summary_text", "text": "plan"}],
        content=[{"type": "reasoning_text", "text": "think"}],
        encrypted_content="gAAAA",
    )
    drafts = read(meta(), record).drafts[1:]
    assert texts([b"", record], drafts) == ["plan", "think"]
    assert {draft.kind for draft in drafts} == {ItemKind.REASONING}


def test_reasoning_that_nobody_can_read_stands_beside_the_conversation() -> None:
    draft = only(item("reasoning", summary=[], content=None, encrypted_content="gAAAA"))
    assert (draft.kind, draft.side) == (ItemKind.RECORD, True)


def test_the_arguments_of_a_call_are_the_string_they_are_written_in() -> None:
    record = item("function_call", name="shell", arguments='{"cmd":"ls"}', call_id="c1")
    draft = only(record)
    assert facts(draft)[:5] == (
        Role.ASSISTANT,
        ItemKind.TOOL_CALL,
        ("payload", "arguments"),
        Form.STRING,
        "shell",
    )
    assert value_at(record, draft) == '{"cmd":"ls"}'


@pytest.mark.parametrize(
    ("kind", "more", "path", "form", "name"),
    [
        ("function_call", {"name": "f", "arguments": {"a": 1}}, "arguments", Form.SLICE, "f"),
        ("function_call", {"name": "f", "parameters": "{}"}, "parameters", Form.STRING, "f"),
        ("custom_tool_call", {"name": "apply_patch", "input": "*** "}, "input", Form.STRING,
         "apply_patch"),
        ("local_shell_call", {"action": {"type": "exec"}}, "action", Form.SLICE, "local_shell"),
        ("web_search_call", {"action": {"query": "x"}}, "action", Form.SLICE, "web_search"),
        ("tool_search_call", {"arguments": {"query": "x"}}, "arguments", Form.SLICE,
         "tool_search"),
        ("tool_call", {"function": {"name": "g"}, "arguments": {"b": 2}}, "arguments",
         Form.SLICE, "g"),
    ],
)  # fmt: skip
def test_every_kind_of_call_names_its_tool_and_its_input(
    kind: str, more: dict[str, Any], path: str, form: Form, name: str
) -> None:
    draft = only(item(kind, **more))
    assert (draft.body, draft.form, draft.name) == (("payload", path), form, name)
    assert (draft.role, draft.kind, draft.side) == (Role.ASSISTANT, ItemKind.TOOL_CALL, False)


def test_a_call_without_input_is_its_payload() -> None:
    draft = only(item("function_call", name="shell", arguments=None))
    assert facts(draft) == (
        Role.ASSISTANT,
        ItemKind.TOOL_CALL,
        ("payload",),
        Form.SLICE,
        "shell",
        False,
    )


@pytest.mark.parametrize(
    ("output", "path", "form"),
    [
        ("done", ("payload", "output"), Form.STRING),
        ({"type": "input_text", "text": "done"}, ("payload", "output", "text"), Form.STRING),
        ({"content": "done", "success": True}, ("payload", "output", "content"), Form.STRING),
        ([{"type": "input_text", "text": "done"}], ("payload", "output", 0, "text"), Form.STRING),
        ({"exit": 1}, ("payload", "output"), Form.SLICE),
        (None, ("payload",), Form.SLICE),
    ],
)
@pytest.mark.parametrize("kind", ["function_call", "custom_tool_call"])
def test_a_result_is_found_in_every_shape_and_named_after_its_call(
    kind: str, output: Any, path: tuple[Any, ...], form: Form
) -> None:
    call = item(kind, name="shell", arguments="{}", call_id="c1")
    result = item(f"{kind}_output", call_id="c1", output=output)
    draft = read(meta(), call, result).drafts[-1]
    assert facts(draft) == (Role.TOOL, ItemKind.TOOL_RESULT, path, form, "shell", False)


def test_an_image_in_a_result_is_an_attachment_of_the_tool() -> None:
    output = [{"type": "input_text", "text": "see"}, {"type": "input_image", "image_url": PNG}]
    drafts = read(meta(), item("function_call_output", call_id="c", output=output)).drafts[1:]
    assert [(draft.role, draft.kind, draft.form) for draft in drafts] == [
        (Role.TOOL, ItemKind.TOOL_RESULT, Form.STRING),
        (Role.TOOL, ItemKind.ATTACHMENT, Form.DATA_URL),
    ]


def test_a_found_tool_list_is_the_result_of_its_search() -> None:
    draft = only(item("tool_search_output", call_id="c", tools=[{"name": "t"}]))
    assert facts(draft)[1:5] == (
        ItemKind.TOOL_RESULT,
        ("payload", "tools"),
        Form.SLICE,
        "tool_search",
    )


def test_a_generated_image_is_its_prompt_and_its_bytes() -> None:
    record = item("image_generation_call", revised_prompt="a cat", result="iVBORw0KGgo=")
    prompt, image = read(meta(), record).drafts[1:]
    assert (prompt.kind, prompt.body) == (ItemKind.TOOL_CALL, ("payload", "revised_prompt"))
    assert facts(image) == (
        Role.TOOL,
        ItemKind.ATTACHMENT,
        ("payload", "result"),
        Form.BASE64,
        "image/png",
        False,
    )


def test_the_event_of_a_generated_image_holds_the_same_bytes_beside_the_conversation() -> None:
    draft = only(event("image_generation_end", result="iVBORw0KGgo="))
    assert (draft.form, draft.name, draft.side) == (Form.BASE64, "image/png", True)


def test_a_message_of_another_agent_names_its_author() -> None:
    content = [{"type": "input_text", "text": "found it"}, {"type": "encrypted_content"}]
    draft = only(item("agent_message", author="/root/tester", recipient="/root", content=content))
    assert (draft.kind, draft.name) == (ItemKind.MESSAGE, "/root/tester")
    payload = {"author": "/root", "recipient": "/root/tester", "content": "rerun"}
    draft = only(line("inter_agent_communication", payload))
    assert (draft.kind, draft.body, draft.name) == (
        ItemKind.MESSAGE,
        ("payload", "content"),
        "/root",
    )


@pytest.mark.parametrize(
    "record",
    [
        item("ghost_snapshot", ghost_commit={"id": "a"}),
        item("of_tomorrow", content=[{"text": "?"}]),
        line("world_state", {"full": True}),
        line("of_tomorrow", {"type": "message", "role": "user", "content": "?"}),
        event("exec_command_end", aggregated_output="x"),
        event("undo_completed", success=True),
        event("codex/event/raw_item", payload={"kind": "thinking"}),
        event("token_count", info=None),
        item("message", role="user", content=[]),
    ],
)
def test_what_is_no_conversation_is_carried_as_it_is(record: bytes) -> None:
    draft = only(record)
    assert facts(draft) == (Role.SYSTEM, ItemKind.RECORD, ("payload",), Form.SLICE, None, True)


@pytest.mark.parametrize(
    "record", [b'{"record_type":"state"}', b'{"type":"event_msg","payload":"text"}', b"{}"]
)
def test_a_record_without_payload_is_carried_whole(record: bytes) -> None:
    draft = only(record)
    assert (draft.kind, draft.body, draft.side) == (ItemKind.RECORD, None, True)


def test_events_that_repeat_response_items_are_kept_out_of_the_conversation() -> None:
    records = [
        meta(),
        said("user", "hello"),
        event("user_message", message="hello", images=[PNG]),
        event("agent_reasoning", text="hm"),
        event("agent_message", message="hi"),
        said("assistant", "hi"),
        event("task_complete", last_agent_message="hi"),
        event("item_completed", item={"type": "AgentMessage", "content": [{"text": "hi"}]}),
    ]
    batch = read(*records)
    assert texts(records, conversation(batch)) == ["hello", "hi"]
    echoes = [draft for draft in batch.drafts if draft.side and draft.form is Form.STRING]
    assert texts(records, echoes) == ["hello", "hm", "hi", "hi", "hi"]
    assert {draft.kind for draft in echoes} == {ItemKind.RECORD}


def test_events_are_the_conversation_where_nothing_else_is() -> None:
    records = [
        meta(),
        event("user_message", message="hello", images=[PNG]),
        event("agent_reasoning", text="hm"),
        item("function_call", name="shell", arguments="{}"),
        event("agent_message", message="hi"),
    ]
    assert [(draft.role, draft.kind) for draft in conversation(read(*records))] == [
        (Role.USER, ItemKind.MESSAGE),
        (Role.USER, ItemKind.ATTACHMENT),
        (Role.ASSISTANT, ItemKind.REASONING),
        (Role.ASSISTANT, ItemKind.TOOL_CALL),
        (Role.ASSISTANT, ItemKind.MESSAGE),
    ]


def test_an_event_that_comes_before_its_response_item_is_not_said_twice() -> None:
    records = [
        meta(),
        event("user_message", message="go"),
        said("user", "go"),
        said("assistant", "gone"),
        said("user", "go"),
    ]
    assert texts(records, conversation(read(*records))) == ["go", "gone", "go"]


def test_the_oldest_generation_has_no_envelopes() -> None:
    records = [
        json.dumps(
            {"id": "old-1", "timestamp": "2025-08-08T10:00:00Z", "instructions": "be brief",
             "git": {"commit_hash": "abc", "branch": "main"}}
        ).encode(),
        b'{"record_type":"state"}',
        b'{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]}',
        b'{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]}',
        b'{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}',
        b'{"type":"function_call_output","call_id":"c","output":"ok"}',
        b'{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]}',
    ]  # fmt: skip
    batch = read(*records)
    assert batch.windows[0].key == "codex:old-1"
    assert batch.windows[0].git_sha_at_open == "abc"
    assert texts(records, conversation(batch)) == ["be brief", "hello", "hm", "{}", "ok", "hi"]
    assert batch.record_types == {
        "untyped": 2,
        "message": 2,
        "reasoning": 1,
        "function_call": 1,
        "function_call_output": 1,
    }


def test_plain_messages_and_calls_without_any_session_are_a_conversation() -> None:
    records = [
        b'{"timestamp":"2025-09-10T12:00:00Z","role":"user","content":"hi","model":"o4-mini"}',
        b'{"type":"tool_call","function":{"name":"translate"},"arguments":"{}"}',
        b'{"type":"tool_result","name":"translate","result":"hola"}',
        b'{"role":"assistant","content":"hola"}',
    ]
    drafts = conversation(read(*records))
    assert texts(records, drafts) == ["hi", "{}", "hola", "hola"]
    assert [draft.name for draft in drafts] == [None, "translate", "translate", "o4-mini"]


@pytest.mark.parametrize(
    "text", [rb"\ud800 alone", b"\xff\xfe", b"\xed\xa0\x80"], ids=["escaped", "invalid", "wtf-8"]
)
def test_text_that_is_no_unicode_is_found_all_the_same(text: bytes) -> None:
    content = b'[{"type":"input_text","text":"' + text + b'"}]'
    payload = b'{"type":"message","role":"user","content":' + content + b"}"
    record = b'{"timestamp":"2026-02-11T12:00:00.250Z","type":"response_item","payload":'
    draft = only(record + payload + b"}")
    assert (draft.role, draft.kind, draft.body, draft.created_at) == (
        Role.USER,
        ItemKind.MESSAGE,
        ("payload", "content", 0, "text"),
        NOON_MS,
    )


def test_unexpected_types_of_fields_never_lose_a_record() -> None:
    record = b'{"type":7,"timestamp":[],"payload":{"type":{},"role":1,"item":3,"content":NaN}}'
    assert only(record).kind is ItemKind.RECORD
    mixed = item("message", role="user", content=["bare", {"type": "input_text", "text": "yes"}])
    assert only(mixed).body == ("payload", "content", 1, "text")


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (b"[1,2]", "not_a_record"),
        (b"3", "not_a_record"),
        (b'{"type":', "malformed"),
        (b"[" * 100_000 + b"]" * 100_000, "too_deep"),
    ],
)
def test_what_is_no_record_is_set_aside_with_its_reason(record: bytes, reason: str) -> None:
    batch = read(meta(), record, said("user", "still here"))
    assert batch.rejected == [Rejected(1, reason)]
    assert batch.drafts[-1].record == 2


def test_a_time_that_is_none_is_left_open() -> None:
    record = line("world_state", {"full": True}, timestamp="[trimmed for fixture]")
    assert only(record).created_at is None
