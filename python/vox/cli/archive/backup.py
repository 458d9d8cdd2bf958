"""`vox archive backup`: a copy of the archive while it is in use."""

from __future__ import annotations

from pathlib import Path

import click

from vox.cli import people
from vox.cli.options import archive_option, json_option, open_to_read
from vox.cli.output import answer
from vox.cli.plain import one_line


@click.command()
@click.argument("dest", type=click.Path(path_type=Path))
@json_option
@archive_option
def backup(dest: Path, as_json: bool, path: Path | None) -> None:
    """Copy the archive to a new folder.

    DEST must be missing or empty. Others may go on writing: the copy is the archive as it was at
    one moment, and an archive of its own (`vox ls --archive DEST`). Whatever ends it leaves no
    DEST; when it is killed, a draft beside it that the next one to there writes over.
    """
    report = open_to_read(path).backup(dest)
    if as_json:
        answer("vox.backup.v1", report)
    else:
        click.echo(f"{one_line(report.path)}: {people.size(report.bytes)}")
