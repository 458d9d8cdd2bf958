"""Reasons and counts in few words, for tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from vox.cli import people
from vox.cli.items import item_text

if TYPE_CHECKING:
    from vox.context.projection.reasons import Reason

WIDE = 80
"""Columns of a terminal that has room for texts beside fates."""

_SAME = re.compile(r"the same as item:(\d{1,20})", re.ASCII)


def short_reason(reason: str) -> str:
    """A reason in two or three words; one that is of a single item stays as it is, its item as
    people write it."""
    from vox.context.projection.reasons import REASON_TEXTS

    if same := _SAME.fullmatch(reason):
        return f"copy of {item_text(int(same[1]))}"
    short = {REASON_TEXTS[one]: words for one, words in _short().items()}
    return short.get(reason, reason)


def _short() -> dict[Reason, str]:
    from vox.context.projection.reasons import Reason

    return {
        Reason.FITS: "all fits",
        Reason.WORTH_IT: "worth it",
        Reason.SHORTER: "too long",
        Reason.HANDLE: "if needed",
        Reason.NO_ROOM: "no room",
        Reason.COVERED: "in a summary",
        Reason.PINNED: "pinned",
        Reason.BY_HAND: "by hand",
        Reason.SENT: "as sent before",
        Reason.TAKEN_OUT: "taken out",
        Reason.RECORD: "a record",
        Reason.SIDE: "stands beside",
        Reason.TRIMMED: "trimmed",
        Reason.PURGED: "purged",
        Reason.UNPAIRED: "no counterpart",
        Reason.NO_IMAGES: "no images",
        Reason.NO_TEXT: "no text",
        Reason.NOT_SENT_BACK: "not sent back",
        Reason.COPY: "a copy",
    }


def tokens_text(tokens: int, counted: str) -> str:
    """A count with a sign for what it is worth: `≤` before one that is never too low, `~` before
    an estimate."""
    if not tokens or counted == "exact":
        return people.number(tokens)
    return f"{'~' if counted == 'ratio' else '≤'}{people.number(tokens)}"


def what_a_count_is(counted: str) -> str:
    """What a count is worth, as a sentence."""
    return {
        "exact": "exact",
        "bound": "≤, never below what there is",
        "assumed": "≤, never below what there is if what is assumed of the tokenizer holds",
        "ratio": "~, estimated by measured ratios",
    }[counted]
