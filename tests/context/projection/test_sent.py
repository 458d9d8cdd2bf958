"""What was sent can be kept, and is checked when it comes back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.context.projection.test_freeze import LIMITS, turns
from tests.context.projection.test_project import projected
from tests.context.projection.windows import Made
from vox.context.projection import Sent
from vox.errors import InvalidArgumentError


def test_it_comes_back_from_json_as_it_was() -> None:
    ones = turns(20)
    sent = projected(Made(ones), LIMITS).sent
    again = Sent.of_values(json.loads(json.dumps(sent.as_values())))
    assert again.as_values() == sent.as_values()
    more = Made([*ones, *turns(1, 20)])
    kept = projected(more, LIMITS, previous=again)
    assert kept.state == "frozen"
    assert list(kept.entries) == list(projected(more, LIMITS, previous=sent).entries)


@pytest.mark.parametrize(
    "change",
    [
        {"seen": -1},
        {"ordinals": "x"},
        {"ordinals": [0]},
        {"fates": [9]},
        {"marks": "zz"},
        {"model": None},
        {"tokens": [2**40]},
    ],
)
def test_what_is_no_record_of_it_is_refused(change: dict[str, Any]) -> None:
    values = projected(Made(turns(3)), LIMITS).sent.as_values()
    with pytest.raises(InvalidArgumentError, match="no record of what was sent"):
        Sent.of_values({**values, **change})


def test_one_of_another_window_is_an_edit() -> None:
    sent = projected(Made(turns(20)), LIMITS).sent
    projection = projected(Made(turns(2)), LIMITS, previous=sent)
    assert projection.state == "edit"
    assert projection.fates()["included"] == 2
