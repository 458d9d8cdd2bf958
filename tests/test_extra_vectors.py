"""The golden vectors of the extra: a record can be had back by anyone who reads the format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.layout import (
    ASCII,
    BASE64,
    DATA_URL,
    SLICE,
    TEXT,
    VERBATIM,
    cuts,
    put_together,
)

VECTORS = Path(__file__).parents[1] / "contracts" / "vectors" / "extra.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text("utf-8"))["cases"]

FORMS = {
    "string": {TEXT, ASCII, VERBATIM, SLICE},
    "slice": {SLICE},
    "base64": {BASE64, TEXT},
    "data_url": {DATA_URL, TEXT},
}


def items_of(case: dict[str, Any]) -> list[bytes | None]:
    return [None if item is None else bytes.fromhex(item) for item in case["items"]]


def read_extra(case: dict[str, Any]) -> tuple[list[tuple[int, int, int]], bytes]:
    return cuts(bytes.fromhex(case["extra"]))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_record_comes_back_from_its_extra_and_items(case: dict[str, Any]) -> None:
    places, rest = read_extra(case)
    items = [item or b"" for item in items_of(case)]
    assert all(items_of(case)[item] is not None for _, item, _ in places)
    assert put_together(places, rest, items) == bytes.fromhex(case["record"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_rest_of_a_record_stays_json(case: dict[str, Any]) -> None:
    _, rest = read_extra(case)
    assert isinstance(json.loads(rest.decode("utf-8", "replace")), dict)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_items_are_what_a_json_parser_finds(case: dict[str, Any]) -> None:
    record = json.loads(bytes.fromhex(case["record"]).decode("utf-8", "surrogateescape"))
    for want, item in zip(case["wants"], items_of(case), strict=True):
        value: Any = record
        try:
            for step in want["path"]:
                value = value[step]
        except (KeyError, IndexError):
            assert item is None
            continue
        assert item is not None
        if want["form"] == "string" and isinstance(value, str):
            assert item == wtf8(value)
        elif want["form"] in ("string", "slice"):
            assert json.loads(item) == value


def wtf8(text: str) -> bytes:
    """Python's string as bytes: escaped bytes as themselves, other surrogates in three bytes."""
    return b"".join(
        bytes([ord(char) - 0xDC00])
        if "\udc80" <= char <= "\udcff"
        else char.encode("utf-8", "surrogatepass")
        for char in text
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_each_cut_has_a_form_that_its_want_allows(case: dict[str, Any]) -> None:
    places, _ = read_extra(case)
    for _, index, form in places:
        assert form in FORMS[case["wants"][index]["form"]]


def test_every_form_occurs_in_the_vectors() -> None:
    used = {form for case in CASES for *_, form in read_extra(case)[0]}
    assert used == set(range(6))
