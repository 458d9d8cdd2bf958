"""Newer catalogues are put over what ships."""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vox.errors import MalformedError, NotFoundError
from vox.models import Caching, ModelProfile, Prices, profile
from vox.models.formats import read
from vox.models.refresh import refresh

OPENROUTER: dict[str, Any] = {
    "data": [
        {
            "id": "zorg/zorg-2",
            "created": 1_790_000_000,
            "context_length": 300_000,
            "architecture": {"input_modalities": ["image", "text"], "output_modalities": ["text"]},
            "pricing": {
                "prompt": "0.000003",
                "completion": "0.000015",
                "input_cache_read": "0.0000003",
            },
            "top_provider": {"context_length": 200_000, "max_completion_tokens": 64_000},
            "supported_parameters": ["tools", "reasoning"],
        },
        {"id": "zorg/auto", "context_length": 1, "pricing": {"prompt": "-1", "completion": "-1"}},
        {"id": "zorg/bad", "context_length": "many"},
        {"id": "zorg/paints", "architecture": {"output_modalities": ["image"]}},
        None,
    ]
}
MODELS_DEV: dict[str, Any] = {
    "zorg": {
        "models": {
            "zorg-3": {
                "limit": {"context": 500_000, "input": 400_000, "output": 100_000},
                "modalities": {"input": ["text"], "output": ["text"]},
                "tool_call": True,
                "reasoning": False,
                "release_date": "2026-06",
                "cost": {"input": 1, "output": 2.5},
            },
            "zorg-embedding": {"limit": {"context": 0, "output": 0}, "modalities": {}},
            "zorg-bad": {"limit": {}},
        }
    },
    "lmstudio": {
        "models": {
            "zorg/zorg-8b": {
                "limit": {"context": 4_096, "output": 4_096},
                "cost": {"input": 0, "output": 0},
            }
        }
    },
    "nonsense": 5,
}


def written(path: Path, document: object, day: date) -> Path:
    path.write_text(json.dumps(document))
    moment = int(day.strftime("%s")) + 43_200
    os.utime(path, (moment, moment))
    return path


def test_openrouters_list_is_read(tmp_path: Path, home: Path) -> None:
    path = written(tmp_path / "models.json", OPENROUTER, date(2026, 11, 3))
    done = refresh(path)
    assert (done.format, done.models, done.new, done.other) == ("openrouter", 2, 2, 1)
    assert [bad.partition(":")[0] for bad in done.bad] == [
        "openrouter/zorg/bad",
        "openrouter/entry 4",
    ]
    assert done.path == home / "models.jsonl"
    assert profile("zorg-2") == ModelProfile(
        model_id="zorg/zorg-2",
        max_context_tokens=200_000,
        max_output_tokens=64_000,
        tool_capable=True,
        reasoning_tier="some",
        sees_images=True,
        caching=Caching(True),
        prices=Prices(3.0, 15.0, 0.3),
        source="openrouter",
        as_of=date(2026, 11, 3),
    )


def test_models_devs_list_is_read(tmp_path: Path) -> None:
    done = refresh(written(tmp_path / "api.json", MODELS_DEV, date(2026, 11, 3)))
    assert (done.format, done.models, done.other, len(done.bad)) == ("models.dev", 2, 1, 2)
    found = profile("zorg/zorg-3")
    assert (found.max_context_tokens, found.max_input_tokens) == (500_000, 400_000)
    assert found.prices == Prices(1.0, 2.5)
    here = profile("zorg-8b")
    assert (here.locality, here.prices) == ("local", None)


def test_catalogues_that_are_read_one_after_the_other_add_up(tmp_path: Path) -> None:
    refresh(written(tmp_path / "a.json", OPENROUTER, date(2026, 11, 3)))
    refresh(written(tmp_path / "b.json", MODELS_DEV, date(2026, 11, 4)))
    assert profile("zorg-2").as_of == date(2026, 11, 3)
    assert profile("zorg-3").as_of == date(2026, 11, 4)
    assert refresh(tmp_path / "a.json").new == 0


def test_an_address_is_read_as_a_file_is() -> None:
    body = json.dumps(OPENROUTER).encode()
    answers = httpx.MockTransport(lambda _: httpx.Response(200, content=body))
    assert refresh("https://openrouter.test/api/v1/models", transport=answers).models == 2


@pytest.mark.parametrize(
    "content", [b"", b"nope", b"[]", b"{}", b'{"data": 5}', b"\xff", b"[" * 100_000]
)
def test_what_is_no_catalogue_is_refused_and_changes_nothing(
    content: bytes, tmp_path: Path, home: Path
) -> None:
    path = tmp_path / "models.json"
    path.write_bytes(content)
    with pytest.raises(MalformedError, match=r"models\.json: n"):
        refresh(path)
    assert not home.exists()
    with pytest.raises(NotFoundError, match="no such file"):
        refresh(tmp_path / "absent.json")


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)
_MODEL = OPENROUTER["data"][0]
_OTHER = MODELS_DEV["zorg"]["models"]["zorg-3"]
FIELDS = st.sampled_from(
    [*_MODEL, *_MODEL["pricing"], *_MODEL["top_provider"], *_OTHER, *_OTHER["limit"]]
)


@given(st.lists(st.dictionaries(FIELDS, JUNK | st.dictionaries(FIELDS, JUNK)), max_size=4))
def test_whatever_an_entry_holds_is_a_row_or_set_aside(entries: list[dict[str, Any]]) -> None:
    day = date(2026, 1, 1)
    found = read(json.dumps({"data": entries}).encode(), "x", day)
    assert len(found.rows) + found.other + len(found.bad) == len(entries)
    models = {str(place): entry for place, entry in enumerate(entries)}
    found = read(json.dumps({"p": {"models": models}}).encode(), "x", day)
    assert len(found.rows) + found.other + len(found.bad) == len(entries)
