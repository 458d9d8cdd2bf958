"""`vox context fate`: what becomes of items is set by hand."""

from __future__ import annotations

from pathlib import Path

import click

from vox.cli import people
from vox.cli.context.fates import WORDS
from vox.cli.options import Text, archive_option, json_option, open_to_change
from vox.cli.output import answer
from vox.cli.window import places as named_places
from vox.errors import InvalidArgumentError

FREE = "free"


@click.command()
@click.argument("fate", type=click.Choice([*WORDS, FREE]))
@click.argument("places", nargs=-1, type=Text(), required=True, metavar="PLACE...")
@json_option
@archive_option
def fate(fate: str, places: tuple[str, ...], as_json: bool, path: Path | None) -> None:
    """Set by hand what becomes of items in all projections of their window; free takes it back.

    A PLACE is items of a window: 3f2a@17, 3f2a@10-20, 3f2a@1,5-7. What a model can't be given so,
    `vox context project` says.

    \b
    vox context fate dropped 3f2a@10-20
    """
    changed = 0
    with open_to_change(path) as archive:
        named = named_places.read(archive, places)
        if named.windows or named.items:
            raise InvalidArgumentError("name items by their places, such as 3f2a@17 or 3f2a@10-20")
        for window, stretches in named.places:
            size = len(archive.window(window))
            for first, end in stretches:
                if end > size:
                    where = archive.window(window).id
                    raise InvalidArgumentError(f"window {where} has {size} items, no {end - 1}")
                chosen = None if fate == FREE else fate
                changed += archive.set_fate(window, range(first, end), chosen)
    if as_json:
        answer("vox.context.fate.v1", {"fate": fate, "changed": changed})
    else:
        click.echo(f"{people.number(changed, 'item')} changed")
