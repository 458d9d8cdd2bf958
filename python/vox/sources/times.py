"""Recorded times as UTC milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_SECONDS_BEFORE = 100_000_000_000
"""A number below this counts seconds (up to the year 5138), one above it milliseconds."""


def utc_milliseconds(recorded: str | int | float | None) -> int | None:
    """Milliseconds since the epoch of an ISO time or a number; None if it isn't a time.

    Finer fractions are cut off; a time without a zone is taken as UTC, which is what tools write;
    a number that isn't above zero is no time.
    """
    if isinstance(recorded, str):
        try:
            moment = datetime.fromisoformat(recorded)
        except ValueError:
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return (moment - _EPOCH) // _MILLISECOND
    if recorded is None or not 0 < recorded <= 2**53:
        return None
    return int(recorded if recorded >= _SECONDS_BEFORE else recorded * 1000)
