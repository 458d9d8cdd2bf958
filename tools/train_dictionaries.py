"""Trains the zstd dictionaries that ship with vox (`contracts/dictionaries/<d>.zdict`).

A dictionary that was ever shipped never changes, since archives name it by number: what this makes
goes to a new number. How the shipped ones were made, and what they save, is in
`contracts/dictionaries/README.md`.
"""

from __future__ import annotations

import argparse
import json
import pickle
import re
import sys
import time
from pathlib import Path

import zstandard
from dictionary_samples import (
    EMAIL,
    SECRET,
    Samples,
    archive_texts,
    text_samples,
    transcript_samples,
)

ITEMS, EXTRAS = 1, 2

MAIL_END = re.compile(r"(?<!@example)\.(com|org|net|io|dev|edu)$")

SIZE = 64 * 1024
"""Bytes of a dictionary. More was slower (it leaves the cache of a core) and no smaller on text
unlike the training set."""

SEGMENTS = {ITEMS: (64, 6), EXTRAS: (1024, 8)}
"""Length of the segments and of the runs they share, in bytes: the best of a search over 64 to 4096
and 6 to 8 on held-out samples."""

TEXT_BYTES = 8_000_000
"""General text beside the transcripts: more of it cost ratio on transcripts."""

OTHER_ITEMS = 60_000
"""At most so many of the other items are measured."""

HASH_LOG = 16
"""zstd's own choice for level 1 (13) keeps too few places of a dictionary of this size."""

VARIANTS: list[tuple[int, dict[str, int]]] = [
    (-1, {}),
    (1, {}),
    (1, {"hash_log": 15}),
    (1, {"hash_log": HASH_LOG}),
    (2, {}),
    (3, {}),
]
"""Levels to report, with what is set by hand."""


def train(samples: list[bytes], number: int) -> bytes:
    """Dictionary `number`, which is also the dictionary id in its header."""
    segment, run = SEGMENTS[number]
    trained = zstandard.train_dictionary(
        SIZE, list(samples), k=segment, d=run, dict_id=number, level=1
    )
    return trained.as_bytes()


def compressor(
    dictionary: bytes | None, level: int, tuning: dict[str, int] | None = None
) -> zstandard.ZstdCompressor:
    """Of frames as the archive stores them: no magic, size, checksum or dictionary id."""
    params = zstandard.ZstdCompressionParameters.from_level(
        level,
        dict_size=len(dictionary or b""),
        format=zstandard.FORMAT_ZSTD1_MAGICLESS,
        write_content_size=False,
        write_checksum=False,
        write_dict_id=False,
        **(tuning or {}),
    )
    data = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
    if data:
        data.precompute_compress(compression_params=params)
    return zstandard.ZstdCompressor(compression_params=params, dict_data=data)


def measure(
    samples: list[bytes], dictionary: bytes | None, level: int, tuning: dict[str, int] | None = None
) -> dict[str, float]:
    """Ratio and speed (MB/s of one core, the better of two passes) over samples, one frame each."""
    compress = compressor(dictionary, level, tuning).compress
    raw = sum(map(len, samples))
    sizes: list[int] = []
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        sizes = [len(compress(sample)) for sample in samples]
        seconds.append(time.perf_counter() - start)
    stored = sum(min(size, len(sample)) for size, sample in zip(sizes, samples, strict=True))
    return {"ratio": round(raw / stored, 3), "mb_s": round(raw / min(seconds) / 1e6, 1)}


def private_matter(dictionary: bytes) -> list[str]:
    """What in a dictionary looks like a key, an e-mail address or a person's home folder.

    Segments stand side by side in a dictionary, so only whole forms count: an address with a common
    top-level domain, a home folder with something below it.
    """
    text = dictionary.decode("utf-8", "replace")
    mails = [m for m in EMAIL.findall(text) if MAIL_END.search(m)]
    homes = [m for m in re.findall(r"/(?:Users|home)/(\w+)/", text) if m != "user"]
    return [m.group() for m in SECRET.finditer(text)] + mails + homes


def main() -> int:
    """Trains both dictionaries and prints what they save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--transcripts", type=Path, required=True, help="one folder per tool")
    parser.add_argument(
        "--tools", required=True, help="folders in it to train from, comma-separated"
    )
    parser.add_argument(
        "--archives", type=Path, nargs="+", default=[], help="source archives (.tar.gz, .crate)"
    )
    parser.add_argument(
        "--check", type=Path, help="other items to measure: a pickled list of bytes"
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for 1.zdict and 2.zdict")
    args = parser.parse_args()

    folders = args.tools.split(",")
    learned = transcript_samples(args.transcripts, folders, held_out=False, seed=1)
    held_out = transcript_samples(args.transcripts, folders, held_out=True, seed=2)
    texts = text_samples(archive_texts(args.archives), TEXT_BYTES, seed=3)
    report("training", learned)
    report("held out", held_out)
    checks = {ITEMS: {"held out": held_out.items}, EXTRAS: {"held out": held_out.extras}}
    if args.check:
        other = pickle.loads(args.check.read_bytes())[:OTHER_ITEMS]
        checks[ITEMS]["other text"] = list(dict.fromkeys(other))

    args.out.mkdir(parents=True, exist_ok=True)
    for number, samples in ((ITEMS, learned.items + texts), (EXTRAS, learned.extras)):
        dictionary = train(samples, number)
        if found := private_matter(dictionary):
            print(f"dictionary {number} holds private matter: {found}", file=sys.stderr)
            return 1
        (args.out / f"{number}.zdict").write_bytes(dictionary)
        for name, check in checks[number].items():
            print_figures(number, name, check, dictionary)
    return 0


def print_figures(number: int, name: str, check: list[bytes], dictionary: bytes) -> None:
    """One line of JSON for each level, with and without the dictionary."""
    for level, tuning in VARIANTS:
        plain = measure(check, None, level)
        line = {"dictionary": number, "on": name, "level": level, **tuning}
        line |= measure(check, dictionary, level, tuning)
        line |= {f"{key}_without": value for key, value in plain.items()}
        print(json.dumps(line), flush=True)


def report(name: str, samples: Samples) -> None:
    """One line on each kind of sample."""
    for kind, values in (("items", samples.items), ("extras", samples.extras)):
        lengths = sorted(map(len, values)) or [0]
        median = lengths[len(lengths) // 2]
        print(f"{name} {kind}: {len(values)} samples, {sum(lengths)} bytes, median {median}")


if __name__ == "__main__":
    sys.exit(main())
