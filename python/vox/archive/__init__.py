"""The archive: open it, list and view windows, read items, import transcripts."""

from typing import TYPE_CHECKING, Any

from vox.archive.archive import Archive, Reader, open  # noqa: A004
from vox.archive.window import Window

if TYPE_CHECKING:
    from vox.archive.append import NewItem
    from vox.archive.exchange import import_jsonl
    from vox.archive.generations import BackupReport, CompactReport, MigrateReport, migrate
    from vox.archive.report import Counts, ImportReport, Problem, Progress
    from vox.archive.salvage import SalvageReport
    from vox.archive.soundness import Finding, VerifyReport, verify_path
    from vox.archive.window_ops import LabelReport, MarkedWindow, MarkReport, MergeReport

__all__ = [
    "Archive",
    "BackupReport",
    "CompactReport",
    "Counts",
    "Finding",
    "ImportReport",
    "LabelReport",
    "MarkReport",
    "MarkedWindow",
    "MergeReport",
    "MigrateReport",
    "NewItem",
    "Problem",
    "Progress",
    "Reader",
    "SalvageReport",
    "VerifyReport",
    "Window",
    "import_jsonl",
    "migrate",
    "open",
    "verify_path",
]


def __getattr__(name: str) -> Any:
    # These bring in the adapters or msgspec, which whoever only looks needn't wait for.
    if name in {"Counts", "ImportReport", "Problem", "Progress"}:
        from vox.archive import report

        return getattr(report, name)
    if name == "NewItem":
        from vox.archive.append import NewItem

        return NewItem
    if name in {"BackupReport", "CompactReport", "MigrateReport", "migrate"}:
        from vox.archive import generations

        return getattr(generations, name)
    if name == "import_jsonl":
        from vox.archive.exchange import import_jsonl

        return import_jsonl
    if name == "SalvageReport":
        from vox.archive.salvage import SalvageReport

        return SalvageReport
    if name in {"Finding", "VerifyReport", "verify_path"}:
        from vox.archive import soundness

        return getattr(soundness, name)
    if name in {"LabelReport", "MarkedWindow", "MarkReport", "MergeReport"}:
        from vox.archive import window_ops

        return getattr(window_ops, name)
    raise AttributeError(f"module 'vox.archive' has no attribute {name!r}")
