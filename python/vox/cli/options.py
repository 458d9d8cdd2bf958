"""Options that commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from vox.cli.plain import one_line

if TYPE_CHECKING:
    from vox.archive import Archive

Command = TypeVar("Command", bound=Callable[..., Any])


def archive_option(command: Command) -> Command:
    """`--archive PATH`, given to the command as `path`."""
    return click.option(
        "--archive",
        "path",
        type=click.Path(path_type=Path),
        metavar="PATH",
        help="The archive.  [default: archive/ in VOX_HOME]",
    )(command)


def json_option(command: Command) -> Command:
    """`--json`, given to the command as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Answer as one JSON object.")(
        command
    )


def jsonl_option(command: Command) -> Command:
    """`--jsonl`, given to the command as `as_lines`."""
    return click.option(
        "--jsonl", "as_lines", is_flag=True, help="Answer as JSON lines, one for each row."
    )(command)


def open_to_read(path: Path | None) -> Archive:
    """The archive at `path`, or the user's own, for reading. It must exist."""
    import vox

    archive = vox.open(path, read_only=True, create=False)
    warn_of(archive)
    return archive


def warn_of(archive: Archive) -> None:
    """Prints on standard error what the user should know about the archive's place."""
    for warning in archive.warnings:
        click.echo(f"vox: {one_line(warning)}", err=True)
