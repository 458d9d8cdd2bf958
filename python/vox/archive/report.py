"""What an import says of itself: progress, counts, problems."""

from __future__ import annotations

from pathlib import Path

import msgspec

from vox.errors import VoxError


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Something of a source that was not taken as it is."""

    path: str
    reason: str
    """A quarantine reason or an error code of `contracts/errors.yaml`."""
    offset: int | None = None
    """Where in the (decompressed) file, if it is about a stretch of it."""
    length: int | None = None
    message: str = ""
    file_failed: bool = False
    """Whether the file could not be imported to its end."""

    def __str__(self) -> str:
        place = "" if self.offset is None else f", bytes {self.offset}+{self.length}"
        return f"{self.path}{place}: {self.message or self.reason}"


class Progress(msgspec.Struct, kw_only=True):
    """How far an import is."""

    files_total: int = 0
    files_done: int = 0
    bytes_total: int = 0
    bytes_done: int = 0
    items: int = 0


class Counts(msgspec.Struct, kw_only=True):
    """What was read, and what of it was new."""

    files: int = 0
    """Files with something new."""
    unchanged: int = 0
    """Files that were as they had been, and so weren't read."""
    windows: int = 0
    """Windows that are new."""
    items: int = 0
    """Items that were read."""
    added: int = 0
    """Items that are new to the archive."""
    shared: int = 0
    """Items that stand in the archive already: in this window, or on the same path in another."""
    purged: int = 0
    """Items that were purged before and stay so."""
    restored: int = 0
    """Items that were purged before and are back."""
    rewritten: int = 0
    """Windows that their tool rewrote; what they were is kept beside what they are."""
    responses: int = 0
    """Reports of usage that were new or larger."""
    quarantined: int = 0
    """Stretches that were set aside."""
    source_bytes: int = 0
    """Bytes of the files that are kept, decompressed; also where equal ones were there already."""
    item_bytes: int = 0
    """What the contents of items take that are new, compressed."""
    table_bytes: int = 0
    """What the tables take that find those."""
    run_bytes: int = 0
    """What else the kept bytes take: all that no item holds."""


class ImportReport(Counts, kw_only=True):
    """What became of an import."""

    sources: dict[str, Counts] = {}
    """The same counts for each source that had files, by its name."""
    record_types: dict[str, int] = {}
    """How many records of each type were read, by source: `claude-code:user`."""
    problems: list[Problem] = []
    dry_run: bool = False


def counts_of(report: Counts) -> dict[str, int]:
    """The counts of a report by name."""
    return {name: getattr(report, name) for name in Counts.__struct_fields__}


def failure(path: Path, error: VoxError) -> Problem:
    """A file that could not be imported to its end."""
    return Problem(path=str(path), reason=error.code, message=str(error), file_failed=True)
