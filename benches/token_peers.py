"""Vox and its peers as functions from a list of texts to their counts.

A peer that isn't installed, or lacks the vocabulary, raises `NotHereError`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import vox_windows
from harness import NotHereError
from token_texts import perf_folder

Count = Callable[[list[str]], Sequence[int]]

RANKS = ("o200k_base", "cl100k_base")
"""Encodings that come as ranks; others are a `tokenizer.json`."""


def load(peer: str, encoding: str, threads: int) -> Count:
    """A contestant that is ready to count."""
    os.environ["RAYON_NUM_THREADS"] = os.environ["RAYON_RS_NUM_THREADS"] = str(threads)
    # Not every peer looks there.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    try:
        return MAKERS[peer](encoding, threads)
    except ImportError as error:
        raise NotHereError(str(error)) from error


def file_of(encoding: str) -> Path:
    """The published file of an encoding."""
    folder = perf_folder() / "vocab"
    path = (
        folder / "named" / f"{encoding}.tiktoken"
        if encoding in RANKS
        else folder / encoding / "tokenizer.json"
    )
    if not path.exists():
        raise NotHereError(f"{path} is not there")
    return path


def _vox(encoding: str, threads: int) -> Count:
    vox_windows.the_module()
    # vox loads it with the first count; most peers do when they are imported.
    import numpy  # noqa: F401

    from vox.tokens import TokenEstimator

    names = {"o200k_base": "gpt-4o", "cl100k_base": "gpt-4"}
    estimator = TokenEstimator(names.get(encoding) or str(file_of(encoding)))
    assert estimator.kind == "exact", estimator.says
    return lambda texts: estimator.count(texts, "exact")


def _gigatoken(encoding: str, threads: int) -> Count:
    import awkward
    import gigatoken

    make = gigatoken.Tokenizer.from_tiktoken if encoding in RANKS else gigatoken.Tokenizer
    encoder: Any = make(str(file_of(encoding)))
    return lambda texts: awkward.num(encoder.encode_batch(texts, parallel=threads > 1)).to_list()


def _fastokens(encoding: str, threads: int) -> Count:
    import fastokens
    import numpy as np

    maker: Any = fastokens.Tokenizer
    encoder = (
        maker.from_tiktoken(str(file_of(encoding)), encoding=encoding)
        if encoding in RANKS
        else maker.from_file(str(file_of(encoding)))
    )

    def count(texts: list[str]) -> Sequence[int]:
        ends = encoder.encode_batch_flat(texts, split_special_tokens=True)[1]
        if isinstance(ends, bytes | bytearray | memoryview):
            wide = len(bytes(ends)) == 8 * (len(texts) + 1)
            ends = np.frombuffer(ends, np.uint64 if wide else np.uint32)
        counts: list[int] = np.diff(np.asarray(ends).astype(np.int64)).tolist()
        return counts

    return count


def _quicktok(encoding: str, threads: int) -> Count:
    import quicktok

    _ranks_only(encoding)
    encoder: Any = quicktok.get_encoding(encoding)
    return lambda texts: quicktok.count_batch(encoder, texts, threads=threads)


def _bpe_openai(encoding: str, threads: int) -> Count:
    import bpe_openai

    _ranks_only(encoding)
    if threads > 1:
        raise NotHereError("its batches are slower than its single calls")
    encoder: Any = bpe_openai.get_encoding(encoding)
    return lambda texts: [len(encoder.encode_ordinary(text)) for text in texts]


def _tiktoken(encoding: str, threads: int) -> Count:
    import tiktoken

    _ranks_only(encoding)
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(perf_folder() / "vocab" / "tk"))
    encoder = tiktoken.get_encoding(encoding)
    return lambda texts: [
        len(ids) for ids in encoder.encode_ordinary_batch(texts, num_threads=threads)
    ]


def _tokenizers(encoding: str, threads: int) -> Count:
    import tokenizers

    if encoding in RANKS:
        raise NotHereError("tokenizers reads no ranks")
    encoder = tokenizers.Tokenizer.from_file(str(file_of(encoding)))
    encoder.encode_special_tokens = True

    def count(texts: list[str]) -> Sequence[int]:
        counts: list[int] = []
        for start in range(0, len(texts), 512):
            batch = encoder.encode_batch_fast(texts[start : start + 512], add_special_tokens=False)
            counts += [len(each) for each in batch]
        return counts

    return count


def _ranks_only(encoding: str) -> None:
    if encoding not in RANKS:
        raise NotHereError("it reads no tokenizer.json")


MAKERS: dict[str, Callable[[str, int], Count]] = {
    "tiktoken": _tiktoken,
    "tokenizers": _tokenizers,
    "vox": _vox,
    "gigatoken": _gigatoken,
    "fastokens": _fastokens,
    "quicktok": _quicktok,
    "bpe-openai": _bpe_openai,
}
"""The oracles come first: the others are compared with their counts."""
