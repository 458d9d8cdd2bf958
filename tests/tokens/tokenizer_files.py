"""Small `tokenizer.json` files with every component, and the library that reads them."""

from __future__ import annotations

import base64
import json
import string
from pathlib import Path
from typing import Any

import tokenizers

from vox._native import Tokenizer

Json = dict[str, Any]

BEHAVIOURS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
GPT_2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

# Characters of which the models below know most.
KNOWN = (
    string.printable
    + "ÀàßéİıſΣςσﬁﬀ½²Ⅷ①あア漢字日本語한글각กำไทยहि한ÅΩĠĊ¡®ÿ▁"
    + "\u00a0\u3000\u200b\u200d\ufeff\u0301\u0300\u0327"
)


def oracle(file: Json | str) -> tokenizers.Tokenizer:
    """The library's own tokenizer, so that it counts contents as vox does."""
    text = file if isinstance(file, str) else json.dumps(file)
    tokenizer = tokenizers.Tokenizer.from_str(text)
    tokenizer.encode_special_tokens = True
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def in_vox(file: Json, folder: Path) -> Tokenizer:
    """The same in vox."""
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    return Tokenizer.from_tokenizer_json(path)


def ids(tokenizer: tokenizers.Tokenizer, text: str) -> list[int]:
    """The ids that the library gives."""
    return list(tokenizer.encode(text, add_special_tokens=False).ids)


def file(
    *,
    normalizer: Json | None = None,
    pre_tokenizer: Json | None = None,
    model: Json | None = None,
    added: list[Json] | None = None,
) -> Json:
    """A `tokenizer.json`. Without `model` one whose tokens tell where pieces end."""
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added or [],
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": None,
        "model": model or bpe(suffix="</w>"),
    }


def added_token(number: int, content: str, **flags: bool) -> Json:
    """An entry of `added_tokens`."""
    usual = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
    return {"id": 9000 + number, "content": content, **usual, **flags}


ADDED = [
    added_token(0, "<mask>", lstrip=True, special=True),
    added_token(1, "the", single_word=True),
    added_token(2, "<s>", rstrip=True),
    added_token(3, "</s>", normalized=True),
    added_token(4, "ING", normalized=True),
    added_token(5, "foo", lstrip=True, rstrip=True, normalized=True),
    added_token(6, "\n\n"),
    added_token(7, "é", normalized=True, single_word=True),
    added_token(8, "Hello WORLD", normalized=True),
    added_token(9, "[UNK]", special=True),
    added_token(10, "NK"),
]


def _normalizers() -> dict[str, list[Json]]:
    plain = ["ByteLevel", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "Nmt", "StripAccents"]
    all_of: dict[str, list[Json]] = {name: [{"type": name}] for name in plain}
    flags = (False, True)
    all_of["BertNormalizer"] = [
        {
            "type": "BertNormalizer",
            "clean_text": clean,
            "handle_chinese_chars": chinese,
            "strip_accents": accents,
            "lowercase": lower,
        }
        for clean in flags
        for chinese in flags
        for accents in (None, False, True)
        for lower in flags
    ]
    all_of["Precompiled"] = [{"type": "Precompiled", "precompiled_charsmap": charsmap()}]
    all_of["Prepend"] = [{"type": "Prepend", "prepend": "▁x"}]
    all_of["Replace"] = [
        {"type": "Replace", "pattern": {"String": " "}, "content": "▁▁"},
        {"type": "Replace", "pattern": {"String": "th"}, "content": ""},
        {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
    ]
    all_of["Strip"] = [
        {"type": "Strip", "strip_left": left, "strip_right": right}
        for left in flags
        for right in flags
    ]
    parts = ["Strip", "NFD", "StripAccents", "Prepend", "Lowercase", "Replace"]
    all_of["Sequence"] = [
        {"type": "Sequence", "normalizers": [all_of[part][-1] for part in parts]},
        {"type": "Sequence", "normalizers": []},
    ]
    return all_of


def _pre_tokenizers() -> dict[str, list[Json]]:
    plain = ["BertPreTokenizer", "UnicodeScripts", "Whitespace", "WhitespaceSplit"]
    all_of: dict[str, list[Json]] = {name: [{"type": name}] for name in plain}
    flags = (False, True)
    all_of["ByteLevel"] = [
        {"type": "ByteLevel", "add_prefix_space": space, "trim_offsets": True, "use_regex": regex}
        for space in flags
        for regex in flags
    ]
    all_of["CharDelimiterSplit"] = [{"type": "CharDelimiterSplit", "delimiter": "o"}]
    all_of["Digits"] = [{"type": "Digits", "individual_digits": flag} for flag in flags]
    all_of["FixedLength"] = [{"type": "FixedLength", "length": 3}, {"type": "FixedLength"}]
    all_of["Metaspace"] = [
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": split}
        for scheme in ("first", "never", "always")
        for split in flags
    ]
    all_of["Punctuation"] = [
        {"type": "Punctuation"},
        *({"type": "Punctuation", "behavior": behaviour} for behaviour in BEHAVIOURS),
    ]
    all_of["Split"] = [
        {"type": "Split", "pattern": pattern, "behavior": behaviour, "invert": invert}
        for pattern in ({"String": "t"}, {"Regex": GPT_2}, {"Regex": r"\p{N}{1,3}"})
        for behaviour in BEHAVIOURS
        for invert in flags
    ]
    first = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True}
    bytes_with_space = all_of["ByteLevel"][2]
    all_of["Sequence"] = [
        {"type": "Sequence", "pretokenizers": parts}
        for parts in (
            [all_of["Digits"][1], first],
            [all_of["WhitespaceSplit"][0], first, all_of["Punctuation"][0]],
            [all_of["Split"][6], bytes_with_space, first],
            [all_of["UnicodeScripts"][0], all_of["Digits"][0], all_of["ByteLevel"][1]],
            [],
        )
    ]
    return all_of


