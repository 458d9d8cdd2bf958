"""Why an item has its fate."""

from __future__ import annotations

from enum import IntEnum


class Reason(IntEnum):
    """Reasons that many items share; single ones get a note of their own."""

    FITS = 0
    WORTH_IT = 1
    SHORTER = 2
    HANDLE = 3
    NO_ROOM = 4
    COVERED = 5
    PINNED = 6
    BY_HAND = 7
    SENT = 8
    TAKEN_OUT = 9
    RECORD = 10
    SIDE = 11
    TRIMMED = 12
    PURGED = 13
    UNPAIRED = 14
    NO_IMAGES = 15
    NO_TEXT = 16
    NOT_SENT_BACK = 17
    COPY = 18


FOR_ROOM = (Reason.SHORTER, Reason.HANDLE, Reason.NO_ROOM, Reason.COVERED)
"""Those of items that a larger budget might show in full."""

REASON_TEXTS = {
    Reason.FITS: "all of the window fits",
    Reason.WORTH_IT: "worth its tokens",
    Reason.SHORTER: "its beginning and end are worth their tokens, all of it isn't",
    Reason.HANDLE: "can be opened when it is needed",
    Reason.NO_ROOM: "others are worth more for its tokens",
    Reason.COVERED: "others are worth more for its tokens; a later summary stands for it",
    Reason.PINNED: "pinned",
    Reason.BY_HAND: "set by hand",
    Reason.SENT: "as it was sent before",
    Reason.TAKEN_OUT: "taken out by hand",
    Reason.RECORD: "a record of its producer, no part of the conversation",
    Reason.SIDE: "stands beside the conversation",
    Reason.TRIMMED: "trimmed",
    Reason.PURGED: "purged: its content is gone",
    Reason.UNPAIRED: "its call, or the result of it, can't be shown",
    Reason.NO_IMAGES: "the model takes no images",
    Reason.NO_TEXT: "no text, and no image",
    Reason.NOT_SENT_BACK: "reasoning isn't sent back to this model",
    Reason.COPY: "a copy of another item",
}
"""As sentences."""
