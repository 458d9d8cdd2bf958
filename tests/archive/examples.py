"""An archive of all examples."""

from __future__ import annotations

from pathlib import Path

from blake3 import blake3

import vox
from tests import corpus
from vox.archive import Archive


def fill(archive: Archive, transcripts: Path) -> None:
    """Imports all transcripts, and adds a name, holds and an overlay."""
    for tool, folder in corpus.TOOLS.items():
        archive.ingest([tool], root=transcripts / folder)
    store = vox.ContentStore(archive.path)
    store.put_many([b"held", b"\xff\x00", "tw\u00f6 \u2028 \x9b"])
    store.put(b"held")
    store.set_name("mine", blake3(b"held").digest())
    archive._native.set_overlay(0, "trimmed", 0, 2, 77)
