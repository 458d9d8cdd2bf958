"""Frames are never below what a request is counted at, whatever the dialect."""

from __future__ import annotations

import pytest

from tests.context.projection.rendered import request_of
from tests.context.projection.test_properties import TEMPLATE
from tests.context.projection.windows import MODEL, UNKNOWN, Made, One, call, result, said
from vox.context.projection.frames import frames_of
from vox.context.projection.project import project
from vox.models import ModelProfile
from vox.sources.base import ItemKind, Role
from vox.tokens.request import count_request, dialect_of, dialects

MODELS = [
    "claude-sonnet-4",
    "gemini-2.5-pro",
    "gemma-3-4b",
    "gpt-5",
    "hermes-3",
    "llama-3.1-8b",
    "llama-3-8b",
    "mistral-small",
    "o3",
    "qwen2.5-7b",
    "qwen3-8b",
    "smollm2-135m",
    TEMPLATE.model_id,
]
ONES = [
    said("Say {} and\n\n<|im_end|> it."),
    said("\n", Role.ASSISTANT),
    said("ok", Role.SYSTEM),
    call(1),
    result(1),
    call(2, b"", name=""),
    result(2, b""),
    One(b"thinking of it", ItemKind.REASONING, Role.ASSISTANT),
    One(b"what came before", ItemKind.SUMMARY, Role.USER),
    said(b"\xff"),
]


@pytest.mark.parametrize("model", MODELS)
def test_a_request_of_a_whole_window_costs_no_more_than_its_items_and_frames(model: str) -> None:
    profile = ModelProfile(model, 200_000)
    for ones in (ONES, ONES[:1], ONES[3:5], ONES[1:2] * 7, ONES * 3):
        made = Made(ones)
        projection = project(made.outline, made.counted(profile), made.texts, profile, 100_000)
        counted = count_request(request_of(made, projection), model)
        assert counted.tokens <= projection.used


def test_every_dialect_that_is_chosen_by_a_name_is_among_the_models() -> None:
    named = {row.name for row in dialects() if row.models}
    assert named == {dialect_of(model).name for model in MODELS}


def test_frames_of_an_unknown_dialect_are_the_widest_of_all_providers() -> None:
    outline = Made(ONES).outline
    unknown = frames_of(outline, UNKNOWN.model_id, MODEL.cap, 1)
    for model in ("claude-sonnet-4", "gemini-2.5-pro", "gpt-5"):
        known = frames_of(outline, model, MODEL.cap, 1)
        assert (unknown.items >= known.items).all()
        assert unknown.request >= known.request
    assert set(unknown.kinds.tolist()) == {2}


def test_reasoning_is_shown_only_where_it_is_sent_back() -> None:
    thought = One(b"thinking of it", ItemKind.REASONING, Role.ASSISTANT)
    made = Made([thought, said("and now?"), thought, said("so", Role.ASSISTANT)])

    def fates(model: str) -> list[str]:
        profile = ModelProfile(model, 100_000)
        projection = project(made.outline, made.counted(profile), made.texts, profile, 5_000)
        return [str(one.fate) for one in projection.entries]

    assert fates("claude-sonnet-4") == ["included"] * 4
    assert fates("gpt-5") == ["dropped", "included", "dropped", "included"]
    assert fates("qwen3-8b") == ["dropped", "included", "included", "included"]
