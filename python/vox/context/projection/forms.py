"""Shorter forms of texts: the beginning and the end, and between them how much is left out."""

from __future__ import annotations

import json
from codecs import getincrementaldecoder
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vox.context.projection.frames import Cap
from vox.context.projection.material import Integers

ROUNDS = 12
"""How often a form is cut anew until it fits. Judgement: each takes away a tenth at least."""

BYTES_A_TOKEN = 4
"""Where cutting begins. Judgement; what is counted then decides."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """An item that is to be shortened."""

    item: int
    limit: int
    """Tokens that the form may have."""
    arguments: bool
    """Whether it is the input of a tool call: the form is JSON then, as it was."""


def shorten(
    wanted: Sequence[Wanted], contents: Sequence[bytes], cap: Cap, head: float, signed: bool
) -> list[tuple[str, int]]:
    """For each content its form, and the tokens of that, which are at most its limit; `head` is the
    share of the beginning. `signed` forms say how the rest is opened. The same content and limit
    always give the same form."""
    sizes = [
        min(len(content), one.limit * BYTES_A_TOKEN)
        for one, content in zip(wanted, contents, strict=True)
    ]
    found: list[tuple[str, int]] = [("", 0)] * len(wanted)
    open_ones = list(range(len(wanted)))
    for _ in range(ROUNDS):
        if not open_ones:
            break
        forms = [form(wanted[at], contents[at], sizes[at], head, signed=signed) for at in open_ones]
        tokens = cap(forms)
        left = []
        for at, text, cost in zip(open_ones, forms, tokens, strict=True):
            if cost <= wanted[at].limit:
                found[at] = text, cost
            elif sizes[at] == 0:
                found[at] = _least(wanted[at], cap)
            else:
                left.append(at)
                sizes[at] = min(sizes[at] * wanted[at].limit // cost, sizes[at] * 9 // 10)
        open_ones = left
    for at in open_ones:
        found[at] = _least(wanted[at], cap)
    return found


def form(wanted: Wanted, content: bytes, size: int, head: float, *, signed: bool) -> str:
    """About `size` bytes of a text: its beginning, a signpost, its end; all of it if that is less.
    What is no UTF-8 is U+FFFD; characters and, where there are any near, lines stay whole."""
    if size >= len(content):
        text = content.decode("utf-8", "replace")
    else:
        begins = int(size * head)
        first, last = beginning(content, begins), ending(content, size - begins)
        left = len(content) - len(first) - len(last)
        more = f"; all of it: item:{wanted.item}" if signed else ""
        text = (
            f"{first.decode('utf-8', 'replace')}\n[… {left} of {len(content)} bytes left out for a "
            f"limit of {wanted.limit} tokens{more} …]\n{last.decode('utf-8', 'replace')}"
        )
    return json.dumps({"shortened": text}, ensure_ascii=False) if wanted.arguments else text


def beginning(content: bytes, size: int) -> bytes:
    """At most `size` bytes from the start: no character is cut, and no line if that leaves half of
    them."""
    cut = content[:size]
    line = cut.rfind(b"\n")
    if line >= 0 and line >= size // 2:
        return cut[:line]
    decoder = getincrementaldecoder("utf-8")("replace")
    decoder.decode(cut, final=False)
    begun, _ = decoder.getstate()
    return cut[: len(cut) - len(begun)]


def ending(content: bytes, size: int) -> bytes:
    """The same from the end."""
    cut = content[len(content) - size :]
    line = cut.find(b"\n")
    if 0 <= line < size // 2:
        return cut[line + 1 :]
    start = 0
    while start < min(3, len(cut)) and cut[start] & 0xC0 == 0x80:
        start += 1
    return cut[start:]


def grown(own: Integers, limits: Integers, spare: int) -> Integers:
    """The limits of shorter forms with `spare` tokens shared out among them by how much each leaves
    out of its item's `own` tokens."""
    left_out = np.maximum(own - limits - 1, 0)
    total = int(left_out.sum())
    if spare <= 0 or not total:
        return limits
    more: Integers = limits + np.minimum(left_out, left_out * min(spare, total) // total)
    return more


def _least(wanted: Wanted, cap: Cap) -> tuple[str, int]:
    text = '{"shortened":"…"}' if wanted.arguments else "[…]"
    return text, cap([text])[0]
