"""Items for the benchmarks: pieces of real text found on this machine, sizes and copies as in use.

Sizes are lognormal with a median of about 600 bytes and a long tail (mean about 1,400), and three
items in ten are copies of earlier ones, mostly of early ones. The texts are Python's standard
library, C headers, manuals and other documents, and data files. The example transcripts and
installed packages are left out: the dictionaries that ship with vox may have seen them. On one
machine the same items come out every time.

    python benches/corpus.py 1000000        makes them (and says what is in them)
"""

from __future__ import annotations

import argparse
import gzip
import math
import pickle
import random
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

from harness import work_folder

MEDIAN, SPREAD, LONGEST = 600, 1.3, 2_000_000
COPIES = 0.30
CLASS_BYTES = 16_000_000
"""Text taken of each class."""

CLASSES: dict[str, tuple[float, tuple[str, ...]]] = {
    "code": (0.40, ("*.py", "*.pyi")),
    "headers": (0.15, ("*.h", "*.hpp")),
    "documents": (0.25, ("*.txt", "*.md", "*.rst", "*.html", "*.gz", "copyright")),
    "data": (0.20, ("*.json", "*.xml", "*.yaml", "*.csv", "*.desktop", "*.conf")),
}
"""Share of the items and names of the files of each class of text."""


def folders(label: str) -> list[Path]:
    """Where texts of a class are looked for."""
    library = Path(sysconfig.get_paths()["stdlib"])
    return {
        "code": [library],
        "headers": [Path("/usr/include"), Path(sysconfig.get_paths()["include"])],
        "documents": [Path("/usr/share/doc"), Path("/usr/share/man"), library],
        "data": [Path("/usr/share"), Path("/usr/lib"), Path("/etc"), library],
    }[label]


def text_of(label: str) -> bytes:
    """Text of one class, at most `CLASS_BYTES`, from files in a fixed shuffled order."""
    patterns = CLASSES[label][1]
    found = {f for root in folders(label) for p in patterns for f in root.rglob(p)}
    files = sorted(f for f in found if f.is_file() and "site-packages" not in f.parts)
    random.Random(7).shuffle(files)
    parts, total = [], 0
    for file in files:
        text = readable(file)
        parts.append(text)
        total += len(text)
        if total >= CLASS_BYTES:
            break
    return b"".join(parts)[:CLASS_BYTES]


def readable(file: Path) -> bytes:
    """Bytes of a text file, unpacked if need be; empty for what isn't UTF-8 text."""
    try:
        raw = file.read_bytes()
        raw = gzip.decompress(raw) if file.suffix == ".gz" else raw
        raw.decode()
    except (OSError, EOFError, ValueError):
        return b""
    return raw


def generate(count: int, *, seed: int = 21, copies: float = COPIES) -> Iterator[bytes]:
    """`count` items, one after the other."""
    rng = random.Random(seed)
    texts = {label: text_of(label) for label in CLASSES}
    labels = [label for label in CLASSES if len(texts[label]) > 100_000]
    shares = [CLASSES[label][0] for label in labels]
    made: list[bytes] = []
    while len(made) < count:
        if made and rng.random() < copies:
            item = made[int(rng.random() ** 2 * len(made))]
        else:
            text = texts[rng.choices(labels, shares)[0]]
            size = max(1, min(LONGEST, int(rng.lognormvariate(math.log(MEDIAN), SPREAD))))
            start = rng.randrange(max(1, len(text) - size))
            item = text[start : start + size]
        made.append(item)
        yield item


def load(count: int, path: Path | None = None) -> list[bytes]:
    """The first `count` items of the pickled list at `path`, or of our own, made when missing."""
    if path is None:
        path = work_folder() / f"items-{count}.pickle"
        if not path.exists():
            items = list(generate(count))
            with path.open("wb") as file:
                pickle.dump(items, file, protocol=5)
            return items
    with path.open("rb") as file:
        loaded: list[bytes] = pickle.load(file)
    return loaded[:count]


def distinct(items: Iterable[bytes]) -> list[bytes]:
    """The items without their copies, in the order of their first appearance."""
    return list(dict.fromkeys(items))


def numbered(items: list[bytes], count: int, start: int = 0) -> Iterator[bytes]:
    """`count` distinct items of the same sizes: the given ones in turn, each behind a number."""
    for number in range(start, start + count):
        yield b"%d\n" % number + items[number % len(items)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=1_000_000)
    items = load(parser.parse_args().count)
    sizes = sorted(map(len, items))
    unique = distinct(items)
    print(f"{len(items)} items, {sum(sizes)} bytes, median {sizes[len(sizes) // 2]}")
    print(f"{len(unique)} distinct, {sum(map(len, unique))} bytes")


if __name__ == "__main__":
    main()
