"""Messages in an order that every provider takes, whatever was dropped."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.context.committed.sets import (
    committed_of,
    committed_projection,
    draft_of_all,
    entry_of,
)
from tests.context.committed.valid import faults_of
from tests.context.projection.test_properties import budgets, models, projected, windows
from tests.context.projection.windows import MODEL, One, call, result, said
from vox.context.committed import LeftOut, render
from vox.context.projection import Fate
from vox.context.projection.frames import OPENING
from vox.models import ModelProfile
from vox.sources.base import ItemKind, Role
from vox.tokens.request import Image, Message, Reasoning, Text, ToolCall, ToolResult

WIDE = ModelProfile("gpt-4o", 10_000_000, sees_images=True)
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x08\x00\x00\x00\x04\x08\x02\x00\x00\x00"


def rendered(ones: list[One], model: ModelProfile = WIDE) -> list[Message]:
    committed, bodies = committed_of(draft_of_all(ones), ones)
    messages = list(render(committed, bodies, model).messages)
    assert faults_of(messages) == []
    return messages


def image(role: Role = Role.USER) -> One:
    return One(PNG, ItemKind.ATTACHMENT, role, "image/png")


def thought(text: bytes) -> One:
    return One(text, ItemKind.REASONING, Role.ASSISTANT, "some-model")


@given(windows, models, budgets)
def test_a_projection_is_rendered_in_valid_order_within_what_it_was_to_cost(made, model, budget):
    projection = projected(made, model, budget)
    if projection is None:
        return
    committed, bodies = committed_projection(made, projection)
    whole = replace(model, max_context_tokens=100_000)
    answer = render(committed, bodies, whole)
    assert faults_of(answer.messages) == []
    assert answer.meter.set_tokens <= projection.used


@given(
    windows,
    st.lists(st.tuples(st.integers(0, 13), st.integers(0, 9), st.booleans()), max_size=14),
    st.sampled_from(["gpt-4o", "claude-sonnet-4", "qwen3-8b", "llama-3.1-8b"]),
)
def test_any_choice_of_items_in_any_order_is_valid_and_each_text_is_in_it(made, picks, name):
    ones, picked = made.ones, {}
    for place, pair, shortened in picks:
        if place < len(ones):
            short = {"fate": Fate.SUMMARIZED, "form": f"form {place}"} if shortened else {}
            picked[place] = entry_of(ones, place, pair=pair or None, **short)
    draft = draft_of_all(ones).of(tuple(picked.values()))
    stub = LeftOut(before=len(picked) // 2, first=0, last=0, items=1, tokens=3, text="[left out]")
    committed, bodies = committed_of(draft, ones, (stub,))
    model = ModelProfile(name, 10_000_000)
    answer = render(committed, bodies, model)
    assert faults_of(answer.messages) == []
    assert json.loads(answer.payload)["messages"] == [] or b"[left out]" in answer.payload
    for entry, body in zip(committed.entries, bodies, strict=True):
        text = entry.form or body.content.decode("utf-8", "replace")
        if body.kind != ItemKind.REASONING and text.strip():
            quoted = json.dumps(text, ensure_ascii=False)[1:-1]
            twice = json.dumps(quoted, ensure_ascii=False)[1:-1]
            payload = answer.payload.decode()
            assert quoted in payload or twice in payload
    assert render(committed, bodies, model).payload == answer.payload


def test_what_is_said_stands_in_its_turns_and_equal_speakers_share_one():
    assert rendered(
        [said("be brief", Role.SYSTEM), said("a"), said("b"), said("c", Role.ASSISTANT), said("d")]
    ) == [
        Message("system", (Text("be brief"),)),
        Message("user", (Text("a"), Text("b"))),
        Message("assistant", (Text("c"),)),
        Message("user", (Text("d"),)),
    ]


def test_system_text_that_comes_later_is_told_in_a_users_turn():
    assert rendered([said("a"), said("b", Role.ASSISTANT), said("note", Role.SYSTEM)])[-1] == (
        Message("user", (Text("note"),))
    )


def test_an_answer_that_stands_first_has_a_turn_before_it():
    assert rendered([said("hello", Role.ASSISTANT)]) == [
        Message("user", (Text(OPENING),)),
        Message("assistant", (Text("hello"),)),
    ]


def test_calls_made_at_once_are_answered_together_and_those_one_after_the_other_apart():
    ones = [said("go"), call(1), call(2), result(1), result(2), call(3), result(3)]
    names = [
        (message.role, [part.id for part in message.parts if not isinstance(part, Text)])
        for message in rendered(ones)
    ]
    assert names == [
        ("user", []),
        ("assistant", ["item_101", "item_102"]),
        ("tool", ["item_101", "item_102"]),
        ("assistant", ["item_105"]),
        ("tool", ["item_105"]),
    ]


def test_a_result_that_comes_late_is_moved_to_its_call():
    messages = rendered([said("go"), call(1), said("wait"), result(1), said("ok", Role.ASSISTANT)])
    roles = " ".join(message.role for message in messages)
    assert roles == "user assistant tool user assistant"


def test_a_call_and_a_result_without_the_other_are_told_as_text():
    ones = [said("go"), call(0), said("and"), result(0)]
    texts = [part.text for message in rendered(ones) for part in message.parts]
    assert texts == [
        "go",
        '[called Read, no result is shown]\n{"path": "a"}',
        "and",
        "[result of Read, no call is shown]\nwhat it printed",
    ]


def test_the_input_of_a_call_is_an_object_whatever_the_producer_wrote():
    inputs = [b'{"a": 1}', b"*** Begin Patch", b'["a"]', b'{"a": NaN}', b"\xff", b"[" * 9_999, b""]
    ones = [said("go")]
    for number, text in enumerate(inputs, 1):
        ones += [call(number, text), result(number)]
    calls = [p for m in rendered(ones) for p in m.parts if isinstance(p, ToolCall)]
    assert [json.loads(one.arguments) for one in calls] == [
        {"a": 1},
        {"input": "*** Begin Patch"},
        {"input": ["a"]},
        {"input": '{"a": NaN}'},
        {"input": "�"},
        {"input": "[" * 9_999},
        {"input": ""},
    ]


def test_an_image_that_a_tool_gave_stands_in_its_result():
    messages = rendered([said("go"), call(1), result(1), image(Role.TOOL), image()])
    assert messages[2] == Message(
        "tool", (ToolResult((Text("what it printed"), Image(PNG)), "item_101", "Read"),)
    )
    assert messages[3] == Message("user", (Image(PNG),))


@pytest.mark.parametrize("content", [b"", b"\x00\xff\x89PNG", PNG[:12], b"GIF89a"])
def test_an_image_that_is_none_is_told_of(content):
    line = f"[image/png, {len(content)} bytes, can't be shown: item:101]"
    shown = rendered([said("see"), One(content, ItemKind.ATTACHMENT, Role.USER, "image/png")])
    assert shown[0].parts[1:] in ((Text(line),), (), (Text(content.decode("latin-1")),))


def test_a_model_that_sees_no_images_is_told_of_them():
    blind = ModelProfile("gpt-4o", 100_000)
    assert rendered([image()], blind) == [
        Message("user", (Text(f"[image/png, {len(PNG)} bytes, can't be shown: item:100]"),))
    ]


def test_reasoning_is_kept_where_the_dialect_sends_it_back():
    ones = [said("a"), thought(b"one"), said("b"), thought(b"two"), said("c", Role.ASSISTANT)]

    def thoughts(name: str) -> list[object]:
        messages = rendered(ones, ModelProfile(name, 100_000))
        return [part.text for m in messages for part in m.parts if isinstance(part, Reasoning)]

    assert thoughts("claude-sonnet-4") == ["one", "two"]
    assert thoughts("qwen3-8b") == ["two"]
    assert thoughts("gpt-4o") == []


def test_what_is_no_utf8_is_shown_with_replacements():
    assert rendered([said(b"a\xff\xf0\x9f\x99b")])[0].parts == (Text("a��b"),)


def test_what_was_purged_since_is_told_of():
    ones = [said("a")]
    committed, bodies = committed_of(draft_of_all(ones), ones)
    gone = [replace(body, content=None) for body in bodies]
    assert render(committed, gone, MODEL).messages == (
        Message("user", (Text("[item:100 was purged]"),)),
    )


def test_nothing_is_no_message():
    assert rendered([]) == []
    assert rendered([said(" \n"), said("")]) == []


def test_more_at_the_end_leaves_the_messages_before_as_they_are():
    ones = [said("a"), call(1), result(1), said("b", Role.ASSISTANT), said("c"), call(2), result(2)]
    whole = rendered(ones)
    for many in (3, 4, 5):
        assert rendered(ones[:many]) == whole[: len(rendered(ones[:many]))]
