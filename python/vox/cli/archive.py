"""`vox archive`: the archive as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vox.cli import people
from vox.cli.options import Position, archive_option, json_option, open_to_read, warn_of
from vox.cli.output import Column, answer, note, table
from vox.cli.plain import one_line
from vox.config import load_settings
from vox.errors import DamagedError, NotAnArchiveError, NotFoundError, VerifyFailedError

if TYPE_CHECKING:
    from vox.archive import VerifyReport

SHOWN_FINDINGS = 50

COUNTS = {
    "windows": "conversations and parts of them",
    "items": "messages, calls, results, records",
    "blobs": "distinct contents of items",
    "sources": "files that were read",
    "quarantined": "stretches of them set aside",
    "events": "entries of the log",
}


@click.group()
def archive() -> None:
    """Sizes, counts and soundness of the archive."""


@archive.command()
@click.option("--tables", is_flag=True, help="The rows and bytes of each table instead.")
@json_option
@archive_option
def stats(tables: bool, as_json: bool, path: Path | None) -> None:
    """Count what is in the archive and what it takes on disk.

    Content is what blobs and their index take, the spine all other tables: windows, items, usage,
    cursors, events.
    """
    numbers = open_to_read(path).stats()
    if as_json:
        answer("vox.stats.v1", numbers)
    elif tables:
        columns = (Column("table"), Column("rows", align="right"), Column("bytes", align="right"))
        table(
            columns,
            (
                (name, people.number(sizes["rows"]), people.number(sizes["bytes"]))
                for name, sizes in numbers["tables"].items()
            ),
        )
    else:
        columns = (
            Column("what"),
            Column("how much", align="right"),
            Column("", style="dim", flexible=True),
        )
        note(numbers["path"])
        table(columns, _summary(numbers))


def _summary(numbers: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for name, means in COUNTS.items():
        yield name, people.number(numbers[name]), means
    raw, items = numbers["raw_bytes"], numbers["items"]
    ratio = f": {numbers['content_bytes'] / raw:.0%} of raw" if raw else ""
    apiece = f": {numbers['spine_bytes'] / items:.0f} B an item" if items else ""
    yield "raw", people.size(raw), "the blobs' own bytes"
    yield "content", people.size(numbers["content_bytes"]), f"blobs as stored{ratio}"
    yield "spine", people.size(numbers["spine_bytes"]), f"all else{apiece}"
    yield "file", people.size(numbers["file_bytes"]), "on disk"


@archive.command()
@click.option(
    "--sample",
    type=Position(min=1),
    metavar="N",
    help="Check the contents of N blobs only, chosen evenly.",
)
@click.option("--repair", is_flag=True, help="Rebuild the tables that can be derived from others.")
@click.option("-v", "--verbose", is_flag=True, help="Also how many of each were checked.")
@json_option
@archive_option
@click.pass_context
def verify(
    ctx: click.Context,
    sample: int | None,
    repair: bool,
    verbose: bool,
    as_json: bool,
    path: Path | None,
) -> None:
    """Check every page, hash, reference, order and index of the archive.

    Exits with 13 if anything is wrong that was not repaired. Reads with vox's own page reader, so
    that no damage can crash it, and an archive that can't be opened is checked all the same.
    """
    report = _repair(path, sample) if repair else _verify(path, sample)
    if as_json:
        answer("vox.verify.v1", report)
    else:
        for finding in report.findings[:SHOWN_FINDINGS]:
            click.echo(one_line(str(finding)))
        if (more := report.total - SHOWN_FINDINGS) > 0:
            click.echo(f"and {people.number(more)} more")
        for text in report.notes:
            click.echo(f"note: {one_line(text)}")
        if repair:
            click.echo(f"rebuilt: {', '.join(report.repaired) or 'nothing, nothing was wrong'}")
        if verbose:
            columns = (Column("checked"), Column("rows", align="right"))
            table(columns, ((n, people.number(count)) for n, count in report.checked.items()))
        click.echo(one_line(report.verdict))
    if not report.ok:
        ctx.exit(VerifyFailedError.exit_status)


def _verify(path: Path | None, sample: int | None) -> VerifyReport:
    try:
        return open_to_read(path).verify(sample)
    except DamagedError as damage:
        from vox.archive import verify_path

        try:
            return verify_path(path or load_settings().archive, sample=sample)
        except (NotAnArchiveError, NotFoundError):
            # Nothing is left to read: what kept it from opening is all there is to say.
            raise damage from None


def _repair(path: Path | None, sample: int | None) -> VerifyReport:
    import vox

    with vox.open(path, create=False) as archive:
        warn_of(archive)
        return archive.verify(sample, repair=True)
