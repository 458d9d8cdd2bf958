"""`vox archive reindex`: the search index built anew."""

from __future__ import annotations

from pathlib import Path

import click

from vox.cli import people
from vox.cli.options import archive_option, json_option, open_to_change
from vox.cli.output import answer
from vox.errors import BusyError


@click.command()
@json_option
@archive_option
@click.pass_context
def reindex(ctx: click.Context, as_json: bool, path: Path | None) -> None:
    """Build the search index anew.

    Searches go on with the one that is there until the new one is whole. Needed after damage, or
    when a search says that there is no index; `vox import` keeps it up to date by itself. While
    another process builds it, nothing is done, and the exit status is 28.
    """
    with open_to_change(path) as archive:
        report = archive.reindex()
    if as_json:
        answer("vox.reindex.v1", report)
    elif report.standing == "busy":
        click.echo(
            "another process builds the index at this moment; try again when it is done", err=True
        )
    else:
        click.echo(f"{people.number(report.added, 'item')} indexed")
        if report.unreadable:
            left_out = people.number(report.unreadable, "item")
            click.echo(
                f"{left_out} left out, as they can't be read; `vox archive verify` says more"
            )
    if report.standing == "busy":
        ctx.exit(BusyError.exit_status)
