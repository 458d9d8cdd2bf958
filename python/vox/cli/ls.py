"""`vox ls`: the windows of the archive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vox.cli import people
from vox.cli.options import (
    Text,
    archive_option,
    count_option,
    json_option,
    jsonl_option,
    open_to_read,
    start_option,
)
from vox.cli.output import Column, answer, note, remark, rows_as_lines, table
from vox.cli.windows import name_of, short_id, sort_of, trees

if TYPE_CHECKING:
    from vox.archive import Archive

COLUMNS = (
    Column("window", style="cyan"),
    Column("sort", style="magenta"),
    Column("title", flexible=True),
    Column("repo", style="green", flexible=True, keeps_end=True),
    Column("items", align="right"),
    Column("size", align="right"),
    Column("updated", style="dim"),
)


@click.command()
@click.option("--tree", is_flag=True, help="Each with all its relatives, children below parents.")
@click.option("--repo", type=Text(), help="Only windows of this repository.")
@click.option(
    "--kind",
    type=click.Choice(["chat", "task", "agent", "a2a", "archived"]),
    help="Only windows of this kind.",
)
@click.option(
    "--tier", type=click.Choice(["hot", "warm", "cold", "frozen"]), help="Only of this tier."
)
@click.option(
    "--tag", "tags", type=Text(), multiple=True, help="Only with this tag; repeatable: with all."
)
@click.option("--deleted", is_flag=True, help="Deleted windows instead, the last deleted first.")
@click.option("--since", type=people.Moment(), help="Updated at this time or later.")
@click.option("--until", type=people.Moment(), help="Updated before this time.")
@click.option("--reveal", is_flag=True, help="Also show what looks like a secret.")
@start_option
@count_option(50)
@json_option
@jsonl_option
@archive_option
def ls(
    tree: bool,
    start: int,
    count: int,
    as_json: bool,
    as_lines: bool,
    path: Path | None,
    reveal: bool,
    **filters: Any,
) -> None:
    """List windows (conversations), the latest first.

    What isn't a conversation of its own says its sort: a sub-agent, the part after a compaction
    (continued), or a branch that was abandoned.

    Times are dates such as 2026-01-31, times such as 2026-01-31T12:00, or how long ago, such
    as 7d.
    """
    from vox.archive.secrets import masked_text

    archive = open_to_read(path)
    windows = archive.windows(**filters, start=start, count=count).to_pylist()
    shown = list(trees(archive, windows)) if tree else windows
    if not reveal:
        shown = [{**row, "title": row["title"] and masked_text(row["title"])} for row in shown]
    if as_json:
        total = archive.count_windows(**filters)
        answer("vox.ls.v1", {"start": start, "total": total, "windows": shown})
    elif as_lines:
        rows_as_lines(shown)
    elif shown:
        table(COLUMNS, _rows(archive, shown, reveal=reveal))
        if len(windows) == count and count < (total := archive.count_windows(**filters)):
            places = f"windows {start}-{start + count - 1} of {people.number(total)}"
            note(f"{places}; next: --start {start + count}")
    else:
        filtered = start or any(value not in (None, (), False) for value in filters.values())
        remark("no such windows" if filtered else "no windows yet; `vox import` brings them")


def _rows(
    archive: Archive, windows: Iterable[Mapping[str, Any]], *, reveal: bool
) -> Iterator[tuple[str, ...]]:
    for window in windows:
        depth = window.get("depth", 0)
        branch = "  " * (depth - 1) + "└ " if depth else ""
        yield (
            short_id(window),
            sort_of(window),
            branch + name_of(archive, window, reveal=reveal),
            window["repo"] or "",
            people.number(window["items"]),
            people.size(window["bytes"]),
            people.moment(window["updated_at"]),
        )
