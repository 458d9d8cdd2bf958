"""Small vocabularies of every kind that a GGUF file can hold, made of words that tests use."""

import random
from pathlib import Path

from tests.tokens.gguf_files import Value, loads

SMOLLM2 = Path(__file__).parents[1] / "data" / "gguf" / "smollm2-8k.gguf"

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6

WORDS = [
    *("the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog"),
    *("don't", "we'll", "HELLO", "camelCase", "XMLHttp", "http://x.y/z?q=1", "base64==", "été"),
    *("Straße", "İstanbul", "你好世界", "日本語", "カタカナ", "한국어", "हिन्दी", "ไทย"),
    *("العربية", "12345", "½", "Ⅷ", "ﬁ", "①"),
]
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
FOUND = ["<tool_call>", "  ", "    ", "\n\n", "<<", "<", "ab"]
"""User-defined tokens: some within others, some that overlap themselves."""


def byte_pairs(pre: str) -> dict[str, Value]:
    """SmolLM2's, cut another way."""
    return loads(SMOLLM2.read_bytes()) | {"tokenizer.ggml.pre": pre}


def with_user_defined(metadata: dict[str, Value], *texts: str) -> dict[str, Value]:
    """The same with user-defined tokens behind its own: `texts`, or `FOUND`."""
    tokens, kinds = metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.token_type"]
    assert isinstance(tokens, list)
    assert isinstance(kinds, list)
    new = [text for text in texts or FOUND if text not in tokens]
    return metadata | {
        "tokenizer.ggml.tokens": [*map(str, tokens), *new],
        "tokenizer.ggml.token_type": [*map(int, kinds), *[USER_DEFINED] * len(new)],
        "llama.vocab_size": len(tokens) + len(new),
    }


def characters(pre: str, model: str = "gpt2") -> dict[str, Value]:
    """Merges of characters, with bytes for what is unknown."""
    merges: list[str] = []
    pieces: dict[str, None] = dict.fromkeys("▁\n" + "".join(WORDS))
    for word in ["▁", "▁▁", *("▁" + word for word in WORDS), *WORDS, "\n\n"]:
        for end in range(2, len(word) + 1):
            merges.append(f"{word[: end - 1]} {word[end - 1]}")
            pieces[word[:end]] = None
    return _file(model, ["<unk>", "<eos>", *BYTES, *pieces], pre=pre) | {
        "tokenizer.ggml.merges": list(dict.fromkeys(merges)),
        "tokenizer.ggml.token_type": [UNKNOWN, CONTROL, *[BYTE] * 256, *[NORMAL] * len(pieces)],
    }


