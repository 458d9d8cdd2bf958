"""`vox archive stats`: what is in the archive and what it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from vox.cli import people
from vox.cli.options import archive_option, json_option, open_to_read
from vox.cli.output import Column, answer, note, table

COUNTS = {
    "windows": "conversations and parts of them",
    "items": "messages, calls, results, records",
    "blobs": "distinct contents of items",
    "sources": "files that were read",
    "quarantined": "stretches of them set aside",
    "events": "entries of the log",
}


@click.command()
@click.option("--tables", is_flag=True, help="The rows and bytes of each table instead.")
@json_option
@archive_option
def stats(tables: bool, as_json: bool, path: Path | None) -> None:
    """Count what is in the archive and what it takes on disk.

    Content is what blobs and their index take, custody the source bytes beside them, the spine all
    other tables: windows, items, usage, cursors, events. Of each tool it says which share of its
    source bytes items and custody take.
    """
    numbers = open_to_read(path).stats()
    if as_json:
        answer("vox.stats.v1", numbers)
    elif tables:
        columns = (Column("table"), Column("rows", align="right"), Column("bytes", align="right"))
        table(
            columns,
            (
                (name, people.number(sizes["rows"]), people.number(sizes["bytes"]))
                for name, sizes in numbers["tables"].items()
            ),
        )
    else:
        columns = (
            Column("what"),
            Column("how much", align="right"),
            Column("", style="dim", flexible=True),
        )
        note(numbers["path"])
        table(columns, _summary(numbers))


def _summary(numbers: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for name, means in COUNTS.items():
        yield name, people.number(numbers[name]), means
        if name == "windows":
            for producer, count in numbers["producers"].items():
                yield f"  {producer}", people.number(count), ""
    raw, items = numbers["raw_bytes"], numbers["items"]
    ratio = f": {numbers['content_bytes'] / raw:.0%} of raw" if raw else ""
    apiece = f": {numbers['spine_bytes'] / items:.0f} B an item" if items else ""
    yield "raw", people.size(raw), "the blobs' own bytes"
    yield "content", people.size(numbers["content_bytes"]), f"blobs as stored{ratio}"
    if numbers["custody_bytes"]:
        yield "custody", people.size(numbers["custody_bytes"]), "source bytes that are no items"
    yield "spine", people.size(numbers["spine_bytes"]), f"all else{apiece}"
    yield "file", people.size(numbers["file_bytes"]), "on disk"
    for name, kept in numbers["kept"].items():
        takes = people.size(kept["item_bytes"] + kept["run_bytes"])
        shares = f"{kept['share']:.1%}, with tables {kept['share_with_tables']:.1%}"
        means = f"source bytes, kept in {takes}: {shares}"
        yield name, people.size(kept["source_bytes"]), means
