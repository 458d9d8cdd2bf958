"""`vox window fork` and `merge`: new windows out of others."""

from __future__ import annotations

from pathlib import Path

import click

from vox.cli import people
from vox.cli.options import Text, archive_option, json_option, open_to_change
from vox.cli.output import answer, remark
from vox.cli.plain import one_line
from vox.cli.window import places as named_places

title_option = click.option("--title", type=Text(), help="What it is called in lists.")
key_option = click.option(
    "--key", type=Text(), help="What programs call it.  [default: one that is made up]"
)


@click.command()
@click.argument("place", type=Text())
@title_option
@key_option
@json_option
@archive_option
def fork(place: str, title: str | None, key: str | None, as_json: bool, path: Path | None) -> None:
    """Make a window that begins like another, up to an item.

    PLACE is an item of a window (3f2a@17), which is the last that they share, or a window, all of
    which is shared. The new one looks as the other does now, trims and pins included, and goes its
    own way from there; nothing is copied.
    """
    with open_to_change(path) as archive:
        named = named_places.read(archive, [place])
        at: int | None
        match named:
            case named_places.Named(windows=[number]):
                at = None
            case named_places.Named(places=[(number, [(first, end)])]) if end == first + 1:
                at = first
            case _:
                raise click.UsageError("name a window or one item of it, such as 3f2a@17")
        origin = archive.window(number)
        made = origin.fork(at, title=title, key=key)
        fields = {"window": made.id, "key": made.key, "items": len(made), "from": origin.id}
    if as_json:
        answer("vox.fork.v1", fields)
    else:
        click.echo(f"{made.id}: {people.number(len(made), 'item')} shared with {origin.id[:8]}")


@click.command()
@click.argument("places", nargs=-1, required=True, type=Text(), metavar="PLACE...")
@title_option
@key_option
@json_option
@archive_option
def merge(
    places: tuple[str, ...],
    title: str | None,
    key: str | None,
    as_json: bool,
    path: Path | None,
) -> None:
    """Make a window of picked items of others.

    A PLACE is items of a window (3f2a@10-20, 3f2a@1,5-7) or a window, all of it. The parts follow
    each other as given. Contents are shared, and the windows they come from stay as they are.
    """
    with open_to_change(path) as archive:
        parts: list[tuple[int, list[range]]] = []
        for place in places:
            named = named_places.read(archive, [place])
            if named.items:
                raise click.UsageError(f"{place} says of no window; name it as 3f2a@17")
            parts.extend(
                (number, [range(*pair) for pair in pairs]) for number, pairs in named.places
            )
            parts.extend((number, [range(len(archive.window(number)))]) for number in named.windows)
        report = archive.merge(parts, title=title, key=key)
    if as_json:
        answer("vox.merge.v1", report)
    else:
        click.echo(f"{report.window}: {people.number(report.items, 'item')}")
    torn = (
        (report.results_without_call, "result", "without its call"),
        (report.calls_without_result, "call", "without its result"),
        (report.purged, "item", "left out, as nothing of it is left"),
    )
    for count, noun, fault in torn:
        if count:
            remark(one_line(f"{people.number(count, noun)} {fault}"))
