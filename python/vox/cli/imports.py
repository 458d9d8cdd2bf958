"""`vox import`: transcripts of other tools into the archive."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vox.cli import people
from vox.cli.options import archive_option, json_option, open_to_change
from vox.cli.output import answer, remark
from vox.cli.plain import one_line
from vox.config import load_settings
from vox.errors import InvalidArgumentError, PartialError, VoxError

if TYPE_CHECKING:
    from vox.archive import Archive, Counts, ImportReport, Problem, Progress

SHOWN_PROBLEMS = 20


@click.command(name="import")
@click.argument("sources", nargs=-1, metavar="[SOURCE|FILE]...")
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Look here instead of in the tools' default folders.",
)
@click.option("--dry-run", is_flag=True, help="Read everything, write nothing.")
@click.option(
    "--verify-sources",
    is_flag=True,
    help="Also read files that are as they were, and compare them with the archive.",
)
@click.option(
    "--jsonl",
    "lines",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    metavar="FILE",
    help="Make the archive anew from what `vox export --jsonl` wrote; - is standard input.",
)
@click.option(
    "--restore-purged",
    is_flag=True,
    help="Bring back what was purged, as far as sources have it; reads all files.",
)
@click.option(
    "--raw/--no-raw",
    default=True,
    help="Keep the bytes of the files, for `vox export --raw`.  [default: raw]",
)
@click.option("--no-index", is_flag=True, help="Leave the search index as it is.")
@json_option
@archive_option
@click.pass_context
def import_(
    ctx: click.Context,
    sources: tuple[str, ...],
    root: Path | None,
    dry_run: bool,
    verify_sources: bool,
    restore_purged: bool,
    lines: Path | None,
    raw: bool,
    no_index: bool,
    as_json: bool,
    path: Path | None,
) -> None:
    """Import what is new in the transcripts of other tools.

    SOURCE is a tool, such as claude-code or codex; without one, all are tried. A FILE is imported
    as whichever tool's it is. Sources are only read, and what the archive already has isn't read
    again.

    --jsonl makes a new archive (--archive PATH) of an export instead.
    """
    if lines is not None:
        if sources or root or dry_run or verify_sources or restore_purged:
            raise InvalidArgumentError("--jsonl takes its FILE and nothing else to import")
        _import_lines(lines, path or load_settings().archive, as_json=as_json)
        return
    names = [source for source in sources if not _is_path(source)]
    paths = [Path(source) for source in sources if _is_path(source)]
    with _target(path, dry_run=dry_run) as archive, _progress() as progress:
        report = archive.ingest(
            names or None,
            root=root,
            paths=paths,
            dry_run=dry_run,
            verify_sources=verify_sources,
            restore_purged=restore_purged,
            raw=raw,
            progress=progress,
        )
        if not (dry_run or no_index):
            _update_index(archive)
        if not dry_run:
            _scan_secrets(archive)
    if as_json:
        answer("vox.import.v1", report)
    else:
        _summarise(report)
    if any(problem.file_failed for problem in report.problems):
        ctx.exit(PartialError.exit_status)


def _update_index(archive: Archive) -> None:
    """Lets the search index catch up; searches do without it if that fails."""
    try:
        archive.update_index()
    except (VoxError, OSError) as error:
        remark(f"the search index wasn't brought up to date: {error}")


def _scan_secrets(archive: Archive) -> None:
    """Keeps where the secrets of what is new are. Without that they are looked for whenever
    something is shown, so an import is whole if it can't be done."""
    try:
        archive.scan_secrets()
    except VoxError as error:
        remark(f"secrets weren't looked for in advance: {error}")


def _import_lines(lines: Path, target: Path, *, as_json: bool) -> None:
    from vox.archive import import_jsonl

    imported = import_jsonl(sys.stdin.buffer if str(lines) == "-" else lines, target)
    if as_json:
        answer("vox.import.jsonl.v1", imported)
    else:
        count = people.number
        windows, items = imported.counts.get("window", 0), imported.counts.get("item", 0)
        click.echo(f"{count(windows, 'window')} and {count(items, 'item')} in a new archive")


