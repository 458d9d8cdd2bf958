"""`vox window rename`, `tag`, `untag`, `delete`, `undelete`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vox.cli import people
from vox.cli.options import Text, archive_option, json_option, open_to_change
from vox.cli.output import answer
from vox.cli.plain import one_line
from vox.cli.window.marks import outcome

if TYPE_CHECKING:
    from vox.archive import Window


@click.command()
@click.argument("window", type=Text())
@click.argument("title", type=Text())
@json_option
@archive_option
def rename(window: str, title: str, as_json: bool, path: Path | None) -> None:
    """Give a window a title, which imports leave alone.

    An empty TITLE gives it back to its source.
    """
    with open_to_change(path) as archive:
        found = archive.window(window)
        found.rename(title)
    if as_json:
        answer("vox.rename.v1", {"window": found.id, "title": found.title})
    else:
        click.echo(one_line(f"{found.id[:8]} {found.title or ''}".rstrip()))


@click.command()
@click.argument("window", type=Text())
@click.argument("tags", nargs=-1, required=True, type=Text(), metavar="TAG...")
@json_option
@archive_option
def tag(window: str, tags: tuple[str, ...], as_json: bool, path: Path | None) -> None:
    """File a window under tags; `vox ls --tag TAG` lists by them."""
    with open_to_change(path) as archive:
        found = archive.window(window)
        found.tag(*tags)
    _tell_tags("tag", found, as_json=as_json)


@click.command()
@click.argument("window", type=Text())
@click.argument("tags", nargs=-1, required=True, type=Text(), metavar="TAG...")
@json_option
@archive_option
def untag(window: str, tags: tuple[str, ...], as_json: bool, path: Path | None) -> None:
    """Take tags away from a window."""
    with open_to_change(path) as archive:
        found = archive.window(window)
        found.untag(*tags)
    _tell_tags("untag", found, as_json=as_json)


def _tell_tags(command: str, window: Window, *, as_json: bool) -> None:
    tags = window.info["tags"]
    if as_json:
        answer(f"vox.{command}.v1", {"window": window.id, "tags": tags})
    else:
        click.echo(one_line(f"{window.id[:8]} {', '.join(tags) or 'no tags'}"))


@click.command()
@click.argument("windows", nargs=-1, required=True, type=Text(), metavar="WINDOW...")
@click.option("--tree", is_flag=True, help="Also the windows that came from them.")
@click.option("--yes", is_flag=True, help="Do it, also for more than one window.")
@json_option
@archive_option
def delete(
    windows: tuple[str, ...], tree: bool, yes: bool, as_json: bool, path: Path | None
) -> None:
    """Leave windows out of lists.

    Nothing of them goes: imports go on filling them, `vox ls --deleted` lists them, and `vox window
    undelete` brings them back, until they are purged. For more than one window this only says what
    it would do, until --yes.
    """
    _delete("delete", windows, tree=tree, yes=yes, as_json=as_json, path=path)


@click.command()
@click.argument("windows", nargs=-1, required=True, type=Text(), metavar="WINDOW...")
@click.option("--tree", is_flag=True, help="Also the windows that were deleted with them.")
@click.option("--yes", is_flag=True, help="Do it, also for more than one window.")
@json_option
@archive_option
def undelete(
    windows: tuple[str, ...], tree: bool, yes: bool, as_json: bool, path: Path | None
) -> None:
    """Bring deleted windows back.

    Exits with 27 for one that was purged since.
    """
    _delete("undelete", windows, tree=tree, yes=yes, as_json=as_json, path=path)


def _delete(
    command: str,
    windows: Sequence[str],
    *,
    tree: bool,
    yes: bool,
    as_json: bool,
    path: Path | None,
) -> None:
    with open_to_change(path) as archive:
        change = archive.delete if command == "delete" else archive.undelete
        report = change(windows, tree=tree, dry_run=True)
        if yes or len(report.windows) <= 1:
            report = change(windows, tree=tree)
    if as_json:
        answer(f"vox.{command}.v1", report)
    else:
        count = people.number(len(report.windows), "window")
        click.echo(outcome(command, f"{command}d", count, dry_run=report.dry_run))
