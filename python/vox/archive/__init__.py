"""The archive: open it, list and view windows, read items, import transcripts."""

from vox.archive.archive import Archive, open  # noqa: A004
from vox.archive.ingest import ImportReport, Problem, Progress
from vox.archive.soundness import Finding, VerifyReport, verify_path
from vox.archive.window import Window

__all__ = [
    "Archive",
    "Finding",
    "ImportReport",
    "Problem",
    "Progress",
    "VerifyReport",
    "Window",
    "open",
    "verify_path",
]
