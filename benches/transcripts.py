"""Many transcripts out of few: copies with ids, times and words changed, duplicates kept.

Within one copy the same id or word always becomes the same other one, so that what was equal stays
equal and links between records and files still hold; between copies nearly every text differs. So
the copies have nearly as many duplicates, in proportion, as the originals (33 % of text bytes for
32 %). A record keeps its length, and a file its form, be it torn or odd.

    python benches/transcripts.py --data tests/data --bytes 1e9
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
from collections import defaultdict
from multiprocessing import Pool
from pathlib import Path

import zstandard

from harness import work_folder

TOOLS = ("claude_code", "codex")
CHANGED_SHARE = 3
"""One word in so many is changed in a copy (which ones depends on the copy)."""

ID = re.compile(
    rb"(?P<uuid>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"
    rb"|(?P<prefix>\b(?:toolu|call|msg|req|resp|rs|fc|ses|chatcmpl)_)(?P<rest>[A-Za-z0-9_-]{4,})"
    rb"|(?P<time>\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d)"
    rb"|(?P<opaque>[A-Za-z0-9+/]{80,})"
    rb"|(?P<word>(?<![\\A-Za-z0-9_])[a-z]{4,}(?![A-Za-z0-9_]))"
)
PLAIN_ID = re.compile(rb'("(?:sessionId|session_id|messageId)":\s*")([\w.:-]+)(")')


class Copier:
    """Changes the bytes of transcripts for one copy. The same input gives the same output."""

    def __init__(self, number: int, vocabulary: dict[int, list[bytes]], kept: set[bytes]) -> None:
        self.number = number
        self.vocabulary = vocabulary
        self.kept = kept
        self.known: dict[bytes, bytes] = {}

    def __call__(self, text: bytes) -> bytes:
        """The text with ids, times and some words changed; as long as before."""
        if self.number == 0:
            return text
        return ID.sub(self._changed, PLAIN_ID.sub(self._plain_id, text))

    def _plain_id(self, match: re.Match[bytes]) -> bytes:
        if ID.fullmatch(match[2]):
            return match[0]
        return match[1] + self._letters(match[2], len(match[2])) + match[3]

    def _changed(self, match: re.Match[bytes]) -> bytes:
        old = match[0]
        new = self.known.get(old)
        if new is None:
            new = self.known[old] = self._replacement(old, match)
        return new

    def _replacement(self, old: bytes, match: re.Match[bytes]) -> bytes:
        if match["word"]:
            return self._word(old)
        if match["uuid"]:
            digits = self._digest(old).hex()
            parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:32])
            return "-".join(parts).encode()
        if match["opaque"]:
            return old[:64] + self._letters(old, 16) + old[80:]
        if match["prefix"]:
            return match["prefix"] + self._letters(match["rest"], len(match["rest"]))
        day = (int(old[8:10]) + self.number - 1) % 28 + 1
        month = (int(old[5:7]) + self.number // 28 - 1) % 12 + 1
        return b"%s%02d-%02d%s" % (old[:5], month, day, old[10:])

    def _word(self, old: bytes) -> bytes:
        mark = int.from_bytes(self._digest(old)[:8], "big")
        choices = self.vocabulary.get(len(old), [])
        if old in self.kept or mark % CHANGED_SHARE or not choices:
            return old
        return choices[mark // CHANGED_SHARE % len(choices)]

    def _letters(self, old: bytes, length: int) -> bytes:
        digits = self._digest(old).hex() * (length // 64 + 1)
        return digits[:length].encode()

    def _digest(self, old: bytes) -> bytes:
        return hashlib.blake2s(old, salt=self.number.to_bytes(8, "big")).digest()


def words_of(files: list[Path]) -> tuple[dict[int, list[bytes]], set[bytes]]:
    """Words by length, and the words that must stay: those of keys and of short plain values."""
    found: set[bytes] = set()
    kept = {b"true", b"false", b"null"}
    for file in files:
        text = read(file)
        found.update(match[0] for match in re.finditer(rb"(?<![\\A-Za-z0-9_])[a-z]{4,}\b", text))
        for key in re.finditer(rb'"([\w-]{1,40})"\s*:', text):
            kept.update(re.findall(rb"[a-z]{4,}", key[1]))
        for value in re.finditer(rb':\s*"([\w./-]{1,32})"', text):
            kept.update(re.findall(rb"[a-z]{4,}", value[1]))
    by_length: dict[int, list[bytes]] = defaultdict(list)
    for word in sorted(found - kept):
        by_length[len(word)].append(word)
    return dict(by_length), kept


def read(file: Path) -> bytes:
    """Bytes of a transcript, unpacked if it is compressed."""
    raw = file.read_bytes()
    if file.suffix != ".zst":
        return raw
    return zstandard.ZstdDecompressor().stream_reader(raw).read()


def files_of(data: Path) -> list[Path]:
    """The transcripts of the tools in a folder that has one folder for each."""
    kinds = {".jsonl", ".zst", ".json", ".txt"}
    return [
        file
        for tool in TOOLS
        for file in sorted((data / tool).rglob("*"))
        if file.is_file() and file.suffix in kinds
    ]


def scale(data: Path, total: int, out: Path) -> int:
    """Fills `out/<tool>/copy-<n>/` with about `total` bytes of transcripts; how many there are.

    Bytes are counted unpacked. The first copy is the original.
    """
    files = files_of(data)
    vocabulary, kept = words_of(files)
    size = sum(len(read(file)) for file in files)
    copies = max(1, round(total / size))
    shutil.rmtree(out, ignore_errors=True)
    jobs = [(number, data, files, vocabulary, kept, out) for number in range(copies)]
    with Pool(2) as pool:
        pool.starmap(_write_copy, jobs, chunksize=4)
    return size * copies


def _write_copy(
    number: int,
    data: Path,
    files: list[Path],
    vocabulary: dict[int, list[bytes]],
    kept: set[bytes],
    out: Path,
) -> None:
    change = Copier(number, vocabulary, kept)
    for file in files:
        tool, *inner = file.relative_to(data).parts
        place = change("/".join(inner).encode()).decode()
        target = out / tool / f"copy-{number:05d}" / place
        target.parent.mkdir(parents=True, exist_ok=True)
        text = change(read(file))
        compress = zstandard.ZstdCompressor(level=3).compress
        target.write_bytes(compress(text) if file.suffix == ".zst" else text)


def one_file(data: Path, total: int, out: Path) -> int:
    """One session of `total` bytes: copies of the largest Claude Code transcript, each going on
    where the one before ended; how many bytes there are."""
    source = max(files_of(data), key=lambda f: f.stat().st_size * ("claude_code" in f.parts))
    text = read(source)
    vocabulary, kept = words_of([source])
    session = json.loads(text[: text.index(b"\n")]).get("sessionId") or source.stem
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"{session}.jsonl"
    written, last = 0, None
    numbers = range(max(1, round(total / len(text))))
    jobs = ((number, text, vocabulary, kept, session) for number in numbers)
    with Pool(2) as pool, target.open("wb") as file:
        for part in pool.imap(_part, jobs):
            if last:
                part = part.replace(b'"parentUuid":null', b'"parentUuid":"%s"' % last, 1)
            last = last_uuid(part) or last
            written += file.write(part)
    return written


def _part(job: tuple[int, bytes, dict[int, list[bytes]], set[bytes], str]) -> bytes:
    number, text, vocabulary, kept, session = job
    changed = Copier(number, vocabulary, kept)(text)
    return re.sub(rb'("sessionId":\s*")[^"]*', rb"\g<1>" + session.encode(), changed)


def last_uuid(part: bytes) -> bytes | None:
    """The id of the last record of the main conversation."""
    for line in reversed(part.splitlines()):
        if b'"isSidechain":false' in line and (match := re.search(rb'"uuid":"([^"]+)"', line)):
            return match[1]
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--bytes", type=float, default=1e9)
    parser.add_argument("--out", type=Path, default=work_folder() / "transcripts")
    options = parser.parse_args()
    print(scale(options.data, int(options.bytes), options.out), "bytes in", options.out)


if __name__ == "__main__":
    main()
