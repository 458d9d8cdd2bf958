"""The tokenizer inside a GGUF file: its ids are llama.cpp's."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokens import vocabularies
from tests.tokens.gguf_files import Value, dumps, write
from tests.tokens.llamacpp import Judge, Library, library
from tests.tokens.real import real_files
from tests.tokens.texts import PARTS, random_texts
from vox._native import Gguf, Tokenizer
from vox.errors import MalformedError, UnsupportedError
from vox.tokens.estimator import TokenEstimator

CONTRACT = Path(__file__).parents[2] / "contracts" / "gguf.md"
PRES = re.findall(
    r"`([^`]+)`", CONTRACT.read_text().split("A file without it is `default`.")[1].split("##")[0]
)

OWN = [
    *vocabularies.WORDS,
    *vocabularies.FOUND,
    "▁",
    "<0x41>",
    "<unk>",
    "<s>",
    "\u0378",
    "\u1c89",
    "\U0001faea",
]
"""What the assembled vocabularies know, and characters that are newer than llama.cpp's Unicode."""

NFKC = {
    "ﬁ": "fi",
    "①": "1",
    "\u3000": " ",
    "é": "é",
    "e\u0301": "é",
    "½": "1⁄2",
    "\u00a0": " ",
    "\t": " ",
    "Ⅷ": "VIII",
}

ASSEMBLED: dict[str, dict[str, Value]] = {
    "byte pairs": vocabularies.byte_pairs("smollm"),
    "characters": vocabularies.characters("gemma4", "gemma4"),
    "characters with words": vocabularies.characters("mmbert"),
    "characters without newlines": vocabularies.characters("sarvam-moe"),
    "characters without space": vocabularies.characters("whitespace", "whitespace"),
    "scores": vocabularies.scores(),
    "scores without prefix": vocabularies.scores(add_space_prefix=False),
    "unigram": vocabularies.unigram(merge_spaces=False),
    "unigram with a normaliser": vocabularies.unigram(
        merge_spaces=True, charsmap=vocabularies.charsmap(NFKC)
    ),
    "words": vocabularies.words(lowercase=True),
    "words with case": vocabularies.words(lowercase=False),
    "byte strings": vocabularies.escaped(),
    "lower case": vocabularies.characters("whitespace", "whitespace")
    | {"tokenizer.ggml.normalizer.lowercase": True},
    "user-defined": vocabularies.with_user_defined(vocabularies.byte_pairs("llama-bpe")),
    "Phi-3": vocabularies.phi3(),
}


@pytest.fixture(scope="module")
def llama_cpp() -> Library:
    """llama.cpp. Its wheels are there for the common platforms."""
    pytest.importorskip("xllamacpp", reason="llama.cpp's wheel is not installed")
    return library()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder for files."""
    return tmp_path


def texts(count: int, seed: int) -> list[str]:
    """Texts that stumble, and some of what the assembled vocabularies know."""
    own = random_texts(count, seed + 1)
    words = [OWN[(at * 7 + seed) % len(OWN)] for at in range(count)]
    return [
        *random_texts(count, seed),
        *(f"{text}{word} {word}{text}" for text, word in zip(own, words, strict=True)),
    ]


def agree(tokenizer: Tokenizer, judge: Judge, texts: list[str]) -> None:
    """Ids and counts are the judge's, and no bound is below them."""
    items = [text.encode() for text in texts]
    want = [judge.encode(item) for item in items]
    for text, item, ids in zip(texts, items, want, strict=True):
        assert tokenizer.encode(item) == ids, repr(text)
    counts = [len(ids) for ids in want]
    assert list(memoryview(tokenizer.count_many(items)).cast("I")) == counts
    for bounds in (tokenizer.tight_bound_many(items), tokenizer.bound_many(items)):
        pairs = zip(memoryview(bounds).cast("I"), counts, texts, strict=True)
        assert not [text for bound, count, text in pairs if bound < count]


@pytest.mark.parametrize("kind", ASSEMBLED)
def test_every_kind_gives_the_ids_of_llama_cpp(kind: str, llama_cpp: Library, folder: Path) -> None:
    file = write(folder / "model.gguf", ASSEMBLED[kind])
    with Judge(llama_cpp, file) as judge:
        agree(Tokenizer.from_gguf(file), judge, ["", *PARTS, *OWN, *texts(400, 1)])


@pytest.mark.parametrize("pre", PRES)
def test_every_way_of_cutting_gives_the_ids_of_llama_cpp(
    pre: str, llama_cpp: Library, folder: Path
) -> None:
    of_characters = pre in {
        "gemma4",
        "granite-embed-multi-311m",
        "mmbert",
        "sarvam-moe",
        "whitespace",
    }
    make = vocabularies.characters if of_characters else vocabularies.byte_pairs
    metadata = make(pre)
    if pre == "whitespace":
        # llama.cpp aborts on spaces else.
        metadata["tokenizer.ggml.model"] = "whitespace"
    file = write(folder / "model.gguf", metadata)
    with Judge(llama_cpp, file) as judge:
        agree(Tokenizer.from_gguf(file), judge, [*PARTS, *texts(100, 2)])


