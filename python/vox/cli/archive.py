"""`vox archive`: the archive as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from vox.cli import people
from vox.cli.options import archive_option, json_option, open_to_read
from vox.cli.output import Column, answer, table
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
        table((Column("what"), Column("", align="right")), _flat(numbers))


def _flat(numbers: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in numbers.items():
        title = f"{prefix}{name.replace('_', ' ')}"
        if isinstance(value, Mapping):
            yield from _flat(value, f"{title} ")
        elif isinstance(value, int) and "bytes" in name:
            yield title, people.size(value)
        else:
            yield title, people.number(value) if isinstance(value, int) else str(value)


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

    Exits with 13 if anything is wrong that was not repaired.
    """
    import vox

    archive = vox.open(path, create=False) if repair else open_to_read(path)
    report = archive.verify(sample=sample, repair=repair)
    if as_json:
        answer("vox.verify.v1", report)
    else:
        for finding in report.findings[:SHOWN_FINDINGS]:
            click.echo(one_line(str(finding)))
        if (more := len(report.findings) - SHOWN_FINDINGS) > 0:
            click.echo(f"and {people.number(more)} more; --json lists all")
        click.echo(one_line(report.verdict))
    if not report.ok:
        ctx.exit(VerifyFailedError.exit_status)
