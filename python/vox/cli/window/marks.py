"""`vox window trim`, `restore`, `pin`, `unpin`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from vox.cli import people
from vox.cli.items import KINDS, ROLES
from vox.cli.options import Text, archive_option, json_option, open_to_change
from vox.cli.output import Column, answer, table
from vox.cli.window import places as named_places

if TYPE_CHECKING:
    from vox.archive import Archive, MarkReport
    from vox.archive.window_ops import Label, Mark, Selection

WIDE = 100
"""More items than these are changed only with --yes. Judgement."""
SHOWN = 20
"""Windows that are listed."""

DONE = {"trim": "trimmed", "restore": "restored", "pin": "pinned", "unpin": "unpinned"}

Command = TypeVar("Command", bound=Callable[..., Any])


def _choice(command: Command) -> Command:
    """The places and filters that all these commands share."""
    options = (
        click.argument("places", nargs=-1, type=Text(), metavar="[PLACE]..."),
        click.option("--all", "everywhere", is_flag=True, help="In all windows."),
        click.option("--repo", type=Text(), help="In all windows of this repository."),
        click.option(
            "--tag", "tags", type=Text(), multiple=True, help="In all windows with this tag."
        ),
        click.option(
            "--role",
            "roles",
            type=click.Choice(ROLES),
            multiple=True,
            help="Only this one; repeatable.",
        ),
        click.option(
            "--kind",
            "kinds",
            type=click.Choice(KINDS),
            multiple=True,
            help="Only this one; repeatable.",
        ),
        click.option(
            "--name",
            "names",
            type=Text(),
            multiple=True,
            help="Only of this tool, model or media type; repeatable.",
        ),
        click.option("--since", type=people.Moment(), help="Items of this time or later."),
        click.option(
            "--until", "--older", type=people.Moment(), help="Items before this time; 90d: ago."
        ),
        click.option("--yes", is_flag=True, help="Do it, also where it is wide."),
        json_option,
        archive_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command()
@_choice
@click.option("--pinned-too", is_flag=True, help="Also what is pinned, and in pinned windows.")
def trim(places: tuple[str, ...], pinned_too: bool, **options: Any) -> None:
    """Hide items. Nothing is taken away; `vox window restore` shows them again.

    A PLACE is a window (3f2a), items of one (3f2a@17, 3f2a@10-20, 3f2a@1,5-7), or an item's id
    (12.345), which means it in every window that shows it. Pinned items and those of pinned
    windows stay, and are counted.

    With a filter, in more than one window, or for more than 100 items this only says what it would
    do, until --yes.

    \b
    vox window trim 3f2a@10-20
    vox window trim --all --kind tool_result --older 90d --yes
    """
    _mark("trim", places, verb="trim_pinned_too" if pinned_too else "trim", **options)


@click.command()
@_choice
def restore(places: tuple[str, ...], **options: Any) -> None:
    """Show trimmed items again, as they were.

    PLACES and filters are those of `vox window trim`.
    """
    _mark("restore", places, verb="restore", **options)


@click.command()
@_choice
def pin(places: tuple[str, ...], **options: Any) -> None:
    """Pin windows or items.

    A pinned window survives tiering and collection, and none of it is trimmed; a pinned item stays
    through trimming and compaction. PLACES and filters are those of `vox window trim`; a window
    without a filter is pinned as a whole.
    """
    _mark("pin", places, verb="pin", **options)


@click.command()
@_choice
def unpin(places: tuple[str, ...], **options: Any) -> None:
    """Take back what `vox window pin` said of windows or items."""
    _mark("unpin", places, verb="unpin", **options)


def _mark(
    command: str,
    places: Sequence[str],
    *,
    verb: Mark,
    everywhere: bool,
    repo: str | None,
    tags: Sequence[str],
    yes: bool,
    as_json: bool,
    path: Path | None,
    **filters: Any,
) -> None:
    filters = {name: value for name, value in filters.items() if value not in (None, ())}
    listed = bool(everywhere or repo or tags)
    if listed == bool(places):
        raise click.UsageError(
            "name places or a list of windows, not both"
            if places
            else "say which items: a place such as 3f2a or 3f2a@10-20, or --all with a filter"
        )
    from vox.archive import window_ops

    with open_to_change(path) as archive:
        named = named_places.read(archive, places)
        if named.sorts > 1:
            raise click.UsageError("name windows, places in them, or ids of items; not both")
        if named.windows and not filters and verb in {"pin", "unpin"}:
            _label_windows(archive, command, verb, named.windows, yes=yes, as_json=as_json)
            return
        selection = _selection(named, {"repo": repo, "tags": tags}, filters)
        foreseen = window_ops.mark(archive._native, verb, selection, dry_run=True)
        wide = listed or filters or len(foreseen.windows) > 1 or foreseen.items > WIDE
        report = (
            foreseen
            if wide and not yes
            else window_ops.mark(archive._native, verb, selection, dry_run=False)
        )
    if as_json:
        answer(f"vox.{command}.v1", report)
    else:
        _tell(command, report)


def _selection(
    named: named_places.Named, windows: Mapping[str, Any], filters: Mapping[str, Any]
) -> Selection:
    from vox.archive.filters import item_filter, window_filter
    from vox.archive.window_ops import Selection

    return Selection(
        places=named.places or None,
        items=named.items or None,
        windows=named.windows or None,
        list=window_filter(**windows),
        filter=item_filter(**filters) if filters else None,
    )


def _label_windows(
    archive: Archive, command: str, verb: Label, windows: Sequence[int], *, yes: bool, as_json: bool
) -> None:
    from vox.archive import window_ops

    dry_run = len(windows) > 1 and not yes
    report = window_ops.label(archive._native, verb, windows, dry_run=dry_run)
    if as_json:
        answer(f"vox.{command}.windows.v1", report)
    else:
        count = people.number(len(report.windows), "window")
        click.echo(outcome(command, DONE[command], count, dry_run=dry_run))


def outcome(command: str, done: str, what: str, *, dry_run: bool) -> str:
    """`trimmed 3 items`, or what would be."""
    if dry_run:
        return f"would {command} {what}; nothing was changed, --yes does it"
    return f"{done} {what}"


def _tell(command: str, report: MarkReport) -> None:
    if len(report.windows) > 1:
        columns = (
            Column("window", style="cyan"),
            Column("items", align="right"),
            Column("size", align="right"),
            Column("tokens", align="right"),
            Column("kept", align="right"),
        )
        table(
            columns,
            (
                (
                    row.window[:8],
                    people.number(row.items),
                    people.size(row.bytes),
                    people.number(row.tokens),
                    people.number(row.kept),
                )
                for row in report.windows[:SHOWN]
            ),
        )
        if (more := len(report.windows) - SHOWN) > 0:
            click.echo(f"and {people.number(more, 'more window')}; --json lists all")
    what = people.number(report.items, "item")
    if len(report.windows) > 1:
        what += f" in {people.number(len(report.windows), 'window')}"
    what += f": {people.size(report.bytes)}, about {people.number(report.tokens, 'token')}"
    if report.kept:
        what += f"; {people.number(report.kept)} kept because of pins"
    click.echo(outcome(command, DONE[command], what, dry_run=report.dry_run))