@pytest.mark.parametrize("file", real_files("gguf/*.gguf"))
def test_real_vocabularies_give_the_ids_of_llama_cpp(file: Path, llama_cpp: Library) -> None:
    with Judge(llama_cpp, file) as judge:
        agree(Tokenizer.from_gguf(file), judge, [*PARTS, *texts(1000, 3)])


@pytest.mark.parametrize(
    "kind", ["byte pairs", "scores", "unigram", "words", "characters", "byte strings"]
)
@pytest.mark.parametrize(
    "piece", ["a", " ", "\n", "the ", "é", "e\u0301", "0", "你", "🙂", "\0", "="]
)
def test_long_runs_give_the_ids_of_llama_cpp(
    kind: str, piece: str, llama_cpp: Library, folder: Path
) -> None:
    file = write(folder / "model.gguf", ASSEMBLED[kind])
    with Judge(llama_cpp, file) as judge:
        agree(Tokenizer.from_gguf(file), judge, [piece * 20_000])


@pytest.mark.parametrize("kind", ASSEMBLED)
def test_what_is_no_text_counts_as_the_replacement_character(kind: str, folder: Path) -> None:
    tokenizer = Tokenizer.from_gguf(write(folder / "model.gguf", ASSEMBLED[kind]))
    for item in (b"\xff", b"a\xc3", b"\xe2\x82 b", b"\xed\xa0\x80", b"ok \xf0\x9f\x99"):
        assert tokenizer.encode(item) == tokenizer.encode(item.decode(errors="replace"))


def test_control_tokens_in_a_text_are_text_and_user_defined_ones_are_found(folder: Path) -> None:
    metadata = vocabularies.with_user_defined(vocabularies.byte_pairs("smollm"))
    tokenizer = Tokenizer.from_gguf(write(folder / "model.gguf", metadata))
    tokens = metadata["tokenizer.ggml.tokens"]
    assert isinstance(tokens, list)
    assert tokenizer.encode("<tool_call>") == [tokens.index("<tool_call>")]
    assert len(tokenizer.encode("<|im_start|>")) > 1


def test_an_unknown_way_of_cutting_has_no_exact_count_and_says_so(folder: Path) -> None:
    file = write(folder / "model.gguf", vocabularies.byte_pairs("from-tomorrow"))
    with pytest.raises(UnsupportedError, match=r'tokenizer\.ggml\.pre is "from-tomorrow"'):
        Tokenizer.from_gguf(file)
    estimator = TokenEstimator(file)
    assert estimator.kind_of("cap") == "bound"
    assert "from-tomorrow" in estimator.says_of("bound")
    assert estimator.estimate("four").tokens == 4


@pytest.mark.parametrize("model", ["plamo2", "none", "hybriddna", "from-tomorrow"])
def test_an_unknown_kind_of_tokenizer_has_no_exact_count(model: str, folder: Path) -> None:
    metadata = vocabularies.byte_pairs("smollm") | {"tokenizer.ggml.model": model}
    with pytest.raises(UnsupportedError, match=model):
        Tokenizer.from_gguf(write(folder / "model.gguf", metadata))


def test_user_defined_tokens_whose_order_is_open_are_refused(folder: Path) -> None:
    metadata = vocabularies.with_user_defined(vocabularies.byte_pairs("smollm"), "xyz", "zyx")
    with pytest.raises(UnsupportedError, match="overlap"):
        Tokenizer.from_gguf(write(folder / "model.gguf", metadata))


def test_scores_without_tokens_for_all_bytes_are_refused(folder: Path) -> None:
    metadata = vocabularies.scores()
    tokens = metadata["tokenizer.ggml.tokens"]
    assert isinstance(tokens, list)
    metadata["tokenizer.ggml.tokens"] = [t if t != "<0xF0>" else "gone" for t in map(str, tokens)]
    with pytest.raises(UnsupportedError, match="0xf0"):
        Tokenizer.from_gguf(write(folder / "model.gguf", metadata))


def test_both_byte_orders_and_both_versions_say_the_same(folder: Path) -> None:
    metadata = ASSEMBLED["scores"]
    files = [
        write(folder / "little.gguf", metadata),
        write(folder / "big.gguf", metadata, order=">"),
        write(folder / "old.gguf", metadata, version=2),
    ]
    tokenizers = [Tokenizer.from_gguf(file) for file in files]
    assert len({tokenizer.fingerprint for tokenizer in tokenizers}) == 1
    assert len({tuple(tokenizer.encode("the quick")) for tokenizer in tokenizers}) == 1


