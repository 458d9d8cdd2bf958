"""Times as tools record them."""

from __future__ import annotations

from typing import Any

import pytest

from vox.sources.times import utc_milliseconds


@pytest.mark.parametrize(
    ("recorded", "milliseconds"),
    [
        ("2026-02-11T20:46:34.529Z", 1_770_842_794_529),
        ("2026-02-11T21:46:34.5299999+01:00", 1_770_842_794_529),
        ("2026-02-11T20:46:34", 1_770_842_794_000),
        (1_770_842_794_529, 1_770_842_794_529),
        (1_770_842_794, 1_770_842_794_000),
        (1_770_842_794.5, 1_770_842_794_500),
    ],
)
def test_a_time_is_utc_milliseconds_however_it_is_written(
    recorded: str | float, milliseconds: int
) -> None:
    assert utc_milliseconds(recorded) == milliseconds


@pytest.mark.parametrize(
    "nonsense", [None, "", "soon", float("nan"), float("inf"), 10**30, 0, -1_770_842_794]
)
def test_nonsense_is_no_time(nonsense: Any) -> None:
    assert utc_milliseconds(nonsense) is None
