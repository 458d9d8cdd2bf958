"""`vox archive purge`: what was trimmed or deleted goes for good."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vox.cli import people
from vox.cli.options import Text, archive_option, json_option, open_to_change
from vox.cli.output import answer

if TYPE_CHECKING:
    from vox.archive.purge import PurgeReport


@click.command()
@click.argument("windows", nargs=-1, type=Text(), metavar="[WINDOW]...")
@click.option("--trimmed", is_flag=True, help="All items that were trimmed.")
@click.option("--deleted", is_flag=True, help="All windows that were deleted, as a whole.")
@click.option(
    "--older",
    type=people.Moment(),
    help="Only what was trimmed or deleted before: 30d, 2026-01-31.",
)
@click.option("--now", is_flag=True, help="Also what was trimmed or deleted in the last 14 days.")
@click.option("--erase", is_flag=True, help="Write the files anew, so that the bytes are in none.")
@click.option(
    "--why", type=Text(), default="", metavar="TEXT", help="A reason, for the log of the archive."
)
@click.option("--yes", is_flag=True, help="Do it; without this it is a dry run.")
@json_option
@archive_option
def purge(
    windows: tuple[str, ...],
    trimmed: bool,
    deleted: bool,
    older: int | None,
    now: bool,
    erase: bool,
    why: str,
    yes: bool,
    as_json: bool,
    path: Path | None,
) -> None:
    """Remove for good what was trimmed or deleted.

    Says what would go, and does it with --yes; it can't be undone. --trimmed and --deleted mean
    those of all windows, or of the WINDOWs that are named; WINDOWs alone mean both. Only what was
    trimmed or deleted 14 days ago or earlier goes, unless --now.

    A purged item keeps its place, its times and its hash; nothing brings its content back but its
    source, with `vox import --restore-purged`. What is pinned stays, and so does what another
    window still has. Content leaves the archive with `vox archive gc`, and the files with `vox
    archive compact`; --erase does both.

    Equal content of other items stays: look also at the records that `vox show` hides
    (`--records`). So do titles of windows that aren't purged as a whole, tags, and names of tools.

    \b
    vox archive purge --trimmed --older 30d
    vox archive purge 3f2a --now --erase --yes
    """
    with open_to_change(path, dry_run=not yes) as archive:
        report = archive.purge(
            windows,
            trimmed=trimmed,
            deleted=deleted,
            older=older,
            now=now,
            erase=erase,
            why=why,
            dry_run=not yes,
        )
    if as_json:
        answer("vox.purge.v1", report)
    else:
        for line in _lines(report):
            click.echo(line)


def _lines(report: PurgeReport) -> Iterator[str]:
    would = "would be " if report.dry_run else ""
    items = people.number(report.items, "item")
    windows = people.number(report.windows, "window")
    yield f"{items} ({people.size(report.bytes)}) and {windows} {would}purged"
    if report.kept_shared:
        yield f"kept, as another window has it: {people.number(report.kept_shared, 'item')}"
    if report.pinned_items or report.pinned_windows:
        pinned = people.number(report.pinned_windows, "window")
        yield f"kept, as it is pinned: {people.number(report.pinned_items, 'item')} and {pinned}"
    if report.recent_items or report.recent_windows:
        recent = people.number(report.recent_windows, "window")
        items = people.number(report.recent_items, "item")
        yield f"kept, as it is too recent (see --now): {items} and {recent}"
    if report.erased:
        yield "the files were written anew"
    elif report.dry_run and (report.items or report.windows):
        yield "nothing was changed; --yes does it, and it can't be undone"
