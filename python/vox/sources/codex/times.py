"""Times of records as UTC milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec import Raw

from vox.sources.codex.records import ABSENT, integer, text


def milliseconds(raw: Raw) -> int | None:
    """An ISO time, or a number of seconds or milliseconds; None for anything else.

    A time without a zone is taken as UTC, which is what the tool writes.
    """
    if raw is ABSENT:
        return None
    written = text(raw)
    if written is None:
        number = integer(raw)
        if number is None or number <= 0:
            return None
        return number if number > 100_000_000_000 else number * 1000
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)
