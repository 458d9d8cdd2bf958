"""Importing: finds transcripts, reads what is new of them, and reports what became of it.

Framing and storing happen in the core, without the GIL; adapters say what records mean.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from pathlib import Path

from vox import _native
from vox.archive.discovery import Transcript, Unreadable, at_path, in_folder
from vox.archive.lease import Lease, leased
from vox.archive.pipeline import Pipeline
from vox.archive.report import Counts, ImportReport, Problem, Progress, counts_of, failure
from vox.errors import InvalidArgumentError, SourceUnreadableError, VoxError
from vox.sources import SOURCES
from vox.sources.base import Batch, FileSource


def run(
    archive: _native.Archive,
    sources: Collection[str | FileSource] | None,
    *,
    root: Path | None,
    paths: Iterable[Path],
    dry_run: bool,
    verify_sources: bool,
    restore_purged: bool,
    raw: bool,
    progress: Callable[[Progress], None] | None,
) -> ImportReport:
    """See `vox.archive.Archive.ingest`."""
    paths = [_absolute(path) for path in paths]
    root = _absolute(root) if root else None
    if root and not root.is_dir():
        raise InvalidArgumentError(f"{root} is no folder; name one that holds transcripts")
    chosen = _choose(sources) if sources or not paths else []
    report = ImportReport(dry_run=dry_run)
    known = {path: name for path, name, *_ in archive.sources()}
    found: list[Transcript] = []
    places = [(folder, [source]) for source in chosen for folder in source.roots()]
    searched = [(root, chosen)] if root else places
    for folder, readers in searched:
        if folder.is_dir():
            found += _readable(in_folder(folder, readers, known), report)
    for path in paths:
        found += _readable(at_path(path, SOURCES, known), report)
    state = _Import(
        archive,
        report,
        dry_run=dry_run,
        verify_sources=verify_sources or restore_purged,
        restore_purged=restore_purged,
        raw=raw,
        show=progress,
        found=found,
    )
    with leased(archive, needed=not dry_run) as state.lease:
        state.files(found)
    if not dry_run:
        _note_vanished(archive, chosen, root)
    report.record_types = dict(sorted(state.record_types.items()))
    return report


def _choose(sources: Collection[str | FileSource] | None) -> list[FileSource]:
    by_name = {source.name: source for source in SOURCES}
    chosen: list[FileSource] = []
    for source in sources or by_name:
        if not isinstance(source, str):
            chosen.append(source)
        elif source in by_name:
            chosen.append(by_name[source])
        else:
            known = ", ".join(sorted(by_name))
            raise InvalidArgumentError(f"{source!r} is no known tool; use one of: {known}")
    return chosen


def _absolute(path: Path) -> Path:
    """Symbolic links stay as they are: a path names a source, whatever it leads to."""
    return Path(os.path.abspath(path))  # noqa: PTH100


def _readable(
    found: Iterable[Transcript | Unreadable], report: ImportReport
) -> Iterator[Transcript]:
    for file in found:
        if isinstance(file, Transcript):
            yield file
        else:
            report.problems.append(failure(*file))


DRAFT_BYTES = 1 << 10
"""What a draft weighs with its path while it waits. Judgement."""


class _Import:
    """One run: the files that were found, one after the other."""

    def __init__(
        self,
        archive: _native.Archive,
        report: ImportReport,
        *,
        dry_run: bool,
        verify_sources: bool,
        restore_purged: bool,
        raw: bool,
        show: Callable[[Progress], None] | None,
        found: list[Transcript],
    ) -> None:
        self.archive = archive
        self.report = report
        self.dry_run = dry_run
        self.verify_sources = verify_sources
        self.restore_purged = restore_purged
        self.lease: Lease | None = None
        self.raw = raw
        self.record_types: Counter[str] = Counter()
        self.progress = Progress(
            files_total=len(found), bytes_total=sum(_size(path) for _, path in found)
        )
        self._show = show

    def files(self, found: list[Transcript]) -> None:
        """Reads the files, those of each source together, in their order."""
        by_source: dict[str, list[Transcript]] = {}
        for transcript in found:
            by_source.setdefault(transcript.source.name, []).append(transcript)
        for name, files in by_source.items():
            before = counts_of(self.report)
            self._files(files)
            after = counts_of(self.report)
            self.report.sources[name] = Counts(**{n: after[n] - before[n] for n in after})

    def _files(self, found: list[Transcript]) -> None:
        with Pipeline(self.archive) as pipeline:
            for source, path in found:
                self._file(source, path, pipeline)
            self._settle(pipeline.finish())
            # What a reader remembers of these doesn't fit the archive: they are read anew.
            again = [failed.work for failed in pipeline.failed if failed.error.code == "conflict"]
            failed = [failed for failed in pipeline.failed if failed.error.code != "conflict"]
            pipeline.failed.clear()
            for source, path in again:
                self._file(source, path, pipeline, from_start=True)
                self._settle(pipeline.finish())
            for work, error in (*failed, *pipeline.failed):
                self.report.problems.append(failure(work[1], error))

    def _file(
        self, source: FileSource, path: Path, pipeline: Pipeline, *, from_start: bool = False
    ) -> None:
        done = self.progress.bytes_done
        try:
            self._read(source, path, pipeline, from_start=from_start)
        except VoxError as error:
            self.report.problems.append(failure(path, error))
        except OSError as error:
            reason = SourceUnreadableError(error.strerror or str(error))
            self.report.problems.append(failure(path, reason))
        if not from_start:
            self.progress.files_done += 1
            self._advance(done + _size(path))

    def _read(
        self, source: FileSource, path: Path, pipeline: Pipeline, *, from_start: bool
    ) -> None:
        whole = from_start or self.verify_sources
        standing, offset, state, token = self.archive.standing(path, source.name, whole=whole)
        if whole:
            offset, state = 0, None
        elif standing == "unchanged":
            self.report.unchanged += 1
            return
        if not from_start:
            self.report.files += 1
        shown = self.progress.bytes_done

        def earlier() -> Iterator[bytes]:
            framer = _native.Framer(path)
            while (batch := framer.next_batch()) is not None:
                for place, record in zip(batch.offsets, batch, strict=True):
                    if place >= offset:
                        return
                    yield record

        reader = source.reader(path, state, earlier)
        framer = _native.Framer(path, offset)
        records = framer.next_batch()
        start = offset
        while True:
            batch = reader.read(records or ())
            if records is not None and not from_start:
                self._count(source, path, records, batch)
            following = framer.next_batch() if records is not None else None
            if not self.dry_run:
                if self.lease:
                    self.lease.need()
                read_to = framer.end + framer.pending if following is None else None
                task = partial(
                    self.archive.prepare,
                    token,
                    records,
                    batch,
                    start=start,
                    read_to=read_to,
                    raw=self.raw,
                    restore_purged=self.restore_purged,
                )
                size = framer.end - start + DRAFT_BYTES * len(batch.drafts)
                self._settle(pipeline.add((source, path), task, size))
            if records is None or following is None:
                break
            start = records.end
            self._advance(shown + start - offset)
            records = following
        if framer.pending:
            self._note_pending(path, framer)

    def _settle(self, done: list[dict[str, int]]) -> None:
        for counts in done:
            self.report.windows += counts["windows"]
            self.report.added += counts["added"]
            self.report.shared += counts["shared"] + counts["known"]
            self.report.rewritten += counts["diverged"]
            self.report.responses += counts["usage"]
            self.report.purged += counts["purged"]
            self.report.restored += counts["restored"]
            self.report.source_bytes += counts["source_bytes"]
            self.report.item_bytes += counts["stored_bytes"] - counts["table_bytes"]
            self.report.table_bytes += counts["table_bytes"]
            self.report.run_bytes += counts["run_bytes"]

    def _count(
        self, source: FileSource, path: Path, records: _native.Records, batch: Batch
    ) -> None:
        self.report.items += len(batch.drafts)
        self.progress.items += len(batch.drafts)
        if self.dry_run:
            self.report.windows += sum(window.created_at is not None for window in batch.windows)
        for kind, count in batch.record_types.items():
            self.record_types[f"{source.name}:{kind}"] += count
        for place, length, reason in records.quarantined:
            self._set_aside(path, place, length, reason)
        if batch.rejected:
            places = records.offsets
            for rejected in batch.rejected:
                length = len(records[rejected.record])
                self._set_aside(path, places[rejected.record], length, rejected.reason)
        for record, name in batch.missing:
            self.report.problems.append(
                Problem(
                    path=str(path),
                    reason="missing_file",
                    offset=records.offsets[record],
                    length=len(records[record]),
                    message=f"refers to {name}, which can't be read",
                )
            )

    def _set_aside(self, path: Path, offset: int, length: int, reason: str) -> None:
        self.report.quarantined += 1
        self.report.problems.append(
            Problem(path=str(path), reason=reason, offset=offset, length=length)
        )

    def _note_pending(self, path: Path, framer: _native.Framer) -> None:
        message = f"the last {framer.pending} bytes are no whole record yet; they are read later"
        self.report.problems.append(
            Problem(
                path=str(path),
                reason="torn",
                offset=framer.end,
                length=framer.pending,
                message=message,
            )
        )

    def _advance(self, bytes_done: int) -> None:
        self.progress.bytes_done = bytes_done
        if self._show:
            self._show(self.progress)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _is_gone(path: Path) -> bool:
    """Whether there is no such file; one in a folder that can't be looked into may be there."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _note_vanished(archive: _native.Archive, sources: list[FileSource], root: Path | None) -> None:
    """Notes which files that were read from the searched folders are gone. Nothing goes with
    them."""
    folders = {
        source.name: [root] if root else [folder for folder in source.roots() if folder.is_dir()]
        for source in sources
    }
    gone = [
        path
        for path, source, *_rest, gone_at in archive.sources()
        if gone_at is None
        and any(path.is_relative_to(folder) for folder in folders.get(source, []))
        and _is_gone(path)
    ]
    if gone:
        archive.mark_gone(gone)