def scores(*, add_space_prefix: bool = True) -> dict[str, Value]:
    """SentencePiece's byte-pair encoding; many tokens have the same score."""
    pieces = list(_parts("▁").keys() | {"▁▁", "▁▁▁▁", "<s", "s>", "▁<"})
    chance = random.Random(7)
    tokens = ["<unk>", "<s>", "</s>", *BYTES, *FOUND, *sorted(set(pieces) - set(FOUND))]
    rest = len(tokens) - 259 - len(FOUND)
    return _file("llama", tokens) | {
        "tokenizer.ggml.scores": [0.0] * (259 + len(FOUND))
        + [-float(chance.randrange(rest // 2)) for _ in range(rest)],
        "tokenizer.ggml.token_type": [UNKNOWN, CONTROL, CONTROL, *[BYTE] * 256]
        + [USER_DEFINED] * len(FOUND)
        + [NORMAL] * rest,
        "tokenizer.ggml.add_space_prefix": add_space_prefix,
    }


def phi3() -> dict[str, Value]:
    """The same, where user-defined tokens swallow the space behind them."""
    more = with_user_defined(scores(), "<|endoftext|>")
    given = more["tokenizer.ggml.scores"]
    assert isinstance(given, list)
    return more | {
        "general.name": "Phi-3 mini",
        "tokenizer.ggml.scores": [*map(float, given), 0.0],
    }


def unigram(*, merge_spaces: bool, charsmap: bytes = b"") -> dict[str, Value]:
    """A unigram model; many ways to cut a word are equally good."""
    chance = random.Random(8)
    pieces = sorted(_parts("▁").keys() - set(FOUND))
    tokens = ["<pad>", "</s>", "<unk>", *FOUND, *pieces]
    metadata = _file("t5", tokens) | {
        "tokenizer.ggml.scores": [0.0] * (3 + len(FOUND))
        + [-chance.randrange(40) / 4 - len(FOUND) for _ in pieces],
        "tokenizer.ggml.token_type": [CONTROL, CONTROL, UNKNOWN]
        + [USER_DEFINED] * len(FOUND)
        + [NORMAL] * len(pieces),
        "tokenizer.ggml.add_space_prefix": True,
        "tokenizer.ggml.remove_extra_whitespaces": merge_spaces,
    }
    return metadata | ({"tokenizer.ggml.precompiled_charsmap": charsmap} if charsmap else {})


def words(*, lowercase: bool) -> dict[str, Value]:
    """WordPiece, in the spelling of GGUF: what begins a word has a `▁`."""
    pieces = _parts("") | _parts("▁")
    pieces |= {piece.lower(): None for piece in pieces}
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *pieces]
    return _file("bert", tokens) | {
        "tokenizer.ggml.token_type": [CONTROL] * 4 + [NORMAL] * len(pieces),
        "tokenizer.ggml.unknown_token_id": 1,
        "tokenizer.ggml.normalizer.lowercase": lowercase,
    }


def escaped() -> dict[str, Value]:
    """RWKV's: byte strings, written with backslashes."""
    texts = [bytes([byte]) for byte in range(256)]
    texts += [word.encode() for word in [*_parts(""), *_parts(" ")] if len(word.encode()) > 1]
    tokens = dict.fromkeys(
        "".join(chr(byte) if 32 < byte < 127 and byte != 92 else f"\\x{byte:02x}" for byte in text)
        for text in dict.fromkeys(texts)
    )
    return _file("rwkv", ["<s>", *tokens])


def _parts(before: str) -> dict[str, None]:
    """Beginnings of words, and all short stretches of them."""
    chance = random.Random(9)
    parts: dict[str, None] = dict.fromkeys(
        before + word[:end] for word in WORDS for end in (1, 2, 4, 9)
    )
    for word in WORDS:
        stretches = [word[at : at + length] for at in range(len(word)) for length in (1, 2, 3)]
        parts |= dict.fromkeys(each for each in stretches if chance.random() < 0.8)
    return parts


def _file(model: str, tokens: list[str], pre: str | None = None) -> dict[str, Value]:
    metadata: dict[str, Value] = {
        "general.architecture": "llama",
        "tokenizer.ggml.model": model,
        "tokenizer.ggml.tokens": tokens,
        "llama.vocab_size": len(tokens),
    }
    hyper = {
        "context_length": 512,
        "embedding_length": 64,
        "block_count": 1,
        "feed_forward_length": 64,
        "attention.head_count": 1,
    }
    metadata |= {f"llama.{key}": value for key, value in hyper.items()}
    return metadata | ({"tokenizer.ggml.pre": pre} if pre else {})


def charsmap(rules: dict[str, str]) -> bytes:
    """SentencePiece's compiled normaliser for `rules`: a double array of 32-bit units, then what
    keys become, each ended by NUL."""
    replacements = b""
    trie: dict[bytes, int | None] = {b"": None}
    for key, becomes in rules.items():
        raw = key.encode()
        trie |= {raw[:end]: trie.get(raw[:end]) for end in range(len(raw))}
        trie[raw] = len(replacements)
        replacements += becomes.encode() + b"\0"
    units: dict[int, int] = {0: 0}
    places, bases = {b"": 0}, set[int]()
    for prefix in sorted(trie, key=len):
        children = [key[-1] for key in trie if len(key) == len(prefix) + 1 and key[:-1] == prefix]
        labels = children + ([0] if trie[prefix] is not None else [])
        free = (base for base in range(1, 1 << 20) if base not in bases)
        base = next(base for base in free if not any(base ^ label in units for label in labels))
        bases.add(base)
        at = places[prefix]
        units[at] |= (at ^ base) << 10 | (trie[prefix] is not None) << 8
        units |= {base ^ label: label for label in children}
        places |= {prefix + bytes([label]): base ^ label for label in children}
        if (value := trie[prefix]) is not None:
            units[base] = 1 << 31 | value
    array = b"".join(
        units.get(at, 0).to_bytes(4, "little") for at in range(max(units) // 256 * 256 + 256)
    )
    return len(array).to_bytes(4, "little") + array + replacements