def bpe(*, suffix: str = "", prefix: str = "", **options: Any) -> Json:
    """A BPE of characters with some merges."""
    vocab = {"<unk>": 0}
    for c in KNOWN:
        for token in (c, c + suffix, prefix + c, prefix + c + suffix):
            vocab.setdefault(token, len(vocab))
    merges = []
    for left, right in [
        ("t", "h"), ("th", "e"), ("▁", "the"), ("▁", "▁"), ("▁▁", "▁▁"), ("a", "a"), ("aa", "aa"),
        (" ", " "), ("o", "n"), ("i", "n"), ("in", "g"), ("1", "2"), ("e", "\u0301"),
    ]:  # fmt: skip
        if prefix + right in vocab:
            vocab.setdefault(left + right, len(vocab))
            vocab.setdefault(prefix + left + right, len(vocab))
            merges.append([left, prefix + right])
    usual = {"unk_token": "<unk>", "fuse_unk": False, "byte_fallback": False}
    return {
        "type": "BPE",
        "dropout": None,
        "continuing_subword_prefix": prefix or None,
        "end_of_word_suffix": suffix or None,
        "vocab": vocab,
        "merges": merges,
        **usual,
        **options,
    }


def with_bytes(vocab: dict[str, int]) -> dict[str, int]:
    """The vocabulary with a token for every byte."""
    return vocab | {f"<0x{byte:02X}>": len(vocab) + byte for byte in range(256)}


def unigram(*, byte_fallback: bool) -> Json:
    """A Unigram in which some paths are as good as others, and unknown runs that are tokens."""
    words = ["the", "th", "he", "▁the", "ing", "in", "aa", "aaa", "日本", "zz", "▁▁", "on", "o n"]
    vocab = [["<unk>", 0.0], *([c, -3.0 - i % 7] for i, c in enumerate("abcdefghinorst▁ <>/u"))]
    vocab += [[word, -4.0 - i % 3 * 1.25] for i, word in enumerate(words)] + [["日日", -90.0]]
    if byte_fallback:
        vocab += [[token, -20.0] for token in with_bytes({})]
    return {"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": byte_fallback}


def word_piece(*, prefix: str, longest: int) -> Json:
    """A WordPiece."""
    vocab = {"[UNK]": 0}
    words = ["the", "he", "ing", "qu", "ox", "日", "本", *string.ascii_letters, *string.digits]
    for word in words:
        vocab.setdefault(word, len(vocab))
        vocab.setdefault(prefix + word, len(vocab))
    return {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": prefix,
        "max_input_chars_per_word": longest,
        "vocab": vocab,
    }


def word_level() -> Json:
    """A WordLevel."""
    vocab = {word: i for i, word in enumerate(["[UNK]", "the", "fox", ".", "日本語", "12345"])}
    return {"type": "WordLevel", "vocab": vocab, "unk_token": "[UNK]"}


def _models() -> dict[str, list[Json]]:
    flags = (False, True)
    plain = bpe()["vocab"]
    legacy = bpe()
    legacy["merges"] = [" ".join(merge) for merge in legacy["merges"] if " " not in "".join(merge)]
    return {
        "BPE": [
            legacy,
            bpe(unk_token=None),
            *(bpe(fuse_unk=fuse) for fuse in flags),
            *(
                bpe(vocab=with_bytes(plain), byte_fallback=True, fuse_unk=fuse, unk_token=unknown)
                for fuse in flags
                for unknown in (None, "<unk>")
            ),
            bpe(
                vocab={**plain, "<0xE6>": 7000, "<0x97>": 7001, "<0xA5>": 7002}, byte_fallback=True
            ),
            bpe(ignore_merges=True, vocab={**plain, "fox": 7000, "日本語 ": 7001}),
            *(bpe(prefix="##", suffix=suffix) for suffix in ("", "</w>")),
        ],
        "Unigram": [unigram(byte_fallback=flag) for flag in flags],
        "WordPiece": [
            word_piece(prefix=prefix, longest=longest)
            for prefix in ("##", "", "▁")
            for longest in (3, 100)
        ],
        "WordLevel": [word_level()],
    }


def charsmap() -> str:
    """A character map as SentencePiece compiles it: a double array, each node a block."""
    replacements = {
        "ﬁ": "fi",
        "①": "1",
        "e\u0301": "é",
        "\u200b": "",
        "\r": " ",
        "Ⅷ": "VIII",
        "½": "1/2",
    }
    text = b""
    children: list[dict[int, int]] = [{}]
    values: dict[int, int] = {}
    for old, new in replacements.items():
        node = 0
        for byte in old.encode():
            if byte not in children[node]:
                children.append({})
                children[node][byte] = len(children) - 1
            node = children[node][byte]
        values[node] = len(text)
        text += new.encode() + b"\0"
    units = [0] * (256 * (len(children) + 1))
    # Node n has its children in block n + 1; the root is unit 0.
    places = {0: 0}
    for node, below in enumerate(children):
        place, block = places[node], 256 * (node + 1)
        units[place] |= (place ^ block) << 10
        if node in values:
            units[place] |= 1 << 8
            units[block] = values[node] | 1 << 31
        for byte, child in below.items():
            places[child] = block ^ byte
            units[block ^ byte] = byte
    trie = b"".join(unit.to_bytes(4, "little") for unit in units)
    return base64.b64encode(len(trie).to_bytes(4, "little") + trie + text).decode()


NORMALIZERS = _normalizers()
PRE_TOKENIZERS = _pre_tokenizers()
MODELS = _models()
