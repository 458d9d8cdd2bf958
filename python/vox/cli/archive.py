"""`vox archive`: the archive as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from vox.cli import people
from vox.cli.options import archive_option, json_option, open_to_read
from vox.cli.output import Column, answer, note, table
from vox.cli.plain import one_line
from vox.errors import VerifyFailedError

SHOWN_FINDINGS = 50


@click.group()
def archive() -> None:
    """Sizes, counts and soundness of the archive."""


@archive.command()
@json_option
@archive_option
def stats(as_json: bool, path: Path | None) -> None:
    """Count what is in the archive and what it takes on disk."""
    numbers = open_to_read(path).stats()
    if as_json:
        answer("vox.stats.v1", numbers)
    else:
        tables = numbers.pop("tables")
        table((Column("what"), Column("", align="right", flexible=True)), _cells(numbers))
        note("")
        columns = (Column("table"), Column("rows", align="right"), Column("size", align="right"))
        table(
            columns,
            (
                (name, people.number(sizes["rows"]), people.size(sizes["bytes"]))
                for name, sizes in tables.items()
                if sizes["rows"]
            ),
        )


def _cells(numbers: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in numbers.items():
        if not isinstance(value, int):
            text = str(value)
        elif name.endswith("_bytes"):
            text = people.size(value)
        else:
            text = people.number(value)
        yield name.replace("_", " "), text


@archive.command()
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="N",
    help="Check the contents of N blobs only, chosen evenly.",
)
@click.option("--repair", is_flag=True, help="Rebuild the tables that can be derived from others.")
@json_option
@archive_option
@click.pass_context
def verify(
    ctx: click.Context, sample: int | None, repair: bool, as_json: bool, path: Path | None
) -> None:
    """Check every page, hash, reference, order and index of the archive.

    Exits with 13 if anything is wrong that was not repaired. Reads with vox's own page reader, so
    that no damage can crash it.
    """
    import vox

    archive = vox.open(path, create=False) if repair else open_to_read(path)
    report = archive.verify(sample=sample, repair=repair)
    if as_json:
        answer("vox.verify.v1", report)
    else:
        for finding in report.findings[:SHOWN_FINDINGS]:
            click.echo(one_line(str(finding)))
        if (more := report.total - SHOWN_FINDINGS) > 0:
            click.echo(f"and {people.number(more)} more")
        if report.repaired:
            click.echo(f"rebuilt: {', '.join(report.repaired)}")
        click.echo(one_line(report.verdict))
    if not report.ok:
        ctx.exit(VerifyFailedError.exit_status)
