"""`vox context show`: what a model is given of a window, item by item."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vox.cli import people
from vox.cli.context.asked import headline, model_option, projected, tell_notes, wish_options
from vox.cli.context.fates import STYLES, WORDS
from vox.cli.context.words import WIDE, short_reason, tokens_text, what_a_count_is
from vox.cli.items import PURGED, ROLE_STYLES, what_of
from vox.cli.options import Position, Text, archive_option, json_option, open_to_read
from vox.cli.output import Cell, Column, answer, note, remark, table, terminal
from vox.cli.plain import one_line
from vox.cli.windows import ID_PREFIX, name_of

if TYPE_CHECKING:
    from vox.cli.context.digest import Digest
    from vox.context.projection import Projection

COLUMNS = (
    Column("#", "right", "dim"),
    Column("item", style="cyan"),
    Column("what"),
    Column("fate"),
    Column("tokens", "right"),
    Column("why", style="dim"),
    Column("begins", flexible=True),
)
NARROW = (
    Column("item", style="cyan"),
    Column("what", flexible=True),
    Column("fate"),
    Column("tokens", "right"),
    Column("begins", flexible=True),
)
"""What a terminal of fewer than `WIDE` columns has room for."""
SHOWN = 50
"""Rows of a table, and …"""
DRAWN = 2_000
"""… of a picture. Judgement."""


@click.command()
@click.argument("window", type=Text())
@model_option
@wish_options
@click.option(
    "--fate",
    "fates",
    type=click.Choice(list(WORDS)),
    multiple=True,
    help="Only items of this one; repeatable.",
)
@click.option("--records", is_flag=True, help="Also what is no part of the conversation.")
@click.option("--start", type=Position(min=0), default=0, help="Skip this many.")
@click.option(
    "-n",
    "--count",
    type=Position(min=1),
    help=f"Show this many.  [default: {SHOWN}; {DRAWN} with --html]",
)
@click.option("--reveal", is_flag=True, help="Also what looks like a secret.")
@click.option(
    "--html",
    "picture",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Draw it into this file, a page that needs no other.",
)
@json_option
@archive_option
def show(
    window: str,
    model: str | None,
    query: str | None,
    budget: int | None,
    fates: Sequence[str],
    records: bool,
    start: int,
    count: int | None,
    reveal: bool,
    picture: Path | None,
    as_json: bool,
    path: Path | None,
) -> None:
    """Show what a model would be given of WINDOW, item by item, and why.

    Each item is given in full (included), in part, its beginning and end (summarized), on demand,
    as what it is and the handle that opens it (on_demand), or left out (dropped). Tokens are 0 for
    what is left out: one line stands for a run of it. Nothing is sent or kept by this, and no model
    is called.

    \b
    vox context show 3f2a --model claude-opus-4-7
    vox context show 3f2a --model qwen3:8b --budget 8000 --html window.html
    """
    import numpy as np

    from vox.cli.context.digest import digest_of, in_question
    from vox.cli.context.report import fields_of
    from vox.cli.context.rows import item_rows
    from vox.context.projection import Fate

    archive = open_to_read(path)
    view = archive.window(window)
    found = projected(archive, view, model, query=query, budget=budget)
    view = archive.window(view.number)  # as far as the projection has seen, or farther
    digest = digest_of(found)
    wanted = np.ones(len(found.entries), dtype=bool) if records else in_question(found)
    if fates:
        wanted &= np.isin(found.entries.columns.fates, [Fate.named(fate) for fate in fates])
    places = np.flatnonzero(wanted).tolist()
    count = count or (DRAWN if picture else SHOWN)
    page = found.entries.at(places[start : start + count])
    rows = item_rows(archive, view, page, reveal=reveal)
    if picture:
        from vox.cli.context.picture import draw

        title = name_of(archive, view.info, reveal=reveal)
        draw(picture, title, found, digest, rows, start, len(places))
    if as_json:
        says = {"window": found.window, **fields_of(found, digest)}
        answer("vox.context.show.v1", {**says, "start": start, "total": len(places), "items": rows})
        return
    if picture:
        click.echo(f"drawn: {one_line(str(picture))}")
    else:
        if sys.stdout.isatty():
            _print_head(name_of(archive, view.info, reveal=reveal), found, digest)
        _print_rows(rows)
        _print_end(len(places), start, count)
        note(f"tokens: {what_a_count_is(found.kind_of_count)}")
    tell_notes(found)


def _print_head(name: str, found: Projection, digest: Digest) -> None:
    from vox.cli.context.report import bars, claimants_table

    click.secho(one_line(name), bold=True)
    note(f"{found.window[:ID_PREFIX]} for {headline(found)}")
    click.echo()
    claimants_table(digest, found)
    click.echo()
    bars(digest)


def _print_end(total: int, start: int, count: int) -> None:
    end = min(start + count, total)
    if total == 0:
        remark("no such items")
    elif start >= total:
        remark(f"nothing from {start} on; there are {people.number(total, 'item')}")
    elif end < total:
        note(f"items {start}-{end - 1} of {people.number(total)}; next: --start {end}")


def _print_rows(rows: Sequence[dict[str, Any]]) -> None:
    if not sys.stdout.isatty() or terminal().width >= WIDE:
        table(COLUMNS, map(_cells, rows))
        return
    kept = [at for at, column in enumerate(COLUMNS) if column.title in {c.title for c in NARROW}]
    table(NARROW, ([_cells(row)[at] for at in kept] for row in rows))


def _cells(row: dict[str, Any]) -> tuple[Cell, ...]:
    gone = row["purged"]
    return (
        str(row["ordinal"]),
        row["item"],
        (what_of(row["role"], row["kind"], row["name"]), ROLE_STYLES.get(row["role"], "")),
        (WORDS[row["fate"]], STYLES[row["fate"]]),
        tokens_text(row["tokens"], row["counted"]),
        short_reason(row["reason"]) if sys.stdout.isatty() else row["reason"],
        (PURGED, "dim") if gone else row["begins"],
    )
