"""Ratios: the contract, the table that is built in, and how far estimates are off."""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any

import numpy
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import vox
from vox import _native
from vox.errors import NotFoundError

REPOSITORY = Path(__file__).resolve().parents[2]
RATIOS: dict[str, Any] = yaml.safe_load((REPOSITORY / "contracts/token-ratios.yaml").read_text())
FAMILIES = list(RATIOS["families"])


def estimate(family: str, items: list[bytes]) -> list[int]:
    return list(memoryview(_native.Ratio(family).estimate_many(items)).cast("I"))


def by_the_contract(family: str, item: bytes) -> int:
    """The formula of the contract, word by word."""
    if not item:
        return 0
    ratios: dict[str, Any] = RATIOS["families"][family]
    name, counts = _native.census(item)
    weights = ratios["weights"].get(name, ratios["weights"]["latin"])
    average: float = sum(counts[feature] * weight for feature, weight in weights.items())
    exact: float = average * ratios["margins"][name] + ratios["spread"] * math.sqrt(average)
    return math.floor(exact + float(ratios["constant"]) + 0.5)


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The items of the example transcripts that are text, each once."""
    with vox.open(tmp_path_factory.mktemp("ratios") / "archive") as archive:
        archive.ingest(root=REPOSITORY / "tests" / "data")
        windows = [archive.window(window["id"]) for window in archive.windows().to_pylist()]
        numbers = [
            item["item"]
            for window in windows
            for item in window.items(0, len(window), preview=False).to_pylist()
        ]
        contents = dict.fromkeys(bytes(archive.read(number)) for number in numbers)
    return [content for content in contents if content and is_text(content)]


def is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_the_contract_names_what_the_core_counts() -> None:
    name, counts = _native.census("")
    assert list(counts) == RATIOS["features"]
    assert _native.content_classes() == RATIOS["classes"]
    assert name in RATIOS["classes"]


def test_every_family_of_models_has_ratios(contracts: Path) -> None:
    families = tomllib.loads((contracts / "models.toml").read_text())["family"]
    assert {family["ratio"] for family in families} <= set(FAMILIES)


@pytest.mark.parametrize("family", FAMILIES)
@given(item=st.text(max_size=200) | st.text(' aZ0\n{"./_é漢', max_size=200))
def test_estimates_are_what_the_contract_says(family: str, item: str) -> None:
    content = item.encode(errors="replace")
    # Sums in another order differ in their last digits, so a half may be rounded to either side.
    assert abs(estimate(family, [content])[0] - by_the_contract(family, content)) <= 1


@pytest.mark.parametrize("family", FAMILIES)
def test_sources_that_were_held_out_are_rarely_too_low_and_near(family: str) -> None:
    off = RATIOS["families"][family]["held_out"]
    assert off["items"] > 1000
    assert off["under_counted"] <= 0.01
    assert off["median_over_count"] <= 0.25
    assert not set(RATIOS["held_out"]["sources"]) & set(RATIOS["fitted_to"]["sources"])


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base", "p50k_base"])
def test_items_of_the_examples_are_rarely_too_low_and_near(
    items: list[bytes], encoding: str
) -> None:
    exact = numpy.frombuffer(_native.Tokenizer.shipped(encoding).count_many(items), numpy.uint32)
    estimates = numpy.array(estimate(encoding.removesuffix("_base"), items))
    assert len(items) > 300
    # So few items that four make more than 1 %; the figures of the contract are of thousands.
    assert numpy.mean(estimates < exact) <= 0.02
    assert numpy.median(estimates / exact) <= 1.35


def test_an_unknown_family_is_told_which_there_are() -> None:
    with pytest.raises(NotFoundError, match="o200k"):
        _native.Ratio("gpt-9")
