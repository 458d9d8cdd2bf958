"""An archive of all examples."""

from __future__ import annotations

from pathlib import Path

from blake3 import blake3

import vox
from tests import corpus
from vox import _native
from vox.archive import Archive


def fill(archive: Archive, transcripts: Path) -> None:
    """Imports all transcripts, and adds a name, holds, overlays, a committed set and a model."""
    for tool, folder in corpus.TOOLS.items():
        archive.ingest([tool], root=transcripts / folder)
    store = vox.ContentStore(archive.path)
    store.put_many([b"held", b"\xff\x00", "tw\u00f6 \u2028 \x9b"])
    store.put(b"held")
    store.set_name("mine", blake3(b"held").digest())
    native = archive._native
    native.set_overlay(0, "trimmed", 0, 2, 77)
    seen = _native.outline(native, 0)
    _native.commit_context(
        native, 0, b"[1]", [(1, 0), (3, 1)], expected_chain=seen.chain, previous=None
    )
    _native.set_fates(native, 0, [(0, 2, 3), (2, 1, 0)])
    _native.set_route(native, 0, "model-of-mine")
