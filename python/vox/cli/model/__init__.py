"""`vox model`: what is known of models."""

from __future__ import annotations

import click

from vox.cli.model.list import list_
from vox.cli.model.refresh import refresh
from vox.cli.model.show import show


@click.group()
def model() -> None:
    """List models, show one, read a newer catalogue."""


for _command in (list_, show, refresh):
    model.add_command(_command)
