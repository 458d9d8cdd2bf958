"""`vox archive compact`: the archive written anew."""

from __future__ import annotations

from pathlib import Path

import click

from vox.cli import people
from vox.cli.options import archive_option, json_option, open_to_change
from vox.cli.output import answer


@click.command()
@json_option
@archive_option
def compact(as_json: bool, path: Path | None) -> None:
    """Write the archive anew, without the room that it no longer needs.

    Needs as much free disk as the new files take; the old ones go when those are complete and in
    use. Others may use the archive meanwhile: readers go on, writers wait until it is done.
    Whatever ends it before that leaves the archive as it was.
    """
    with open_to_change(path) as archive:
        report = archive.compact()
    if as_json:
        answer("vox.compact.v1", report)
    else:
        before, after = people.size(report.bytes_before), people.size(report.bytes_after)
        click.echo(f"{before} before, {after} now")
