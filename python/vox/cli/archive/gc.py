"""`vox archive gc`: content that nothing uses any more goes."""

from __future__ import annotations

from pathlib import Path

import click

from vox.cli import people
from vox.cli.options import archive_option, json_option, open_to_change
from vox.cli.output import answer
from vox.config import GRACE_DAYS
from vox.errors import BusyError


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would go; change nothing.")
@click.option("--now", is_flag=True, help="Also what has only now been found unused.")
@click.option(
    "--grace",
    type=click.FloatRange(min=0),
    default=GRACE_DAYS,
    show_default=True,
    metavar="DAYS",
    help="How long content stays after it was first found unused.",
)
@json_option
@archive_option
@click.pass_context
def gc(
    ctx: click.Context, dry_run: bool, now: bool, grace: float, as_json: bool, path: Path | None
) -> None:
    """Remove content that nothing uses any more.

    No conversation, no name and no service refers to it: services have released it, or it was
    purged. It goes when it has been unused for the grace period. The room is used again; `vox
    archive compact` makes the file smaller. Refuses, and removes nothing, if the archive's counts
    are wrong. While an import runs nothing is removed: with --now the exit status is 28 then.
    """
    with open_to_change(path, dry_run=dry_run) as archive:
        report = archive.gc(dry_run=dry_run, now=now, grace_days=grace)
    if as_json:
        answer("vox.gc.v1", report)
    else:
        would = "would be " if dry_run else ""
        took = people.size(report.removed_bytes)
        click.echo(
            f"{people.number(report.blobs, 'blob')} looked at, {people.number(report.unused)} "
            f"unused; {people.number(report.removed)} {would}removed ({took})"
        )
        if report.waiting:
            click.echo(f"waiting for the end of the grace period: {people.number(report.waiting)}")
        for holder in report.held_back_by:
            since = people.moment(holder.started)
            click.echo(
                f"held back: process {holder.pid} has been importing since {since}", err=True
            )
    if report.held_back_by and now and not dry_run:
        ctx.exit(BusyError.exit_status)
