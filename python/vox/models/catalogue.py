"""All models that are known: what vox ships, and over it what the user has fetched."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import msgspec

from vox._native import CATALOGUE
from vox.config import Settings, load_settings
from vox.errors import of_system
from vox.models.names import Kin, kin_of, parted
from vox.models.row import Row, over
from vox.whole_files import whole_file, write_whole

SCHEMA = "vox.models.v1"

MAKERS = frozenset(
    {"alibaba", "anthropic", "cohere", "deepseek", "google", "inception", "llama", "minimax"}
    | {"mistral", "moonshotai", "openai", "perplexity", "sarvam", "stepfun", "upstage", "xai"}
    | {"xiaomi", "zai"}
)
"""Providers that sell models of their own: what they say of them counts before what others do."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A row, and how its name reads."""

    row: Row
    key: str
    bare: str
    kin: Kin

    @property
    def rank(self) -> int:
        """Whose word counts, lower first: the maker's, then of what runs here, then others'."""
        return 0 if self.row.provider in MAKERS else 1 if self.row.local else 2


@dataclass(frozen=True)
class Catalogue:
    """Rows by name."""

    rows: tuple[Row, ...]
    bad: tuple[str, ...] = ()
    """Lines of the user's own that can't be understood: which, and why."""

    @cached_property
    def listed(self) -> tuple[Listed, ...]:
        """All rows, whose word counts first; of several the newest first."""
        names = ((row, parted(row.id)) for row in self.rows)
        listed = [Listed(row, name.key, name.bare, kin_of(name.bare)) for row, name in names]
        # Stable: the later sort decides, the earlier ones break its ties.
        listed.sort(key=lambda one: (one.row.provider, one.row.id))
        listed.sort(key=lambda one: str(one.row.released or ""), reverse=True)
        listed.sort(key=lambda one: one.rank)
        return tuple(listed)

    @cached_property
    def by_key(self) -> dict[str, list[Listed]]:
        """Rows by their key."""
        found = defaultdict(list)
        for one in self.listed:
            found[one.key].append(one)
        return dict(found)

    @cached_property
    def by_bare(self) -> dict[str, list[Listed]]:
        """Rows by their key without what says when or how they were built."""
        found = defaultdict(list)
        for one in self.listed:
            found[one.bare].append(one)
        return dict(found)

    @cached_property
    def by_family(self) -> dict[tuple[str, ...], list[Listed]]:
        """Rows by their family and by every beginning of it."""
        found = defaultdict(list)
        for one in self.listed:
            for length in range(1, len(one.kin.family) + 1):
                found[one.kin.family[:length]].append(one)
        return dict(found)


def load_catalogue(settings: Settings | None = None) -> Catalogue:
    """What vox ships, and over it what stands in `models.jsonl` of the user's home."""
    path = (settings or load_settings()).models
    try:
        file = path.stat()
        return _laid_over(path, (file.st_size, file.st_mtime_ns, file.st_ino))
    except (FileNotFoundError, NotADirectoryError):
        return shipped()
    except OSError as error:
        raise of_system(error) from error


@cache
def shipped() -> Catalogue:
    """What vox ships."""
    return Catalogue(tuple(read_lines(CATALOGUE.encode())[0]))


def read_lines(content: bytes) -> tuple[list[Row], list[str]]:
    """The rows of a catalogue's lines, and what can't be understood of them."""
    rows, bad = [], []
    decode = msgspec.json.Decoder(Row).decode
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.strip() or (number == 1 and line.startswith(b'{"schema":')):
            continue
        try:
            rows.append(decode(line))
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            bad.append(f"line {number}: {error}"[:200])
    return rows, bad


def as_lines(rows: Iterable[Row], sources: Sequence[dict[str, str]]) -> bytes:
    """Rows as lines, after the head."""
    head = {"schema": SCHEMA, "sources": list(sources)}
    ordered = sorted(rows, key=lambda row: (row.provider, row.id))
    return b"".join(msgspec.json.encode(line) + b"\n" for line in [head, *ordered])


def lay(newer: Iterable[Row], older: Iterable[Row]) -> list[Row]:
    """All rows; of one model at one provider what the newer knows, and else the older."""
    found = {(row.provider, row.id): row for row in older}
    for row in newer:
        known = found.get((row.provider, row.id))
        found[row.provider, row.id] = row if known is None else over(row, known)
    return list(found.values())


_last: dict[Path, tuple[tuple[int, int, int], Catalogue]] = {}


def _laid_over(path: Path, state: tuple[int, int, int]) -> Catalogue:
    known = _last.get(path)
    if known is None or known[0] != state:
        rows, bad = read_lines(path.read_bytes())
        made = Catalogue(tuple(lay(rows, shipped().rows)), tuple(bad))
        _last[path] = known = (state, made)
    return known[1]


def keep(path: Path, rows: Iterable[Row], source: dict[str, str]) -> None:
    """Puts rows over those that stand in a user's catalogue, in one step. Raises what the system
    says."""
    try:
        older = read_lines(path.read_bytes())[0] if path.exists() else []
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path, private=True) as file:
            write_whole(file, as_lines(lay(rows, older), [source]))
    except OSError as error:
        raise of_system(error) from error
