"""Numbers and times as people read and write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    _OfInt = click.ParamType[int]
else:
    # Before click 8.4 it takes no parameter.
    _OfInt = click.ParamType

_AGO = re.compile(r"(\d+)([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def size(count: int) -> str:
    """A number of bytes: `512 B`, `1.5 kB`, `12 MB`; a kilobyte is 1,000 bytes."""
    if count < 1000:
        return f"{count} B"
    value, unit = count / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if value < 999.5:
            break
        value, unit = value / 1000, larger
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:.0f} {unit}"


def number(count: int, noun: str = "") -> str:
    """`1,234`, or with a noun `1 window`, `1,234 windows`."""
    if not noun:
        return f"{count:,}"
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def moment(milliseconds: int | None) -> str:
    """A time in UTC milliseconds as local time to the minute; empty if unknown or out of range."""
    at = _local(milliseconds)
    return at.strftime("%Y-%m-%d %H:%M") if at else ""


def _local(milliseconds: int | None) -> datetime | None:
    if milliseconds is None:
        return None
    try:
        return (
            datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
        ).astimezone()
    except (OverflowError, ValueError, OSError):
        return None


def clock(milliseconds: int | None) -> str:
    """A time in UTC milliseconds as local time of day to the second; empty if unknown."""
    at = _local(milliseconds)
    return at.strftime("%H:%M:%S") if at else ""


def day(milliseconds: int | None) -> str:
    """The local date of a time in UTC milliseconds; empty if unknown or out of range."""
    at = _local(milliseconds)
    return at.strftime("%Y-%m-%d") if at else ""


def stretch(start: int | None, end: int | None) -> str:
    """From a time to another, in UTC milliseconds, to the minute; a common day only once."""
    first, last = moment(start), moment(end)
    if not first or not last or first == last:
        return first or last
    return f"{first} to {last.removeprefix(day(start) + ' ')}"


class Moment(_OfInt):
    """A point in time on the command line, as UTC milliseconds.

    An ISO 8601 date or time (local unless it names a zone), or how long ago: `90m`, `12h`, `7d`,
    `4w`.
    """

    name = "time"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """The milliseconds that `value` means; a usage error if it means none."""
        text = str(value)
        try:
            if ago := _AGO.fullmatch(text):
                at = datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
            else:
                at = datetime.fromisoformat(text)
            return int(at.timestamp() * 1000)
        except (OverflowError, ValueError):
            self.fail(f"{text!r} is no time: say 2026-01-31, 2026-01-31T12:00 or 7d", param, ctx)
