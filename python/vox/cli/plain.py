"""Text of transcripts made safe for a terminal.

A transcript may hold anything: escape sequences that repaint the screen or set
the clipboard, carriage returns that overwrite what stands before them, marks
that reverse the direction of writing. Shown, each is a visible sign.
"""

from __future__ import annotations

import re

# Control characters (C0, DEL, C1), marks of direction, line and paragraph separators, and
# surrogates, which no terminal can be sent.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def one_line(text: str) -> str:
    """`text` on one line: line ends and tabs as spaces, everything unsafe as a sign."""
    return _UNSAFE.sub(lambda match: " " if match[0] in "\t\n\r" else _sign(match[0]), text)


def lines(text: str) -> str:
    """`text` with its lines and tabs, everything unsafe as a sign."""
    text = text.replace("\r\n", "\n")
    return _UNSAFE.sub(lambda match: match[0] if match[0] in "\t\n" else _sign(match[0]), text)


def in_json(data: bytes) -> bytes:
    """JSON that says the same, everything unsafe in its strings as an escape."""
    if data.isascii() and b"\x7f" not in data:
        return data
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", data.decode()).encode()


def _sign(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"
