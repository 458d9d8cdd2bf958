"""`vox show`: the items of one window, a page at a time."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

import vox
from vox.cli import people
from vox.cli.items import KINDS, PURGED, ROLE_STYLES, ROLES, item_text, what_of
from vox.cli.options import (
    Position,
    Text,
    archive_option,
    json_option,
    jsonl_option,
    open_to_read,
)
from vox.cli.output import Cell, Column, answer, note, remark, rows_as_lines, table
from vox.cli.plain import one_line
from vox.cli.windows import short_id
from vox.errors import VoxError

if TYPE_CHECKING:
    from vox.archive import Archive, Window

COLUMNS = (
    Column("#", align="right", style="dim"),
    Column("item", style="cyan"),
    Column("time", style="dim"),
    Column("what"),
    Column("size", align="right"),
    Column("begins", flexible=True),
)
RUN = re.compile(r"window:([0-9a-f-]{4,36})/(\d{1,18})-(\d{1,18})", re.ASCII)
"""The handle of a run of items: a window, the first ordinal and the last."""

PAGE = 1_000


def _complete(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    try:
        archive = vox.open(ctx.params.get("path"), read_only=True, create=False)
        rows = archive.windows(count=500).to_pylist()
    except VoxError:
        return []  # a shell that completes has no place for messages
    return [
        CompletionItem(short_id(row), help=one_line(row["title"] or row["key"]))
        for row in rows
        if row["id"].startswith(incomplete)
    ]


@click.command()
@click.argument("window", type=Text(), shell_complete=_complete)
@click.option("--start", type=Position(min=0), default=0, help="Position of the first item.")
@click.option(
    "-n",
    "--count",
    type=Position(min=1),
    default=50,
    show_default=True,
    help="Show this many.",
)
@click.option("--tail", is_flag=True, help="The last items instead of those from --start.")
@click.option("--all", "everything", is_flag=True, help="All items, a page at a time.")
@click.option(
    "--role", "roles", type=click.Choice(ROLES), multiple=True, help="Only this one; repeatable."
)
@click.option(
    "--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Only this one; repeatable."
)
@click.option("--since", type=people.Moment(), help="Items of this time or later.")
@click.option("--until", type=people.Moment(), help="Items before this time.")
@click.option(
    "--trimmed",
    type=click.Choice(["hide", "show", "only"]),
    default="hide",
    show_default=True,
    help="What becomes of trimmed items.",
)
@click.option("--records", is_flag=True, help="Also what is no part of the conversation.")
@click.option("--reveal", is_flag=True, help="Also what looks like a secret.")
@json_option
@jsonl_option
@archive_option
def show(
    window: str,
    start: int,
    count: int,
    tail: bool,
    everything: bool,
    reveal: bool,
    as_json: bool,
    as_lines: bool,
    path: Path | None,
    **filters: Any,
) -> None:
    """Show the conversation of a window.

    When, who, what, and how each item begins, secrets masked; `vox cat` gives an item in full, as
    it is. WINDOW is an id, the beginning of one (four characters or more), a number or a key; or
    a handle that a model was given in place of items, such as window:3f2a9c01/10-24: just these.
    Items are counted as the filters leave them.
    """
    if run := RUN.fullmatch(window):
        window, start, last = run[1], int(run[2]), int(run[3])
        count = max(last - start + 1, 1)
        # With nothing left out, positions are ordinals.
        filters |= {"trimmed": "show", "records": True}
    archive = open_to_read(path)
    view = archive.window(window)
    total = view.count(**filters)
    if everything:
        start, count = 0, total
    elif tail:
        start = max(0, total - count)
    end = min(start + count, total)
    pages = _pages(archive, view, start, end, filters, reveal=reveal)
    rows = (row for page in pages for row in page)
    if as_json:
        answer(
            "vox.show.v1", {"window": view.id, "start": start, "total": total, "items": list(rows)}
        )
    elif as_lines:
        rows_as_lines(rows)
    else:
        if sys.stdout.isatty():
            _print_header(archive, view, reveal=reveal)
        for page in pages:
            table(COLUMNS, _cells(page))
        if total == 0:
            remark(_nothing(view))
        elif start >= total:
            remark(f"nothing from {start} on; there are {people.number(total, 'item')}")
        elif end < total:
            note(f"items {start}-{end - 1} of {people.number(total)}; next: --start {end}")


def _print_header(archive: Archive, view: Window, *, reveal: bool) -> None:
    from vox.cli.about import header

    title, *lines = header(archive, view, reveal=reveal)
    click.secho(one_line(title), bold=True)
    for line in lines:
        note(line)
    click.echo()


def _nothing(view: Window) -> str:
    if view.count():
        return "no such items"
    if records := view.count(records=True):
        return (
            f"no conversation, only {people.number(records, 'record')} that the tool keeps for "
            "itself; --records shows them"
        )
    return "an empty window"


def _pages(
    archive: Archive,
    view: Window,
    start: int,
    end: int,
    filters: Mapping[str, Any],
    *,
    reveal: bool,
) -> Iterator[list[dict[str, Any]]]:
    for first in range(start, end, PAGE):
        page = view.items(first, min(PAGE, end - first), **filters).to_pylist()
        if not reveal:
            previews = archive.masked_previews([row["item"] for row in page])
            for row, masked in zip(page, previews, strict=True):
                row["preview"] = row["preview"] if masked is None else masked
        for row in page:
            row["item"] = item_text(row["item"])
        yield page


def _cells(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Cell, ...]]:
    one_day = len({people.day(row["created_at"]) for row in rows}) == 1
    time = people.clock if one_day and sys.stdout.isatty() else people.moment
    for row in rows:
        yield (
            str(row["ordinal"]),
            row["item"],
            time(row["created_at"]),
            (_what(row), ROLE_STYLES.get(row["role"], "")),
            people.size(row["byte_len"]),
            (PURGED, "dim") if row["purged"] else row["preview"],
        )


def _what(row: Mapping[str, Any]) -> str:
    """What it is, and what was said of it: `user, pinned`."""
    what = what_of(row["role"], row["kind"], row["name"])
    marks = (row["pinned"] and "pinned", row["trimmed_at"] is not None and "trimmed")
    return ", ".join([what, *filter(None, marks)])
