"""`vox window redact`: a window without its secrets."""

from __future__ import annotations

from pathlib import Path

import click

from vox.cli import people
from vox.cli.options import Text, archive_option, json_option, open_to_change
from vox.cli.output import answer


@click.command()
@click.argument("window", type=Text())
@click.option("--key", type=Text(), help="What programs call it.  [default: made of the id]")
@json_option
@archive_option
def redact(window: str, key: str | None, as_json: bool, path: Path | None) -> None:
    """Make a window that equals WINDOW but for its secrets.

    What looks like a secret is masked in it. Every item has its place, so an item stands at the
    ordinal of the one that it is a variant of. WINDOW stays as it is.
    """
    with open_to_change(path) as archive:
        report = archive.redact(window, key=key)
    if as_json:
        answer("vox.redact.v1", report)
    else:
        click.echo(
            f"{report.window}: {people.number(report.secrets, 'secret')} masked in "
            f"{people.number(report.redacted, 'item')} of {people.number(report.items)}"
        )
