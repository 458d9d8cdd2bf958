"""Numbers of tokens, as providers report them."""

from __future__ import annotations

MOST = 1 << 53
"""No count reaches this; a larger one is no count."""


def tokens_of(number: float | None) -> int:
    """A count of tokens; 0 for what can't be one."""
    if number is None or not 0 <= number < MOST:
        return 0
    return int(number)
