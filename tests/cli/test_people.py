from __future__ import annotations

from datetime import UTC, datetime

import click
import pytest

from vox.cli import people


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1.0 kB"),
        (9_940, "9.9 kB"),
        (9_960, "10 kB"),
        (999_499, "999 kB"),
        (999_600, "1.0 MB"),
        (1_500_000_000, "1.5 GB"),
        (10**16, "10000 TB"),
    ],
)
def test_a_size_has_two_or_three_digits_and_a_decimal_unit(count: int, text: str) -> None:
    assert people.size(count) == text


def test_a_number_agrees_with_its_noun() -> None:
    assert people.number(1, "window") == "1 window"
    assert people.number(12_345, "window") == "12,345 windows"
    assert people.number(12_345) == "12,345"


def test_a_time_that_no_calendar_holds_is_shown_as_nothing() -> None:
    assert people.moment(None) == ""
    assert people.moment(2**63 - 1) == ""
    assert people.moment(-(2**63)) == ""


def test_a_time_is_shown_in_local_time() -> None:
    at = datetime(2026, 1, 31, 12, 30).astimezone()
    assert people.moment(int(at.timestamp() * 1000)) == "2026-01-31 12:30"


def milliseconds(text: str) -> int:
    return people.Moment().convert(text, None, None)


def test_a_time_may_be_a_date_a_time_or_how_long_ago() -> None:
    assert milliseconds("2026-01-31T12:00:00.250+00:00") == 1769860800250
    assert milliseconds("2026-01-31") == datetime(2026, 1, 31).timestamp() * 1000
    now = datetime.now(UTC).timestamp() * 1000
    assert 0 <= now - milliseconds("7d") - 7 * 86_400_000 + 60_000 < 120_000


@pytest.mark.parametrize("text", ["yesterday", "7y", "2026-13-01", "", "99999999999w"])
def test_what_is_no_time_is_a_usage_error(text: str) -> None:
    with pytest.raises(click.BadParameter):
        milliseconds(text)
