"""Tokenizers that lie on the disk, by path or in the cache of the Hugging Face hub."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from vox.errors import InvalidArgumentError, NotFoundError, VoxError
from vox.tokens.files import fetched_file, hub_cache, named_file


def made(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


@pytest.mark.parametrize("name", ["tokenizer.json", "qwen.json", "model.gguf"])
def test_a_file_is_meant_by_its_path(tmp_path: Path, name: str) -> None:
    file = made(tmp_path / name)
    assert named_file(str(file)) == named_file(file) == file


def test_a_folder_stands_for_the_tokenizer_in_it(tmp_path: Path) -> None:
    model = made(tmp_path / "model-00001-of-00003.gguf")
    made(tmp_path / "model-00002-of-00003.gguf")
    made(tmp_path / "mmproj-model.gguf")
    assert named_file(tmp_path) == model
    file = made(tmp_path / "tokenizer.json")
    assert named_file(f"{tmp_path}{os.sep}") == file


def test_paths_begin_where_they_do_in_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    made(tmp_path / "folder" / "tokenizer.json")
    assert named_file("./folder") == Path("folder/tokenizer.json")
    assert named_file("~/folder") == tmp_path / "folder" / "tokenizer.json"
    assert named_file("folder/tokenizer.json") == Path("folder/tokenizer.json")


@pytest.mark.parametrize("name", ["gpt-5", "qwen3:8b", "org/name", "ft:gpt-4o:org::id", "folder"])
def test_a_name_is_no_path(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made(tmp_path / "folder" / "tokenizer.json")
    assert named_file(name) is None


def test_what_is_missing_or_holds_no_tokenizer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"missing\.gguf: there is no such file"):
        named_file(f"{tmp_path}/missing.gguf")
    with pytest.raises(InvalidArgumentError, match=r"neither a tokenizer\.json nor a \.gguf"):
        named_file(tmp_path)
    with pytest.raises(InvalidArgumentError, match=r"neither a tokenizer\.json nor a \.gguf"):
        named_file(made(tmp_path / "vocab.txt"))
    made(tmp_path / "one.gguf")
    made(tmp_path / "two.gguf")
    with pytest.raises(InvalidArgumentError, match=r"2 \.gguf files .* name one of them"):
        named_file(tmp_path)


def test_a_name_that_no_file_can_have_is_that_of_none() -> None:
    for name in ("./a\0b.json", "./\udcff.json", "~no-such-user/folder"):
        with pytest.raises(NotFoundError, match="there is no such"):
            named_file(name)
    with pytest.raises(VoxError, match="too long"):
        named_file("./" + "x" * 5_000)
    for name in ("org/" + "x" * 5_000, "x" * 5_000, "org/..", "", "\udcff"):
        assert named_file(name) is None
        assert fetched_file(name, {}) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names here")
def test_a_pipe_is_no_tokenizer_and_isnt_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "tokenizer.json")
    with pytest.raises(InvalidArgumentError, match="read from a file"):
        named_file(tmp_path / "tokenizer.json")
    with pytest.raises(InvalidArgumentError, match="neither"):
        named_file(tmp_path)


def test_the_hub_keeps_its_files_where_its_variables_say() -> None:
    default = Path("~/.cache/huggingface/hub").expanduser()
    assert hub_cache({}) == hub_cache({"HF_HOME": ""}) == default
    assert hub_cache({"XDG_CACHE_HOME": "/x"}) == Path("/x/huggingface/hub")
    assert hub_cache({"XDG_CACHE_HOME": "/x", "HF_HOME": "/h"}) == Path("/h/hub")
    assert hub_cache({"HF_HOME": "/h", "HF_HUB_CACHE": "/c"}) == Path("/c")


def test_a_damaged_reference_of_the_hub_refers_to_nothing(tmp_path: Path) -> None:
    environ = {"HF_HUB_CACHE": str(tmp_path)}
    reference = made(tmp_path / "models--org--name" / "refs" / "main")
    for damaged in (b"\xff", b"a\0b", b"", b"x" * 5_000):
        reference.write_bytes(damaged)
        assert fetched_file("org/name", environ) is None


def test_a_model_of_the_hub_is_found_in_the_snapshot_in_use(tmp_path: Path) -> None:
    environ = {"HF_HUB_CACHE": str(tmp_path)}
    repository = tmp_path / "models--org--name-1.5"
    assert fetched_file("org/name-1.5", environ) is None
    old = made(repository / "snapshots" / "aaa" / "tokenizer.json")
    new = made(repository / "snapshots" / "bbb" / "tokenizer.json")
    os.utime(old.parent, (1, 1))
    assert fetched_file("org/name-1.5", environ) == new
    made(repository / "refs" / "main").write_text("aaa")
    assert fetched_file("org/name-1.5", environ) == old
    (repository / "refs" / "main").write_text("ccc")
    assert fetched_file("org/name-1.5", environ) is None


@pytest.mark.parametrize("name", ["../..", "a/b/c", "org/", "name", "org/na me", ""])
def test_only_names_of_the_hub_are_looked_up_there(tmp_path: Path, name: str) -> None:
    assert fetched_file(name, {"HF_HUB_CACHE": str(tmp_path)}) is None


def test_a_folder_of_two_names_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made(tmp_path / "models" / "qwen" / "tokenizer.json")
    assert fetched_file("models/qwen", {}) == Path("models/qwen/tokenizer.json")


def fetched_by_ollama(folder: Path, manifest: str, blob: bytes) -> Path:
    """Lays a model into a folder as Ollama does."""
    digest = hashlib.sha256(blob).hexdigest()
    layers = [
        {"mediaType": "application/vnd.ollama.image.template", "digest": "sha256:0"},
        {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{digest}"},
    ]
    made(folder / "manifests" / manifest).write_text(json.dumps({"layers": layers}))
    file = made(folder / "blobs" / f"sha256-{digest}")
    file.write_bytes(blob)
    return file


@pytest.mark.parametrize(
    ("name", "manifest"),
    [
        ("qwen3:8b", "registry.ollama.ai/library/qwen3/8b"),
        ("qwen3", "registry.ollama.ai/library/qwen3/latest"),
        ("ollama/qwen3:8b", "registry.ollama.ai/library/qwen3/8b"),
        ("someone/model:1", "registry.ollama.ai/someone/model/1"),
        ("hf.co/org/name-GGUF:Q4_K_M", "hf.co/org/name-GGUF/Q4_K_M"),
    ],
)
def test_a_model_of_ollama_is_found_by_its_name(tmp_path: Path, name: str, manifest: str) -> None:
    environ = {"OLLAMA_MODELS": str(tmp_path), "HF_HUB_CACHE": str(tmp_path)}
    assert fetched_file(name, environ) is None
    model = fetched_by_ollama(tmp_path, manifest, b"GGUF")
    assert fetched_file(name, environ) == model
    assert fetched_file(f"{name}-other", environ) is None
    model.unlink()
    assert fetched_file(name, environ) is None


@pytest.mark.parametrize(
    "manifest", [b"", b"[]", b"{}", b'{"layers": [1]}', b"\xff", b'{"layers": []}']
)
def test_a_damaged_manifest_of_ollama_is_no_model(tmp_path: Path, manifest: bytes) -> None:
    path = made(tmp_path / "manifests" / "registry.ollama.ai" / "library" / "qwen3" / "8b")
    path.write_bytes(manifest)
    assert fetched_file("qwen3:8b", {"OLLAMA_MODELS": str(tmp_path)}) is None
