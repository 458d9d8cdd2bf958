"""Samples for training dictionaries: pieces of transcripts and of permissive source archives.

Two kinds of sample come out of a transcript: the **item bytes** (long strings, and JSON inputs of
tools) and the **extra** (the record with those bytes cut out, behind its list of cuts). What is
particular to one person or session is replaced before training, so that a dictionary holds the
language of the tools and none of their users.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import re
import string
import tarfile
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

MIN_ITEM = 24
"""Shorter strings of a record stay in its extra (bytes)."""

MAX_SAMPLE = 16 * 1024
"""Longer samples are cut: a dictionary only helps the start of a long text (bytes)."""

MAX_EXTRA = 3 * 1024
"""Longer extras aren't learned from: they hold one project's text, not a tool's form (bytes)."""

MAX_PER_FILE = 500
"""At most so many samples of one transcript, so that no project owns the dictionary."""

ITEM_KEYS = frozenset(
    [
        "text",
        "thinking",
        "content",
        "output",
        "aggregated_output",
        "stdout",
        "stderr",
        "message",
        "patch",
        "diff",
        "oldText",
        "newText",
        "old_string",
        "new_string",
        "originalFile",
        "observation",
        "response",
        "thought",
        "action",
        "command",
        "prompt",
        "result",
        "body",
        "arguments",
        "fullOutput",
        "user_instructions",
        "description",
        "summary",
    ]
)
INPUT_KEYS = frozenset({"input", "args", "arguments", "parameters"})

SECRET = re.compile(
    r"(?i)(sk-[a-z0-9_-]{16,}|gh[pousr]_[a-z0-9]{20,}|github_pat_|AKIA[0-9A-Z]{12,}|xox[abprs]-"
    r"|eyJ[a-z0-9_-]{20,}|-----BEGIN|AIza[0-9a-z_-]{20,}|hf_[a-z0-9]{20,}|glpat-|npm_[a-z0-9]{20,}"
    r"|(?:password|passwd|secret|api_?key|token)\w*\\*[\"']?\s*[:=]\s*\\*[\"'][^\"'\s]{8,}"
    r"|secret-base)"
)
EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
HOME = re.compile(
    r"((?:/|\\\\)(?:Users|home)(?:/|\\\\)|/-(?:Users|home)-)([\w.]+)(?:/[\w.@-]+(?=/|\")){0,3}"
)
OPAQUE = re.compile(r"\bgAAAA[\w=-]+|[A-Za-z0-9+/_=]{48,}|\b[0-9a-f]{24,}\b")
UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
TIME = re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?")
CALL_ID = re.compile(r"\b(toolu_|call_|req_|msg_|ses_|prt_|fc_|rs_|resp_)[A-Za-z0-9_]{8,}")

ALPHANUMERIC = string.ascii_letters + string.digits

TEXT_CLASSES: dict[str, tuple[float, tuple[str, ...]]] = {
    "python": (0.26, (".py", ".pyi")),
    "javascript": (0.20, (".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs")),
    "rust": (0.08, (".rs",)),
    "go": (0.06, (".go",)),
    "c": (0.06, (".c", ".h", ".hpp", ".cc")),
    "prose": (0.24, (".md", ".rst", ".txt")),
    "data": (0.06, (".json", ".toml", ".yml", ".yaml", ".cfg", ".html", ".css", ".sh")),
    "cjk": (0.04, (".po",)),
}
"""Share and file endings of each class of text taken from source archives."""


@dataclass
class Samples:
    """Deduplicated samples; `items` and `extras` are bytes as they would be stored."""

    items: list[bytes] = field(default_factory=list)
    extras: list[bytes] = field(default_factory=list)


def anonymous(text: str, rng: random.Random) -> str | None:
    """The text with ids, times and names replaced by random ones; None if it may hold a secret."""
    if SECRET.search(text):
        return None

    fresh: dict[str, str] = {}

    def replaced(make: Callable[[str], str]) -> Callable[[re.Match[str]], str]:
        return lambda match: fresh.setdefault(match.group(), make(match.group()))

    def call_id(old: str) -> str:
        prefix = old[: old.index("_") + 1]
        return prefix + "".join(rng.choices(ALPHANUMERIC, k=len(old) - len(prefix)))

    text = EMAIL.sub("user@example.com", text)
    text = HOME.sub(lambda match: match.group(1) + "user/project", text)
    text = OPAQUE.sub(replaced(lambda old: rng.randbytes(len(old)).hex()[: len(old)]), text)
    text = UUID.sub(replaced(lambda _: str(uuid.UUID(int=rng.getrandbits(128), version=4))), text)
    text = CALL_ID.sub(replaced(call_id), text)
    return TIME.sub(replaced(lambda _: _random_time(rng)), text)


def _random_time(rng: random.Random) -> str:
    start, end = 1_700_000_000_000, 1_880_000_000_000
    at = datetime.fromtimestamp(rng.randint(start, end) / 1000, UTC)
    return at.isoformat(timespec="milliseconds").removesuffix("+00:00")