def _is_path(source: str) -> bool:
    if "/" in source or "\\" in source or source.endswith((".jsonl", ".zst")):
        return True
    from vox.sources import SOURCES

    return source not in {known.name for known in SOURCES} and os.path.lexists(source)


@contextmanager
def _target(path: Path | None, *, dry_run: bool) -> Iterator[Archive]:
    """The archive to import into; for a dry run that would make one, one that goes away again."""
    if dry_run and not (path or load_settings().archive).exists():
        from tempfile import TemporaryDirectory

        import vox

        with TemporaryDirectory() as folder, vox.open(Path(folder)) as archive:
            yield archive
    else:
        with open_to_change(path, create=True) as archive:
            yield archive


@contextmanager
def _progress() -> Iterator[Callable[[Progress], None] | None]:
    """Shows bytes, items and rate on standard error while it is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("{task.fields[files]}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TextColumn("{task.fields[items]}", markup=False),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=None, files="", items="", visible=False)

        def show(progress: Progress) -> None:
            bar.update(
                task,
                visible=True,
                total=progress.bytes_total,
                completed=progress.bytes_done,
                files=f"{progress.files_done}/{progress.files_total} files",
                items=people.number(progress.items, "item"),
            )

        yield show


def _summarise(report: ImportReport) -> None:
    if report.files == report.unchanged == 0 and not report.problems:
        click.echo("no transcripts found; `vox doctor` says where vox looks")
        return
    for name, counts in report.sources.items():
        click.echo(f"{_title(name)}: {_outcome(counts, dry_run=report.dry_run)}")
    if len(report.sources) > 1:
        click.echo(f"in all: {_outcome(report, dry_run=report.dry_run)}")
    for line in _problems(report.problems):
        click.echo(one_line(line), err=True)


def _title(name: str) -> str:
    from vox.sources import SOURCES

    return next((source.title for source in SOURCES if source.name == name), name)


def _outcome(counts: Counts, *, dry_run: bool) -> str:
    if counts.files == 0:
        unchanged = people.number(counts.unchanged, "file")
        return f"nothing new in {unchanged}" if counts.unchanged else "nothing could be read"
    files = people.number(counts.files, "file")
    if counts.unchanged:
        files += f" ({people.number(counts.unchanged)} unchanged)"
    if dry_run:
        return f"would read {people.number(counts.items, 'item')} from {files}"
    facts = [
        f"{files} read",
        people.number(counts.windows, "new window"),
        f"{people.number(counts.added, 'item')} added, {people.number(counts.shared)} shared",
    ]
    if counts.rewritten:
        facts.append(f"{people.number(counts.rewritten, 'window')} rewritten by the tool")
    if counts.purged:
        facts.append(f"{people.number(counts.purged)} stay purged")
    if counts.restored:
        facts.append(f"{people.number(counts.restored)} restored")
    if counts.responses:
        facts.append(people.number(counts.responses, "response"))
    if counts.source_bytes:
        kept = counts.item_bytes + counts.run_bytes
        share = f"{100 * kept / counts.source_bytes:.1f} %"
        size = people.size(counts.source_bytes)
        facts.append(f"{size} kept in {people.size(kept)} ({share})")
    if counts.quarantined:
        facts.append(f"{people.number(counts.quarantined)} set aside")
    return "; ".join(facts)


def _problems(problems: Sequence[Problem]) -> Iterator[str]:
    """One line for each file and reason."""
    groups: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        groups.setdefault((problem.path, problem.reason), []).append(problem)
    for (path, reason), group in list(groups.items())[:SHOWN_PROBLEMS]:
        first, *others = group
        if first.file_failed:
            yield f"  not imported: {first}"
        elif not others:
            yield f"  {first}"
        else:
            place = f"{path}, bytes {first.offset}+{first.length}"
            yield f"  {place} and {people.number(len(others), 'more place')}: {reason}"
    if (more := len(groups) - SHOWN_PROBLEMS) > 0:
        yield f"  and {people.number(more, 'more group')} of problems; --json lists all"
