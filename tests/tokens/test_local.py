"""Models that are counted by the files that lie here."""

from __future__ import annotations

from pathlib import Path

import pytest
import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

import vox
from tests.tokens import gguf_files
from tests.tokens.texts import PARTS, random_texts
from vox.errors import MalformedError, UnsupportedError
from vox.tokens import TokenEstimator

ALPHABET = sorted(pre_tokenizers.ByteLevel.alphabet())


@pytest.fixture(scope="module")
def trained() -> tokenizers.Tokenizer:
    """A small tokenizer of the kind that most models have."""
    tokenizer = tokenizers.Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600, show_progress=False, initial_alphabet=ALPHABET, special_tokens=["<|end|>"]
    )
    tokenizer.train_from_iterator([*PARTS, *random_texts(500, seed=2)], trainer)
    tokenizer.encode_special_tokens = True
    return tokenizer


@pytest.fixture
def folder(tmp_path: Path, trained: tokenizers.Tokenizer) -> Path:
    """A folder with its file."""
    folder = tmp_path / "model"
    folder.mkdir()
    trained.save(str(folder / "tokenizer.json"))
    return folder


def gguf(path: Path, pre: str, kind: str = "gpt2") -> Path:
    """A model of bytes alone."""
    return gguf_files.write(
        path,
        {
            "general.architecture": "llama",
            "tokenizer.ggml.model": kind,
            "tokenizer.ggml.pre": pre,
            "tokenizer.ggml.tokens": [*ALPHABET, "ab"],
            "tokenizer.ggml.token_type": [1] * 257,
            "tokenizer.ggml.merges": ["a b"],
        },
    )


def test_a_tokenizer_json_is_counted_as_its_library_does(
    folder: Path, trained: tokenizers.Tokenizer
) -> None:
    texts = random_texts(3000, seed=4)
    meant = trained.encode_batch(texts, add_special_tokens=False)
    for model in (folder, str(folder), folder / "tokenizer.json"):
        estimator = TokenEstimator(model)
        assert estimator.kind == "exact"
        assert estimator.says == f"exact: the tokenizer in {folder / 'tokenizer.json'}"
        assert estimator.exact(texts).tolist() == [len(encoding.ids) for encoding in meant]
        assert estimator.tokenizer.encode(texts[0]) == meant[0].ids


def test_what_is_compiled_of_it_lies_in_the_home(folder: Path, home: Path) -> None:
    assert not home.exists()
    TokenEstimator(folder)
    assert any((home / "tokenizers").iterdir())


def test_one_file_is_loaded_once_and_a_changed_one_anew(
    folder: Path, trained: tokenizers.Tokenizer
) -> None:
    first = TokenEstimator(folder)
    assert TokenEstimator(folder).tokenizer is first.tokenizer
    changed = trained.to_str().replace('"use_regex":true', '"use_regex":false')
    assert changed != trained.to_str()
    (folder / "tokenizer.json").write_text(changed)
    assert TokenEstimator(folder).fingerprint != first.fingerprint


def test_a_model_of_the_hub_is_counted_by_its_own_file(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(UnsupportedError, match="Qwen is not at hand"):
        vox.count_tokens(["text"], "Qwen/Qwen3-8B", kind="exact")
    snapshots = tmp_path / "models--Qwen--Qwen3-8B" / "snapshots"
    snapshots.mkdir(parents=True)
    folder.rename(snapshots / "abc")
    assert TokenEstimator("Qwen/Qwen3-8B").says.endswith("/snapshots/abc/tokenizer.json")
    assert vox.count_tokens(["text"], "Qwen/Qwen3-8B", kind="exact").shape == (1,)


def test_a_gguf_file_is_counted_whatever_its_name(tmp_path: Path) -> None:
    path = gguf(tmp_path / "model.gguf", "gpt-2")
    estimator = TokenEstimator(path)
    assert estimator.kind == "exact"
    assert estimator.exact(["abab ab", "漢"]).tolist() == [4, 3]
    (tmp_path / "blobs").mkdir()
    manifest = tmp_path / "manifests" / "registry.ollama.ai" / "library" / "own" / "1b"
    manifest.parent.mkdir(parents=True)
    kind = "application/vnd.ollama.image.model"
    manifest.write_text(f'{{"layers": [{{"mediaType": "{kind}", "digest": "sha256:1"}}]}}')
    path.rename(tmp_path / "blobs" / "sha256-1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OLLAMA_MODELS", str(tmp_path))
        assert TokenEstimator("own:1b").fingerprint == estimator.fingerprint


def test_a_gguf_file_that_is_cut_in_an_unknown_way_has_a_proven_bound_and_says_why(
    tmp_path: Path,
) -> None:
    estimator = TokenEstimator(gguf(tmp_path / "model.gguf", "of-tomorrow"))
    assert estimator.kind == estimator.kind_of("cap") == "bound"
    assert estimator.fingerprint is None
    assert "of-tomorrow" in estimator.says_of("bound")
    assert estimator.bound(["abab", "漢"]).tolist() == [4, 3]
    assert estimator.fits(["abab"], 4).kind == "bound"
    with pytest.raises(UnsupportedError, match="of-tomorrow"):
        estimator.exact(["abab"])


def test_a_gguf_file_of_an_unknown_kind_has_an_assumed_bound(tmp_path: Path) -> None:
    estimator = TokenEstimator(gguf(tmp_path / "model.gguf", "gpt-2", kind="of-tomorrow"))
    assert estimator.kind_of("cap") == "assumed"
    assert "of-tomorrow" in estimator.says_of("assumed")


def test_files_that_are_no_tokenizers_are_refused(tmp_path: Path) -> None:
    for name, content in [("a.json", "{}"), ("b.json", "not JSON"), ("c.gguf", "GGUF")]:
        (tmp_path / name).write_text(content)
        with pytest.raises((MalformedError, UnsupportedError), match=name):
            TokenEstimator(tmp_path / name)


def test_a_component_that_is_not_covered_is_an_error_and_no_approximation(
    folder: Path, trained: tokenizers.Tokenizer
) -> None:
    unknown = trained.to_str().replace('{"type":"ByteLevel"', '{"type":"OfTomorrow"', 1)
    (folder / "tokenizer.json").write_text(unknown)
    with pytest.raises(UnsupportedError, match="OfTomorrow"):
        TokenEstimator(folder)
