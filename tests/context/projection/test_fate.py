"""Names and numbers of fates."""

from __future__ import annotations

import pytest

from vox.context.projection import FATES, Fate
from vox.errors import InvalidArgumentError


def test_a_fate_is_found_by_its_name() -> None:
    assert [Fate.named(name) for name in FATES] == list(Fate)
    assert FATES == ("dropped", "included", "summarized", "on_demand")


def test_an_unknown_fate_is_told_with_those_there_are() -> None:
    with pytest.raises(InvalidArgumentError, match="'hidden'; there are dropped, included"):
        Fate.named("hidden")
