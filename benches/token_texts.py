"""Texts to count: by class of content, all classes mixed, and hostile ones.

The texts of each class are the files that the setup of the peers leaves in `VOX_PERF/corpus`.
"""

from __future__ import annotations

import base64
import math
import os
import random
from pathlib import Path

from harness import NotHereError

MEDIAN, SPREAD, LONGEST = 600, 1.3, 2_000_000
"""Sizes of texts in bytes: lognormal, as of the items of transcripts."""

MIX = {
    "code_py": 0.30,
    "code_c": 0.12,
    "code_js": 0.06,
    "english": 0.25,
    "cjk": 0.06,
    "json_logs": 0.12,
    "base64": 0.03,
    "hex": 0.03,
    "whitespace": 0.01,
    "digits_uuid": 0.02,
}
"""Classes of content and their share of the mixed texts."""

CLASSES = [*MIX, "random_unicode"]


def perf_folder() -> Path:
    """Where corpora, vocabularies and peers are."""
    folder = os.environ.get("VOX_PERF")
    if not folder or not Path(folder).is_dir():
        raise NotHereError("VOX_PERF names no folder with corpora and vocabularies")
    return Path(folder)


def texts(what: str, megabytes: float) -> list[str]:
    """Texts of a class, or of all of them (`mix`), about so many bytes in all; the same each time.

    A class is cut into pieces from its start on, so no byte of it comes twice; the mix draws
    pieces from anywhere.
    """
    chance = random.Random(11)
    if what != "mix":
        return pieces(read(what)[: round(megabytes * 1e6)], chance)
    sources = {label: read(label) for label in MIX}
    cut: list[str] = []
    total = 0
    while total < megabytes * 1e6:
        source = sources[chance.choices(list(MIX), list(MIX.values()))[0]]
        length = size(chance)
        start = chance.randrange(max(1, len(source) - length))
        cut.append(source[start : start + length].decode("utf-8", "ignore"))
        total += length
    return cut


def pieces(source: bytes, chance: random.Random) -> list[str]:
    """The whole of a text in pieces."""
    cut = []
    start = 0
    while start < len(source):
        length = size(chance)
        cut.append(source[start : start + length].decode("utf-8", "ignore"))
        start += length
    return cut


def size(chance: random.Random) -> int:
    """The size of one text."""
    return max(1, min(LONGEST, int(chance.lognormvariate(math.log(MEDIAN), SPREAD))))


def read(label: str) -> bytes:
    """The text of a class."""
    path = perf_folder() / "corpus" / f"{label}.txt"
    if not path.exists():
        raise NotHereError(f"{path} is not there")
    return path.read_bytes()


def hostile(length: int) -> dict[str, str]:
    """Texts that make some counters slow, about `length` bytes each."""
    chance = random.Random(3)
    letters = "abcdefghijklmnopqrstuvwxyz"
    return {
        "aaaa": "a" * length,
        "spaces": " " * length,
        "spaces, x": " " * (length - 1) + "x",
        "newlines": "\n" * length,
        "base64": base64.b64encode(chance.randbytes(length * 3 // 4)).decode(),
        "hex": chance.randbytes(length // 2).hex(),
        "digits": "".join(chance.choices("0123456789", k=length)),
        "letters": "".join(chance.choices(letters, k=length)),
        "punctuation": "=-" * (length // 2),
        "ideographs": "".join(chr(chance.randint(0x4E00, 0x9FFF)) for _ in range(length // 3)),
        "combining": "a" + "\u0301" * (length // 2),
    }
