"""`vox context render`: what a model is sent of a window."""

from __future__ import annotations

from pathlib import Path

import click

from vox.cli.context.asked import model_option
from vox.cli.options import Text, archive_option, open_to_read
from vox.cli.plain import in_json


@click.command()
@click.argument("window", type=Text())
@model_option
@archive_option
def render(window: str, model: str | None, path: Path | None) -> None:
    """Print the messages of the committed set of WINDOW, as JSON of no provider in particular.

    Contents are as they are, secrets included. Calls and results are complete, one line stands for
    each run that is left out. Refused, with exit status 32, if it is more than the model has room
    for.
    """
    archive = open_to_read(path)
    click.echo(in_json(archive.render(archive.window(window), model).payload))
