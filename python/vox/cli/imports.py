"""`vox import`: transcripts of other tools into the archive."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from vox.cli import people
from vox.cli.options import archive_option, json_option
from vox.cli.output import answer
from vox.cli.plain import one_line
from vox.config import load_settings
from vox.errors import PartialError

if TYPE_CHECKING:
    from vox.archive import Archive, ImportReport, Progress

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
@json_option
@archive_option
@click.pass_context
def import_(
    ctx: click.Context,
    sources: tuple[str, ...],
    root: Path | None,
    dry_run: bool,
    verify_sources: bool,
    as_json: bool,
    path: Path | None,
) -> None:
    """Import transcripts; what the archive already has is not read again.

    SOURCE is a tool, such as claude-code or codex; without one, all are tried. A FILE is
    imported as whichever tool's it is.
    """
    names = [source for source in sources if not _is_path(source)]
    paths = [Path(source) for source in sources if _is_path(source)]
    with _target(path, dry_run=dry_run) as archive, _progress() as progress:
        report = archive.ingest(
            names or None,
            root=root,
            paths=paths,
            dry_run=dry_run,
            verify_sources=verify_sources,
            progress=progress,
        )
    if as_json:
        answer("vox.import.v1", report)
    else:
        _summarise(report, dry_run=dry_run)
    if any(problem.file_failed for problem in report.problems):
        ctx.exit(PartialError.exit_status)


def _is_path(source: str) -> bool:
    return "/" in source or "\\" in source or source.endswith((".jsonl", ".zst"))


@contextmanager
def _target(path: Path | None, *, dry_run: bool) -> Iterator[Archive]:
    """The archive to import into; for a dry run that would make one, one that goes away again."""
    import vox

    if dry_run and not (path or load_settings().archive).exists():
        with TemporaryDirectory() as folder, vox.open(Path(folder)) as archive:
            yield archive
    else:
        with vox.open(path) as archive:
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
        task = bar.add_task("", total=None, files="", items="")

        def show(progress: Progress) -> None:
            bar.update(
                task,
                total=progress.bytes_total,
                completed=progress.bytes_done,
                files=f"{progress.files_done}/{progress.files_total} files",
                items=people.number(progress.items, "item"),
            )

        yield show


def _summarise(report: ImportReport, *, dry_run: bool) -> None:
    if report.files == report.unchanged == 0:
        click.echo("no transcripts found; `vox doctor` says where vox looks")
    elif report.files == 0:
        click.echo(f"nothing new in {people.number(report.unchanged, 'file')}")
    elif dry_run:
        click.echo(
            f"would read {people.number(report.items, 'item')} "
            f"from {people.number(report.files, 'file')}"
        )
    else:
        click.echo(_counts(report))
    for problem in report.problems[:SHOWN_PROBLEMS]:
        click.echo(f"  {one_line(str(problem))}", err=True)
    if (more := len(report.problems) - SHOWN_PROBLEMS) > 0:
        click.echo(f"  and {people.number(more, 'more problem')}; --json lists all", err=True)


def _counts(report: ImportReport) -> str:
    return (
        f"imported {people.number(report.items, 'item')} in "
        f"{people.number(report.windows, 'window')} from {people.number(report.files, 'file')}: "
        f"{people.number(report.added)} added, {people.number(report.shared)} shared, "
        f"{people.number(report.quarantined)} quarantined"
    )
