"""The meter: every token and every byte of a request is somebody's, and they add up."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.context.committed.sets import committed_of, draft_of_all
from tests.context.projection.test_properties import windows
from tests.context.projection.windows import One, call, result, said
from vox.context.budget import CLAIMANTS, Claimant
from vox.context.committed import measure, render
from vox.errors import InvalidArgumentError, OverBudgetError
from vox.models import ModelProfile
from vox.sources.base import ItemKind, Role
from vox.tokens.request import Tool, count_request

MODEL = ModelProfile("gpt-4o", 100_000, max_output_tokens=10_000, sees_images=True)
TOOLS = (Tool("Read", 'Reads a "file" – größer', {"type": "object"}),)
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x08\x00\x00\x00\x04\x08\x02\x00\x00\x00"


def bytes_by_role(payload: bytes) -> Counter[str]:
    """Bytes of what stands in a payload, by who says it; looked at by reading it again."""

    def size(text: str) -> int:
        return len(json.dumps(text, ensure_ascii=False).encode()) - 2

    def contents(part: dict[str, Any]) -> int:
        inner = part.get("content", [])
        return sum(map(contents, inner)) + sum(
            size(part[field]) for field in ("text", "data", "name", "arguments") if field in part
        )

    found: Counter[str] = Counter()
    request = json.loads(payload)
    for message in request["messages"]:
        found[message["role"]] += sum(map(contents, message["content"]))
    found["system"] += size(request.get("system", ""))
    for tool in request.get("tools", []):
        text = json.dumps(tool, ensure_ascii=False, separators=(",", ":"))
        found["tools"] += len(text.encode())
    return found


@given(windows, st.sampled_from(["", 'Be "brief"\n']), st.sampled_from([(), TOOLS]))
def test_every_byte_and_token_belongs_to_one_claimant_or_to_framing(made, system, tools):
    ones = [*made.ones, One(PNG, ItemKind.ATTACHMENT, Role.USER, "image/png")]
    committed, bodies = committed_of(draft_of_all(ones), ones)
    answer = render(committed, bodies, MODEL, system=system, tools=tools)
    meter, found = answer.meter, bytes_by_role(answer.payload)
    assert dict(meter.bytes) == {
        Claimant.SYSTEM: found["system"],
        Claimant.TOOLS: found["tools"],
        Claimant.CONVERSATION: found["user"] + found["assistant"],
        Claimant.TOOL_RESULTS: found["tool"],
        Claimant.RESERVE: 0,
    }
    assert meter.total_bytes == len(answer.payload)
    assert meter.framing_bytes >= 0
    counted = count_request(answer.request, MODEL.model_id)
    assert meter.used == counted.tokens
    parts = sum(meter.tokens[claimant] for claimant in CLAIMANTS[:-1])
    assert parts + meter.framing == meter.used
    assert meter.framing == counted.of("framing")
    assert meter.tokens[Claimant.TOOLS] == counted.of("tools")
    assert meter.tokens[Claimant.SYSTEM] == counted.of("system")


def test_the_five_claimants_of_a_request():
    ones = [said("be brief", Role.SYSTEM), said("go"), call(1), result(1)]
    committed, bodies = committed_of(draft_of_all(ones), ones)
    meter = render(committed, bodies, MODEL, tools=TOOLS).meter
    assert tuple(meter.tokens) == CLAIMANTS
    assert meter.tokens[Claimant.RESERVE] == 10_000
    assert min(meter.tokens.values()) > 0
    assert meter.free == meter.budget.usable - meter.used
    assert (meter.over, meter.due) == (0, False)


def test_more_than_the_model_has_room_for_is_measured_and_not_rendered():
    ones = [said("many words " * 2_000), said("few", Role.ASSISTANT)]
    committed, bodies = committed_of(draft_of_all(ones), ones)
    small = ModelProfile("gpt-4o", 2_000, max_output_tokens=500)
    meter = measure(committed, bodies, small)
    assert meter.used > 4_000
    assert (meter.over, meter.free, meter.due) == (meter.used - 1_500, 0, True)
    with pytest.raises(OverBudgetError, match=f"{meter.over} tokens over budget"):
        render(committed, bodies, small)
    assert render(committed, bodies, MODEL).meter.over == 0


def test_a_set_with_a_budget_of_its_own_is_held_to_it():
    ones = [said("many words " * 200)]
    committed, bodies = committed_of(draft_of_all(ones, budget=100), ones)
    meter = measure(committed, bodies, MODEL)
    assert meter.over == meter.set_tokens - 100
    with pytest.raises(OverBudgetError, match="of 100"):
        render(committed, bodies, MODEL)
    enough, _ = committed_of(draft_of_all(ones, budget=meter.set_tokens), ones)
    # System prompt and tools are no part of it.
    beside = render(enough, bodies, MODEL, system="x " * 500, tools=TOOLS).meter
    assert (beside.over, beside.set_tokens, beside.free) == (0, meter.set_tokens, 0)


def test_a_model_that_nothing_is_known_of_is_measured_by_bytes():
    ones = [said("größe" * 100)]
    committed, bodies = committed_of(draft_of_all(ones), ones)
    meter = measure(committed, bodies, ModelProfile("nobody-knows-it", 8_192))
    assert meter.tokens[Claimant.CONVERSATION] >= 700
    assert meter.kind == "assumed"


def test_each_entry_has_a_body():
    committed, _ = committed_of(draft_of_all([said("a")]), [said("a")])
    with pytest.raises(InvalidArgumentError, match="one for each"):
        measure(committed, [], MODEL)
