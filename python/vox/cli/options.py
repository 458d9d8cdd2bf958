"""Options that commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from vox.cli.plain import one_line

if TYPE_CHECKING:
    from vox.archive import Archive

    _OfText = click.ParamType[str]
else:
    # Before click 8.4 it takes no parameter.
    _OfText = click.ParamType

LARGEST = 2**63 - 1


class Position(click.IntRange):
    """A position or number on the command line.

    Beyond the largest one of the core it is that one, which lies behind the end of any archive.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number that `value` says; a usage error if it says none or too small a one."""
        return min(int(super().convert(value, param, ctx)), LARGEST)


class Text(_OfText):
    """A text that is looked up: no other bytes than UTF-8 are found in an archive."""

    name = "text"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """`value`; a usage error if it isn't UTF-8."""
        text = str(value)
        if not text.isprintable() and any("\ud800" <= c <= "\udfff" for c in text):
            self.fail(f"{text!r} is not UTF-8", param, ctx)
        return text


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


def count_option(default: int) -> Callable[[Command], Command]:
    """`-n`, `--count`: how many rows a list shows, given to the command as `count`."""
    return click.option(
        "-n",
        "--count",
        type=click.IntRange(1, 10_000),
        default=default,
        show_default=True,
        help="Show this many.",
    )


def start_option(command: Command) -> Command:
    """`--start`: how many rows come before those of a list, given to the command as `start`."""
    return click.option("--start", type=Position(min=0), default=0, help="Skip this many.")(command)


def open_to_read(path: Path | None) -> Archive:
    """The archive at `path`, or the user's own, for reading. It must exist."""
    import vox

    archive = vox.open(path, read_only=True, create=False)
    warn_of(archive)
    return archive


@contextmanager
def open_to_change(
    path: Path | None, *, create: bool = False, dry_run: bool = False
) -> Iterator[Archive]:
    """The archive at `path`, or the user's own, for reading and writing; for a dry run, which
    changes nothing, for reading. It must exist unless it may be created."""
    import vox

    with vox.open(path, create=create, read_only=dry_run) as archive:
        warn_of(archive)
        yield archive


def warn_of(archive: Archive) -> None:
    """Prints on standard error what the user should know about the archive's place."""
    for warning in archive.warnings:
        click.echo(f"vox: {one_line(warning)}", err=True)
