"""What is compiled of a tokenizer and kept between processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tokens import tokenizer_files, vocabularies
from tests.tokens.gguf_files import Value, write
from tests.tokens.texts import random_texts
from vox._native import Tokenizer
from vox.tokens.loading import of_file

GGUF: dict[str, dict[str, Value]] = {
    "merges": vocabularies.with_user_defined(vocabularies.byte_pairs("llama-bpe")),
    "merges of characters": vocabularies.characters("gemma4", "gemma4"),
    "scores": vocabularies.scores(),
    "unigram": vocabularies.unigram(
        merge_spaces=True, charsmap=vocabularies.charsmap({"ﬁ": "fi", "\u3000": " "})
    ),
    "words": vocabularies.words(lowercase=True),
    "byte strings": vocabularies.escaped(),
}
FILES = ["tokenizer.json", *GGUF]
LOAD = (
    "import sys; from pathlib import Path; from vox.tokens.loading import of_file; "
    "print(of_file(Path(sys.argv[1]), Path(sys.argv[2])).encode('the quick brown fox'))"
)


def file(name: str, folder: Path) -> Path:
    """A file of one kind."""
    if name in GGUF:
        return write(folder / "model.gguf", GGUF[name])
    path = folder / "tokenizer.json"
    text = json.dumps(tokenizer_files.file(added=tokenizer_files.ADDED))
    path.write_text(text, encoding="utf-8")
    return path


def load(path: Path, compiled: Path | None = None) -> Tokenizer:
    """The tokenizer of a file, with or without a folder for what is compiled."""
    of_gguf = path.suffix == ".gguf"
    return (Tokenizer.from_gguf if of_gguf else Tokenizer.from_tokenizer_json)(path, compiled)


def loading(path: Path, compiled: Path) -> subprocess.Popen[str]:
    """A process that loads a file and prints ids."""
    return subprocess.Popen(
        [sys.executable, "-c", LOAD, path, compiled],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("name", FILES)
def test_the_compiled_form_is_kept_and_counts_the_same(name: str, tmp_path: Path) -> None:
    path, compiled = file(name, tmp_path), tmp_path / "compiled"
    without, first = load(path), load(path, compiled)
    (kept,) = compiled.iterdir()
    state = kept.stat()
    second = load(path, compiled)
    assert [kept] == list(compiled.iterdir())
    assert kept.stat().st_ino == state.st_ino  # it was taken, not written again
    texts = random_texts(200, 1)
    for tokenizer in (first, second):
        assert tokenizer.fingerprint == without.fingerprint
        assert tokenizer.encode_many(texts) == without.encode_many(texts)
        assert tokenizer.count_many(texts) == without.count_many(texts)
        assert tokenizer.bound_many(texts) == without.bound_many(texts)
        assert tokenizer.tight_bound_many(texts) == without.tight_bound_many(texts)


@pytest.mark.parametrize("name", FILES)
def test_the_compiled_form_is_the_same_every_time(name: str, tmp_path: Path) -> None:
    path = file(name, tmp_path)
    for folder in ("one", "two"):
        loading(path, tmp_path / folder).communicate()
    (one,), (two,) = (tmp_path / "one").iterdir(), (tmp_path / "two").iterdir()
    assert one.name == two.name
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("place", [0, 9, 20, 60, 85, 200, -1])
def test_a_damaged_compiled_form_is_compiled_again(place: int, name: str, tmp_path: Path) -> None:
    path, compiled = file(name, tmp_path), tmp_path / "compiled"
    load(path, compiled)
    (kept,) = compiled.iterdir()
    whole = kept.read_bytes()
    damaged = bytearray(whole)
    damaged[place] ^= 1
    for wrong in (damaged, whole[:place]):
        kept.unlink()
        kept.write_bytes(wrong)
        load(path, compiled)
        assert kept.read_bytes() == whole


def test_every_file_has_a_compiled_form_of_its_own(tmp_path: Path) -> None:
    compiled = tmp_path / "compiled"
    for number, name in enumerate([*FILES, *FILES]):
        path = file(name, tmp_path)
        assert load(path, compiled).encode("fox") == load(path).encode("fox")
        assert len(list(compiled.iterdir())) == min(number + 1, len(FILES))


@pytest.mark.parametrize("name", ["tokenizer.json", "scores"])
def test_a_folder_that_cannot_be_written_only_costs_time(name: str, tmp_path: Path) -> None:
    path, blocked = file(name, tmp_path), tmp_path / "blocked"
    blocked.write_text("no folder")
    assert load(path, blocked).encode("fox")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("name", ["tokenizer.json", "scores"])
def test_a_folder_that_is_only_read_still_gives_what_is_there(name: str, tmp_path: Path) -> None:
    path, compiled = file(name, tmp_path), tmp_path / "compiled"
    first = load(path, compiled)
    (kept,) = compiled.iterdir()
    compiled.chmod(0o500)
    try:
        assert load(path, compiled).fingerprint == first.fingerprint
        assert [kept] == list(compiled.iterdir())
    finally:
        compiled.chmod(0o700)


@pytest.mark.parametrize("name", ["tokenizer.json", "scores"])
def test_processes_that_compile_at_once_leave_one_whole_form(name: str, tmp_path: Path) -> None:
    path, compiled = file(name, tmp_path), tmp_path / "compiled"
    ended = [process.communicate() for process in [loading(path, compiled) for _ in range(4)]]
    meant = load(path).encode("the quick brown fox")
    assert [out.strip() for out, _ in ended] == [str(meant)] * 4
    (kept,) = compiled.iterdir()
    whole = kept.read_bytes()
    load(path, compiled)
    assert kept.read_bytes() == whole


@pytest.mark.skipif(sys.platform == "win32", reason="a limit that Windows doesn't have")
@pytest.mark.parametrize("name", ["tokenizer.json", "scores"])
def test_a_process_that_is_killed_half_way_leaves_nothing_that_counts(
    name: str, tmp_path: Path
) -> None:
    path, compiled = file(name, tmp_path), tmp_path / "compiled"
    # The system kills whoever writes more than it may into one file.
    limited = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL); "
        "resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)); {LOAD}"
    )
    killed = subprocess.run(
        [sys.executable, "-B", "-c", limited, path, compiled], check=False, capture_output=True
    )
    assert killed.returncode == -signal.SIGXFSZ
    (half,) = compiled.iterdir()
    assert half.suffix == ".draft"
    assert half.stat().st_size == 1000
    assert load(path, compiled).encode("fox") == load(path).encode("fox")
    (kept,) = compiled.iterdir()
    assert kept.suffix != ".draft"


def test_what_is_loaded_by_path_is_kept_for_both_kinds_of_files(tmp_path: Path) -> None:
    for name in ("tokenizer.json", "scores"):
        compiled = tmp_path / f"compiled {name}"
        of_file(file(name, tmp_path), compiled)
        assert len(list(compiled.iterdir())) == 1
