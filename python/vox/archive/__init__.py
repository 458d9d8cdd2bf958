"""The archive: open it, list and view windows, read items, import transcripts."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vox.archive.archive import Archive, open  # noqa: A004
from vox.archive.upkeep import Reader
from vox.archive.window import Window

if TYPE_CHECKING:
    from vox.archive.append import NewItem
    from vox.archive.counts import ItemTokens
    from vox.archive.exchange import Exported, ImportedLines, import_jsonl
    from vox.archive.gc import CollectReport
    from vox.archive.generations import BackupReport, CompactReport, MigrateReport, migrate
    from vox.archive.indexing import IndexReport
    from vox.archive.purge import PurgeReport
    from vox.archive.raw import RawExport
    from vox.archive.redacting import RedactReport
    from vox.archive.report import Counts, ImportReport, Problem, Progress
    from vox.archive.salvage import SalvageReport
    from vox.archive.search import Facets, SearchAnswer, SearchHit, Snippet
    from vox.archive.secrets import SecretScan
    from vox.archive.soundness import Finding, VerifyReport, verify_path
    from vox.archive.window_ops import LabelReport, MarkedWindow, MarkReport, MergeReport

__all__ = [
    "Archive",
    "BackupReport",
    "CollectReport",
    "CompactReport",
    "Counts",
    "Exported",
    "Facets",
    "Finding",
    "ImportReport",
    "ImportedLines",
    "IndexReport",
    "ItemTokens",
    "LabelReport",
    "MarkReport",
    "MarkedWindow",
    "MergeReport",
    "MigrateReport",
    "NewItem",
    "Problem",
    "Progress",
    "PurgeReport",
    "RawExport",
    "Reader",
    "RedactReport",
    "SalvageReport",
    "SearchAnswer",
    "SearchHit",
    "SecretScan",
    "Snippet",
    "VerifyReport",
    "Window",
    "import_jsonl",
    "migrate",
    "open",
    "verify_path",
]


_LATER = {
    "append": ("NewItem",),
    "counts": ("ItemTokens",),
    "exchange": ("Exported", "ImportedLines", "import_jsonl"),
    "gc": ("CollectReport",),
    "generations": ("BackupReport", "CompactReport", "MigrateReport", "migrate"),
    "indexing": ("IndexReport",),
    "purge": ("PurgeReport",),
    "raw": ("RawExport",),
    "redacting": ("RedactReport",),
    "report": ("Counts", "ImportReport", "Problem", "Progress"),
    "salvage": ("SalvageReport",),
    "search": ("Facets", "SearchAnswer", "SearchHit", "Snippet"),
    "secrets": ("SecretScan",),
    "soundness": ("Finding", "VerifyReport", "verify_path"),
    "window_ops": ("LabelReport", "MarkReport", "MarkedWindow", "MergeReport"),
}
"""Names by module that bring in the adapters or msgspec, which whoever only looks needn't wait
for."""


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name in names:
            return getattr(import_module(f"vox.archive.{module}"), name)
    raise AttributeError(f"module 'vox.archive' has no attribute {name!r}")
