"""`vox ls`: the windows of the archive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vox.cli import people
from vox.cli.options import archive_option, json_option, jsonl_option, open_to_read
from vox.cli.output import Column, answer, note, rows_as_lines, table

if TYPE_CHECKING:
    from vox.archive import Archive, Window

ID_PREFIX = 8
"""How many characters of an id are shown."""
FIRST_ITEMS = 32
"""How far to look for a name for a window without a title."""

COLUMNS = (
    Column("window", style="cyan"),
    Column("title", flexible=True),
    Column("repo", style="green", flexible=True),
    Column("items", align="right"),
    Column("size", align="right"),
    Column("updated", style="dim"),
)


@click.command()
@click.option("--repo", help="Only windows of this repository.")
@click.option("--kind", type=click.Choice(["chat", "task", "agent", "a2a", "archived"]))
@click.option("--tier", type=click.Choice(["hot", "warm", "cold", "frozen"]))
@click.option("--since", type=people.Moment(), help="Updated at this time or later.")
@click.option("--until", type=people.Moment(), help="Updated before this time.")
@click.option("--start", type=click.IntRange(min=0), default=0, help="Skip this many.")
@click.option("-n", "--count", type=click.IntRange(1, 10_000), default=50, show_default=True)
@json_option
@jsonl_option
@archive_option
def ls(
    start: int,
    count: int,
    as_json: bool,
    as_lines: bool,
    path: Path | None,
    **filters: Any,
) -> None:
    """List windows (conversations), the latest first.

    Times are dates such as 2026-01-31, times such as 2026-01-31T12:00, or how long ago, such
    as 7d.
    """
    archive = open_to_read(path)
    windows = archive.windows(**filters, start=start, count=count).to_pylist()
    if as_json:
        total = archive.count_windows(**filters)
        answer("vox.ls.v1", {"start": start, "total": total, "windows": windows})
    elif as_lines:
        rows_as_lines(windows)
    else:
        table(COLUMNS, _rows(archive, windows))
        if len(windows) == count:
            total = archive.count_windows(**filters)
            shown = f"windows {start}-{start + count - 1} of {people.number(total)}"
            note(f"{shown}; next: --start {start + count}")


def _rows(archive: Archive, windows: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    for window in windows:
        yield (
            window["id"][:ID_PREFIX],
            window["title"] or _first_words(archive.window(window["window"])) or window["key"],
            window["repo"] or "",
            people.number(window["items"]),
            people.size(window["bytes"]),
            people.moment(window["updated_at"]),
        )


def _first_words(window: Window) -> str | None:
    """What a user said first, if it is near the beginning; what starts with a tag was said by
    the tool in the user's name."""
    for item in window.items(0, FIRST_ITEMS).to_pylist():
        if item["role"] == "user" and item["kind"] == "message" and item["preview"][:1] != "<":
            return str(item["preview"])
    return None
