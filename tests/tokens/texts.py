"""Texts that tokenizers stumble over."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

PARTS: Final[Sequence[str]] = [
    *"aZ09 \t\n\r.,;'\"/\\_-({[<>=#@~",
    *("the", "Hello", "WORLD", "camelCase", "naïve", "straße", "İstanbul", "Ǆ", "ﬁ", "ſ"),
    *("'s", "'S", "'ſ", "'ll", "'LL", "'Re", "’s", "don't", "I'D"),
    *("123", "1234567", "3.14", "²", "Ⅷ", "١٢٣", "〇"),
    *("  ", "    ", "\t\t", "\n\n", "\r\n", " \n ", "\u00a0", "\u3000", "\u200b", "\u2028", "\x85"),
    *("漢字", "かな", "カナ", "한글", "русский", "ελληνικά", "עברית", "العربية", "हिन्दी", "ไทย"),
    *("e\u0301", "a\u0300\u0301\u0302", "\u0301", "क़", "\u0344", "각"),
    *("🙂", "👩‍👩‍👧‍👦", "🇩🇪", "☃\ufe0f", "\U0001f3f4\U000e0067", "𝒳", "\U0010ffff"),
    *("\0", "\x1b[0m", "\ufeff", "\ufffd", "\ue000", "\uffff"),
    *("<|endoftext|>", "<|im_start|>", "<|endofprompt|>", "[INST]", "</s>"),
    *("//", "/*", "*/", "::", "->", "!=", "...", "```", "====", "----", "{\n", "});\n"),
    *("deadbeef", "aGVsbG8gd29ybGQ=", "550e8400-e29b-41d4-a716-446655440000", "\\u00e9"),
]
"""What patterns, merges and normalisers treat apart."""


def random_texts(count: int, seed: int) -> list[str]:
    """`count` short texts: parts that follow each other, repeat or are anything at all. The same
    for the same seed."""
    rng = random.Random(seed)
    return [_text(rng) for _ in range(count)]


def _text(rng: random.Random) -> str:
    shape = rng.random()
    if shape < 0.1:
        return rng.choice(PARTS) * rng.randrange(1, 40)
    if shape < 0.2:
        return "".join(chr(_scalar(rng)) for _ in range(rng.randrange(12)))
    return "".join(rng.choices(PARTS, k=rng.randrange(12)))


def _scalar(rng: random.Random) -> int:
    value = rng.choice([rng.randrange(0x80), rng.randrange(0x3000), rng.randrange(0x10F800)])
    return value if value < 0xD800 else value + 0x800
