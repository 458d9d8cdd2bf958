"""Whether an archive is intact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from vox import _native

HEADLINE = ("blobs", "items", "windows", "pages")
"""What a verdict counts; `VerifyReport.checked` has the rest."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is wrong."""

    table: str
    """The table, or empty for the file as a whole."""
    key: str | None
    """The row's key in hex."""
    page: int | None
    kind: str
    message: str
    repairable: bool

    def __str__(self) -> str:
        place = f"{self.table} {self.key or ''}".strip() or "file"
        page = f", page {self.page}" if self.page is not None else ""
        return f"{place}{page}: {self.message}"


class VerifyReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was checked, and what was found."""

    ok: bool
    """Whether nothing is wrong, or all that was wrong has been repaired."""
    verdict: str
    """A sentence."""
    checked: dict[str, int]
    """How many of each were checked."""
    sampled: int | None
    """How many blobs were decompressed and hashed, if not all."""
    notes: list[str]
    """What is worth knowing and nothing wrong."""
    repaired: list[str]
    """The tables that were rebuilt."""
    total: int
    """How many findings there are; `findings` has the first of them."""
    findings: list[Finding]


def verify(archive: _native.Archive, *, sample: int | None, repair: bool) -> VerifyReport:
    """Checks the archive; with `repair` rebuilds derivable tables that are wrong, and checks
    again."""
    repaired = archive.repair() if repair else []
    return _report(archive.verify(sample), repaired)


def verify_path(path: Path, *, sample: int | None = None) -> VerifyReport:
    """Checks the archive at `path`, also one that is too damaged to be opened."""
    return _report(_native.verify_archive(path, sample), [])


def _report(report: dict[str, Any], repaired: list[str]) -> VerifyReport:
    sampled = report["sampled"]
    return VerifyReport(
        ok=report["total"] == 0,
        verdict=_verdict(report["verdict"], report["total"], report["checked"], sampled),
        checked=report["checked"],
        sampled=sampled,
        notes=report["notes"],
        repaired=repaired,
        total=report["total"],
        findings=[Finding(**finding) for finding in report["findings"]],
    )


def _verdict(verdict: str, total: int, checked: dict[str, int], sample: int | None) -> str:
    found = "1 finding" if total == 1 else f"{total:,} findings"
    if verdict == "clean":
        counts = ", ".join(f"{checked.get(what, 0):,} {what}" for what in HEADLINE)
        scope = "" if sample is None else f" (contents of {sample:,} blobs only)"
        return f"clean: {counts} checked{scope}"
    if verdict == "repairable":
        return f"{found}, all in tables that `vox archive verify --repair` rebuilds"
    return (
        f"damaged: {found}; restore a backup, or copy what is readable with `vox archive salvage`"
    )
