"""Requests to a local model cost what its server counts: llama.cpp with SmolLM2."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.tokens.wire import Recording, conversations, recordings
from vox.tokens.request import Message, Request, ToolCall, count_request, user


@pytest.fixture(scope="module")
def model(transcripts: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The tokenizer of SmolLM2-135M-Instruct, as its GGUF file has it."""
    packed = transcripts / "gguf" / "SmolLM2-135M-Instruct.vocab.gguf.gz"
    path = tmp_path_factory.mktemp("models") / "SmolLM2-135M-Instruct.gguf"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    return str(path)


@pytest.mark.parametrize(
    "recorded",
    [*(recorded for recorded in recordings() if recorded.model == "smollm2"), *conversations()],
    ids=lambda recorded: recorded.name,
)
def test_a_request_costs_what_the_server_counted(model: str, recorded: Recording) -> None:
    count = count_request(recorded.request, model)
    assert (count.tokens, count.kind, count.dialect) == (recorded.reported, "exact", "smollm2")


def test_what_the_template_leaves_out_costs_nothing(model: str) -> None:
    call = Request([user("Weather?"), Message("assistant", [ToolCall("get", '{"a": 1}')])])
    empty = Request([user("Weather?"), Message("assistant", [])])
    assert count_request(call, model).tokens == count_request(empty, model).tokens
