"""`vox archive verify`: whether the archive is intact."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vox.cli import people
from vox.cli.options import Position, archive_option, json_option, open_to_read, warn_of
from vox.cli.output import Column, answer, table
from vox.cli.plain import one_line
from vox.config import load_settings
from vox.errors import DamagedError, NotAnArchiveError, NotFoundError, VerifyFailedError

if TYPE_CHECKING:
    from vox.archive import VerifyReport

SHOWN_FINDINGS = 50


@click.command()
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
    """Check that all of the archive is sound.

    Looks at every page, hash, reference, order and index. Exits with 13 if anything is wrong that
    was not repaired. Reads with vox's own page reader, so that no damage can crash it, and an
    archive that can't be opened is checked all the same.
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
