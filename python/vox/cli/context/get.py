"""`vox context get`: what of a window reaches a model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vox.cli import people
from vox.cli.context.fates import STYLES, WORDS
from vox.cli.context.outcome import HASH, meter_if_known, summary_of
from vox.cli.items import ROLE_STYLES, item_text, what_of
from vox.cli.options import Text, archive_option, json_option, open_to_read
from vox.cli.output import Column, answer, note, table
from vox.cli.plain import in_json
from vox.errors import NotFoundError

if TYPE_CHECKING:
    from vox.archive import Archive
    from vox.context.committed import CommittedSet, Entry

COLUMNS = (
    Column("place", "right", "dim"),
    Column("item", style="cyan"),
    Column("what"),
    Column("fate"),
    Column("marks"),
    Column("begins", flexible=True),
)


@click.command()
@click.argument("window", type=Text())
@click.option(
    "--document",
    is_flag=True,
    help="The JSON document itself, secrets included; `vox context set` takes it.",
)
@click.option("--reveal", is_flag=True, help="Also what looks like a secret.")
@json_option
@archive_option
def get(window: str, document: bool, reveal: bool, as_json: bool, path: Path | None) -> None:
    """Show what of WINDOW reaches a model: its committed set, in order.

    `vox context commit` makes one of a projection, `vox context set` of a document.
    """
    archive = open_to_read(path)
    view = archive.window(window)
    committed = archive.context_get(view)
    if committed is None:
        raise NotFoundError(
            f"nothing of window {view.id} is committed; vox context commit {view.id[:8]} does it"
        )
    if document:
        click.echo(in_json(committed.document))
        return
    rows = _rows(archive, committed, reveal=reveal)
    if as_json:
        says = summary_of(committed, meter_if_known(archive, committed))
        answer(
            "vox.context.get.v1",
            {**says, "entries": rows, "left_out": list(committed.left_out)},
        )
        return
    table(
        COLUMNS,
        (
            (
                str(row["place"]),
                row["item"],
                (what_of(row["role"], row["kind"], row["name"]), ROLE_STYLES.get(row["role"], "")),
                (WORDS[row["fate"]], STYLES[row["fate"]]),
                "pinned" if row["pinned"] else "",
                row["begins"],
            )
            for row in rows
        ),
    )
    if sys.stdout.isatty():
        _say_rest(committed)


def _say_rest(committed: CommittedSet) -> None:
    left = sum(run.items for run in committed.left_out)
    lines = people.number(len(committed.left_out), "line")
    note(f"{people.number(left, 'item')} left out, {lines} for them")
    model = committed.model or "no model in particular"
    note(f"for {model}; set {committed.hash.hex()[:HASH]}")


def _rows(archive: Archive, committed: CommittedSet, *, reveal: bool) -> list[dict[str, Any]]:
    from vox.cli.context.rows import about_items

    about: dict[tuple[str | None, int], dict[str, Any]] = {}
    for window in {entry.window for entry in committed.entries}:
        ordinals = sorted({one.ordinal for one in committed.entries if one.window == window})
        there = about_items(archive.window(window or committed.window), ordinals)
        about |= {(window, ordinal): row for ordinal, row in there.items()}
    masked: list[str | None] = [None] * len(committed)
    if not reveal:
        masked = archive.masked_previews([entry.item for entry in committed.entries])
    return [
        _row(place, entry, about[entry.window, entry.ordinal], masked[place])
        for place, entry in enumerate(committed.entries)
    ]


def _row(place: int, entry: Entry, about: dict[str, Any], masked: str | None) -> dict[str, Any]:
    from vox.cli.context.rows import BEGINNING

    begins = about["preview"] if entry.form is None else entry.form[:BEGINNING]
    return {
        "place": place,
        "item": item_text(entry.item),
        "ordinal": entry.ordinal,
        "window": entry.window,
        "hash": entry.content,
        "role": about["role"],
        "kind": about["kind"],
        "name": about["name"],
        "fate": str(entry.fate),
        "pair": entry.pair,
        "pinned": entry.pinned,
        # A form may hold a part of a secret, which nothing would know any more.
        "begins": begins if masked is None else masked,
    }
