"""`vox archive migrate`: the archive in the format of this vox."""

from __future__ import annotations

from pathlib import Path

import click

from vox.cli import people
from vox.cli.options import archive_option, json_option
from vox.cli.output import answer


@click.command()
@json_option
@archive_option
def migrate(as_json: bool, path: Path | None) -> None:
    """Bring an older archive to the format of this vox.

    It is written anew beside the old files, which go when the new ones are complete. Ids, numbers
    and contents stay. Whatever ends it before leaves the archive as it was. An older vox can't read
    it afterwards.
    """
    from vox.archive import migrate

    report = migrate(path)
    if as_json:
        answer("vox.migrate.v1", {"migrated": report is not None, "report": report})
    elif report is None:
        click.echo("nothing to do: the archive has the format of this vox")
    else:
        before, after = people.size(report.bytes_before), people.size(report.bytes_after)
        click.echo(f"migrated from format {report.format_before}: {before} before, {after} now")
