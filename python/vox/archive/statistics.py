"""What is in an archive, and what it takes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from vox import _native
from vox.archive.filters import window_filter

CONTENT = ("segments", "tails", "blob_recent", "blob_levels")
"""Tables of blobs and their index."""
CUSTODY = ("raw_runs", "raw_files", "raw_samples")
"""Tables of source bytes; all others are the spine."""


def of(archive: _native.Archive) -> dict[str, Any]:
    """Counts and bytes. Bytes of tables are those of their whole pages."""
    tables = {name: {"rows": rows, "bytes": size} for name, rows, size in archive.table_sizes()}
    blobs, raw, _bodies = archive.blob_sizes()
    content = sum(tables[name]["bytes"] for name in CONTENT)
    custody = sum(tables[name]["bytes"] for name in CUSTODY)
    spine = sum(table["bytes"] for table in tables.values()) - content - custody
    path = Path(archive.path)
    return {
        "path": str(path),
        "windows": tables["windows"]["rows"],
        "producers": _live_windows(archive),
        "items": archive.item_count(),
        "blobs": blobs,
        "sources": tables["cursors"]["rows"],
        "quarantined": tables["quarantine"]["rows"],
        "events": tables["events"]["rows"],
        "raw_bytes": raw,
        "content_bytes": content,
        "custody_bytes": custody,
        "spine_bytes": spine,
        "file_bytes": Path(archive.data_file()).stat().st_size,
        "kept": {name: _kept(*sizes) for name, *sizes in archive.source_sizes()},
        "tables": tables,
    }


def _kept(source: int, items: int, item_tables: int, runs: int) -> dict[str, Any]:
    """What source bytes take: the bodies of their items and the runs of all else."""
    return {
        "source_bytes": source,
        "item_bytes": items,
        "run_bytes": runs,
        "table_bytes": item_tables,
        "share": (items + runs) / source if source else None,
        "share_with_tables": (items + runs + item_tables) / source if source else None,
    }


PAGE = 10_000
"""Windows that are looked at in one go. Judgement."""


def _live_windows(archive: _native.Archive) -> dict[str, int]:
    """How many windows of each producer there are, by its name; without those that are deleted."""
    counts = Counter[str]()
    start = 0
    while page := archive.windows(window_filter(), start, PAGE).column("source"):
        counts.update(page)
        start += len(page)
    return dict(sorted(counts.items()))