def test_the_fingerprint_is_of_what_decides_counts(folder: Path) -> None:
    metadata = vocabularies.byte_pairs("smollm")

    def fingerprint(**changed: Value) -> str:
        changes = {f"tokenizer.ggml.{key}": value for key, value in changed.items()}
        return Tokenizer.from_gguf(write(folder / "model.gguf", metadata | changes)).fingerprint

    same = fingerprint()
    assert fingerprint(bos_token_id=5) == same
    assert fingerprint(pre="gpt-2") != same


def test_version_1_and_later_parts_are_refused(folder: Path) -> None:
    with pytest.raises(UnsupportedError, match="version 1"):
        Gguf(write(folder / "old.gguf", {"a": "b"}, version=1))
    with pytest.raises(UnsupportedError, match="part 2"):
        Gguf(write(folder / "model-00002-of-00003.gguf", {"split.no": 1}))


@given(st.data())
def test_a_file_that_breaks_off_is_malformed_and_says_where(data: st.DataObject) -> None:
    whole = dumps(SMALL)
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(MalformedError, match=r"at byte \d+"):
        Gguf(_held(whole[:cut]))


@given(st.data())
def test_damage_never_does_more_than_raise(data: st.DataObject) -> None:
    whole = bytearray(dumps(SMALL))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    with suppress(MalformedError, UnsupportedError):
        Tokenizer.from_gguf(_held(bytes(whole))).encode("the quick brown")


@pytest.mark.parametrize("model", ["gpt2", "llama", "bert", "t5", "rwkv"])
def test_a_vocabulary_without_tokens_is_no_tokenizer(model: str, folder: Path) -> None:
    file = write(folder / "model.gguf", {"tokenizer.ggml.model": model})
    with pytest.raises(MalformedError, match="no tokens"):
        Tokenizer.from_gguf(file)


@pytest.mark.parametrize("score", [float("inf"), float("-inf"), float("nan")])
def test_scores_that_cannot_be_added_are_malformed(score: float, folder: Path) -> None:
    metadata: dict[str, Value] = {
        "tokenizer.ggml.model": "t5",
        "tokenizer.ggml.tokens": ["<pad>", "</s>", "<unk>", "a"],
        "tokenizer.ggml.scores": [0.0, 0.0, 0.0, score],
    }
    with pytest.raises(MalformedError, match="a score"):
        Tokenizer.from_gguf(write(folder / "model.gguf", metadata)).encode("aaa")


@pytest.mark.parametrize("length", [2**64 - 1, 2**62, 10**9])
def test_a_length_beyond_the_file_takes_no_memory(length: int, folder: Path) -> None:
    file = folder / "model.gguf"
    key = b"\x15\0\0\0\0\0\0\0tokenizer.ggml.tokens"
    head = b"GGUF\3\0\0\0" + bytes(8) + b"\1\0\0\0\0\0\0\0"
    file.write_bytes(
        head + key + b"\x09\0\0\0\x08\0\0\0" + length.to_bytes(8, "little") + bytes(64)
    )
    with pytest.raises(MalformedError, match="64 bytes are left"):
        Gguf(file)


def test_what_framing_needs_is_said(folder: Path) -> None:
    smollm2 = Gguf(vocabularies.SMOLLM2)
    assert (smollm2.architecture, smollm2.model, smollm2.pre) == ("llama", "gpt2", "smollm")
    assert (smollm2.add_bos, smollm2.add_eos, smollm2.context_length) == (False, False, 8192)
    assert len(smollm2) == 8192
    assert smollm2.chat_template is not None
    assert "<|im_start|>" in smollm2.chat_template
    scores = Gguf(write(folder / "scores.gguf", vocabularies.scores()))
    assert (scores.add_bos, scores.add_eos, scores.chat_template) == (True, False, None)


def test_a_model_is_counted_by_the_path_of_its_file() -> None:
    estimator = TokenEstimator(vocabularies.SMOLLM2)
    assert estimator.kind == "exact"
    assert estimator.estimate("Hello there!").tokens == len(
        estimator.tokenizer.encode("Hello there!")
    )


SMALL: dict[str, Value] = {
    "tokenizer.ggml.model": "rwkv",
    "tokenizer.ggml.tokens": [f"\\x{byte:02x}" for byte in range(256)] + ["the"],
    "tokenizer.ggml.token_type": [1] * 256 + [4],
    "tokenizer.ggml.scores": [0.5] * 257,
    "general.name": "small",
    "general.size": 3,
    "general.tags": ["a", "b"],
    "general.languages": b"de",
}


def _held(data: bytes) -> str:
    """A file of `data` that lives in memory and goes with the process."""
    handle = os.memfd_create("gguf")
    os.write(handle, data)
    _open.append(handle)
    while len(_open) > 1:
        os.close(_open.pop(0))
    return f"/proc/self/fd/{handle}"


_open: list[int] = []
