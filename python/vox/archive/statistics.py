"""What is in an archive, and what it takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vox import _native

CONTENT = ("segments", "tails", "blob_recent", "blob_levels")
"""Tables of blobs and their index; the others are the spine."""


def of(archive: _native.Archive) -> dict[str, Any]:
    """Counts and bytes. Bytes of tables are those of their whole pages."""
    tables = {name: {"rows": rows, "bytes": size} for name, rows, size in archive.table_sizes()}
    blobs, raw, _bodies = archive.blob_sizes()
    content = sum(tables[name]["bytes"] for name in CONTENT)
    spine = sum(table["bytes"] for table in tables.values()) - content
    path = Path(archive.path)
    return {
        "path": str(path),
        "windows": tables["windows"]["rows"],
        "items": archive.item_count(),
        "blobs": blobs,
        "sources": tables["cursors"]["rows"],
        "quarantined": tables["quarantine"]["rows"],
        "events": tables["events"]["rows"],
        "raw_bytes": raw,
        "content_bytes": content,
        "spine_bytes": spine,
        "file_bytes": Path(archive.data_file()).stat().st_size,
        "tables": tables,
    }
