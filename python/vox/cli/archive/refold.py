"""`vox archive refold`: the windows of sessions and conversations made anew."""

from __future__ import annotations

from pathlib import Path

import click

from vox.cli import people
from vox.cli.options import Text, archive_option, json_option, open_to_change
from vox.cli.output import answer


@click.command()
@click.option("--session", type=Text(), metavar="ID", help="Only this session.")
@json_option
@archive_option
def refold(session: str | None, as_json: bool, path: Path | None) -> None:
    """Make what the windows of sessions and conversations lack.

    All their events and messages are looked at again. What is there stays as it is; a sound
    archive lacks nothing.
    """
    with open_to_change(path) as archive:
        made = archive.sessions.refold(session)
    if as_json:
        answer("vox.refold.v1", made)
    else:
        total = people.number(sum(made.values()))
        click.echo(f"{total} changes")
