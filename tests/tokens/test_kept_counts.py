"""Counts that are kept in a folder: the same as counts that aren't, only sooner."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy
import pyarrow as pa
import pytest

from tests.corpus import REPOSITORY
from vox.tokens import CountCache, TokenEstimator, count_tokens

MODEL = "gpt-4o"


def texts(count: int, seed: int = 1) -> list[str]:
    pick = random.Random(seed)
    words = ["the", "größe", "of", "42", "日本", "\n\n", "return x;", "<|endoftext|>", "it's"]
    return [f"{n} " + " ".join(pick.choices(words, k=pick.randrange(60))) for n in range(count)]


def files(place: Path) -> list[Path]:
    return sorted(path for path in place.rglob("*") if path.is_file())


def test_counts_with_a_cache_are_those_without_the_first_time_and_ever_after(
    tmp_path: Path,
) -> None:
    items = texts(3000)
    wanted = count_tokens(items, MODEL).tolist()
    cache = CountCache(tmp_path / "counts")
    tokenizer = TokenEstimator(MODEL).tokenizer
    for known in (0, len(items)):
        tokens, were_known, kept = cache.count_many(items, tokenizer)
        assert numpy.frombuffer(tokens, dtype=numpy.uint32).tolist() == wanted
        assert (were_known, kept) == (known, True)
    assert count_tokens(items, MODEL, cache=CountCache(tmp_path / "counts")).tolist() == wanted


def test_bytes_text_and_arrow_share_their_counts(tmp_path: Path) -> None:
    items = texts(300)
    cache = CountCache(tmp_path)
    tokenizer = TokenEstimator(MODEL).tokenizer
    first, _, _ = cache.count_many(items, tokenizer)
    distinct = len(items)
    for same in ([text.encode() for text in items], pa.array(items), pa.array(items, "binary")):
        assert cache.count_many(same, tokenizer) == (first, distinct, True)
    assert cache.count_many(items, tokenizer, 1) == (first, distinct, True)


def test_two_tokenizers_keep_their_counts_apart(tmp_path: Path) -> None:
    items = texts(500)
    cache = CountCache(tmp_path)
    for _ in range(2):
        for model in ("gpt-4o", "gpt-4"):
            counts = count_tokens(items, model, cache=cache)
            assert counts.tolist() == count_tokens(items, model).tolist()
    assert count_tokens(items, "gpt-4o").tolist() != count_tokens(items, "gpt-4").tolist()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_cache_that_is_only_read_keeps_nothing(tmp_path: Path) -> None:
    items = texts(50)
    place = tmp_path / "counts"
    tokenizer = TokenEstimator(MODEL).tokenizer
    reading = CountCache(place, read_only=True)
    tokens, known, kept = reading.count_many(items, tokenizer)
    assert (known, kept) == (0, False)
    assert not place.exists()
    CountCache(place).count_many(items[:20], tokenizer)
    before = {path: path.read_bytes() for path in files(place)}
    assert reading.count_many(items, tokenizer) == (tokens, 20, False)
    assert {path: path.read_bytes() for path in files(place)} == before


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cant_be_written_is_no_error(tmp_path: Path) -> None:
    items = texts(50)
    tokenizer = TokenEstimator(MODEL).tokenizer
    tmp_path.chmod(0o500)
    tokens, known, kept = CountCache(tmp_path / "counts").count_many(items, tokenizer)
    tmp_path.chmod(0o700)
    assert (known, kept) == (0, False)
    assert tokens == tokenizer.count_many(items)


def test_a_cache_stays_within_its_bound(tmp_path: Path) -> None:
    tokenizer = TokenEstimator(MODEL).tokenizer
    cache = CountCache(tmp_path, most_bytes=1 << 20)
    items = [str(number) for number in range(200_000)]
    tokens, _, kept = cache.count_many(items, tokenizer)
    assert kept
    assert sum(path.stat().st_size for path in files(tmp_path)) < (1 << 20) + 8192
    again, known, _ = cache.count_many(items, tokenizer)
    assert again == tokens
    assert 0 < known < len(items)


def test_processes_that_count_at_once_leave_right_counts(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from tests.tokens.test_kept_counts import MODEL, texts\n"
        "from vox.tokens import CountCache, TokenEstimator\n"
        "tokenizer = TokenEstimator(MODEL).tokenizer\n"
        "for part in range(8):\n"
        "    items = texts(4000, seed=part % 5)\n"
        "    cache = CountCache(sys.argv[1])\n"
        "    assert cache.count_many(items, tokenizer)[0] == tokenizer.count_many(items)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    running = [subprocess.Popen(command, cwd=REPOSITORY) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    items = texts(4000, seed=2)
    tokenizer = TokenEstimator(MODEL).tokenizer
    tokens, known, _ = CountCache(tmp_path).count_many(items, tokenizer)
    assert tokens == tokenizer.count_many(items)
    assert known > 3900