def compact(value: object) -> str:
    """JSON as the tools write it: no spaces, no escapes beyond the needed ones."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def cut_record(record: object) -> tuple[list[str], str]:
    """The items of a record, and the record as JSON with those items cut out."""
    items: list[str] = []

    def cut(value: object, key: str) -> object:
        if isinstance(value, str):
            if len(value) >= MIN_ITEM and key in ITEM_KEYS:
                items.append(value)
                return ""
            return value
        if isinstance(value, dict):
            if key in INPUT_KEYS and value:
                items.append(compact(value))
                return {}
            return {name: cut(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [cut(inner, key) for inner in value]
        return value

    return items, compact(cut(record, ""))


def with_cuts(rest: str, cuts: int) -> bytes:
    """An extra: the list of cuts as the archive writes it, with places spread over the rest."""
    gap = len(rest) // (cuts + 1)
    header = bytearray(varint(cuts))
    for item in range(cuts):
        header += varint(gap) + varint(item) + b"\0"
    return bytes(header) + rest.encode("utf-8", "replace")


def varint(value: int) -> bytes:
    """LEB128, as in the archive's list of cuts."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def records_of(path: Path) -> Iterator[object]:
    """Records of a transcript: lines of JSON, or the members of one JSON document."""
    text = path.read_text("utf-8", "replace")
    try:
        whole = json.loads(text)
    except ValueError:
        for line in text.splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue
        return
    if isinstance(whole, dict):
        lists = [value for value in whole.values() if isinstance(value, list)]
        yield from (max(lists, key=len) if lists else [whole])
    else:
        yield from whole if isinstance(whole, list) else [whole]


def is_held_out(name: str) -> bool:
    """Whether a transcript is kept for measuring: one file in five, by the hash of its name."""
    return hashlib.sha256(name.encode()).digest()[0] % 5 == 0


def transcript_samples(root: Path, folders: list[str], *, held_out: bool, seed: int) -> Samples:
    """Samples of the transcripts in `root/<folder>`: of the files held out (as they are), or of all
    others (made anonymous, at most `MAX_PER_FILE` of each kind from one file)."""
    rng = random.Random(seed)
    out, seen = Samples(), set[bytes]()
    endings = {".json", ".jsonl", ".traj"}
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in endings or not path.is_file() or is_held_out(name) != held_out:
                continue
            items: list[bytes] = []
            extras: list[bytes] = []
            for record in records_of(path):
                texts, rest = cut_record(record)
                for text in texts:
                    digest = hashlib.sha256(text.encode("utf-8", "replace")).digest()
                    clean = text[:MAX_SAMPLE] if held_out else anonymous(text[:MAX_SAMPLE], rng)
                    if clean is not None and digest not in seen:
                        seen.add(digest)
                        items.append(clean.encode("utf-8", "replace"))
                clean = rest if held_out else anonymous(rest, rng)
                if clean is not None and len(clean) <= (MAX_SAMPLE if held_out else MAX_EXTRA):
                    extras.append(with_cuts(clean, len(texts)))
            if held_out:
                out.items += items
                out.extras += extras
            else:
                out.items += rng.sample(items, min(MAX_PER_FILE, len(items)))
                out.extras += rng.sample(extras, min(MAX_PER_FILE, len(extras)))
    return out


def class_of(name: str) -> str | None:
    """Class of text a file of a source archive belongs to, None for files to leave out."""
    if re.search(r"(?i)licen[cs]e|copying|authors|\.min\.|package-lock|vendor/|third_party", name):
        return None
    if name.endswith(".po"):
        return "cjk" if re.search(r"/(zh_Hans|zh_Hant|ja|ko)/", name) else None
    for label, (_, endings) in TEXT_CLASSES.items():
        if name.endswith(endings):
            return label
    return None


def archive_texts(archives: list[Path]) -> dict[str, list[str]]:
    """Texts by class from `.tar.gz`, `.tgz` and `.crate` files, at most 200 kB of a file."""
    out: dict[str, list[str]] = {label: [] for label in TEXT_CLASSES}
    for path in archives:
        with tarfile.open(path) as archive:
            for member in sorted(archive.getmembers(), key=lambda m: m.name):
                label = class_of(member.name)
                if label is None or not member.isfile():
                    continue
                handle = archive.extractfile(member)
                assert handle is not None
                out[label].append(handle.read(200_000).decode("utf-8", "ignore"))
    return out


def text_samples(texts: dict[str, list[str]], total: int, *, seed: int) -> list[bytes]:
    """Pieces of texts at line starts, `total` bytes in all, lengths lognormal around 600 bytes."""
    rng = random.Random(seed)
    out: list[bytes] = []
    for label, (share, _) in TEXT_CLASSES.items():
        files = texts[label]
        budget = int(total * share)
        while files and budget > 0:
            text = rng.choice(files)
            want = min(MAX_SAMPLE, int(rng.lognormvariate(math.log(600), 1.1)))
            start = text.find("\n", rng.randrange(max(1, len(text) - want))) + 1
            piece = anonymous(text[start : start + want], rng)
            if piece:
                out.append(piece.encode())
                budget -= len(out[-1])
            else:
                budget -= 50
    return out
