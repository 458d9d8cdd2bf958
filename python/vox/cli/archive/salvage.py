"""`vox archive salvage`: what is readable of a damaged archive."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vox.cli import people
from vox.cli.options import json_option
from vox.cli.output import answer
from vox.cli.plain import one_line
from vox.errors import PartialError

if TYPE_CHECKING:
    from vox.archive.salvage import SalvageReport

SHOWN_LOSSES = 20


@click.command()
@click.argument("source", type=click.Path(exists=True, path_type=Path), metavar="SRC")
@click.argument("target", type=click.Path(path_type=Path), metavar="DEST")
@json_option
@click.pass_context
def salvage(ctx: click.Context, source: Path, target: Path, as_json: bool) -> None:
    """Copy all that is readable of a damaged archive into a new one.

    SRC is an archive, or one of its data.mdb files alone, and is only read; nobody may write to it
    meanwhile. DEST is a folder that is missing or empty. Exits with 26 if something was lost.
    What the sources still have of it comes back when they are imported into DEST again:
    `vox import --restore-purged --archive DEST`.
    """
    from vox.archive.salvage import salvage

    report = salvage(source, target)
    if as_json:
        answer("vox.salvage.v1", report)
    else:
        for line in _lines(report):
            click.echo(one_line(line))
    if not report.ok:
        ctx.exit(PartialError.exit_status)


def _lines(report: SalvageReport) -> Iterator[str]:
    shown = report.losses[:SHOWN_LOSSES]
    yield from map(str, shown)
    known = sum(report.lost.values()) - sum(loss.count for loss in report.items)
    if (more := known - len(shown)) > 0:
        yield f"and {people.number(more)} more"
    for loss in report.items[:SHOWN_LOSSES]:
        count = people.number(loss.count, "item")
        yield f"window {loss.window}: {count} lost from place {loss.ordinal} on"
    if (more := len(report.items) - SHOWN_LOSSES) > 0:
        yield f"and {people.number(more)} more places"
    if report.made_up:
        numbers = ", ".join(map(str, report.made_up[:SHOWN_LOSSES]))
        yield f"windows without their names: {numbers}"
    for table in report.left_out:
        yield f"left out as unsound: {table}"
    saved = [
        people.number(report.saved.get("windows", 0), "window"),
        people.number(report.saved.get("items", 0), "item"),
        people.number(report.saved.get("blobs", 0), "blob"),
    ]
    yield f"saved: {', '.join(saved)}{'; nothing is lost' if report.ok else ''}"
