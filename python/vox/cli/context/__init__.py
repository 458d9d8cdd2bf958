"""`vox context`: what a model is given of a window."""

from __future__ import annotations

import click

from vox.cli.context.project import project
from vox.cli.context.show import show


@click.group()
def context() -> None:
    """What a model is given of a window: which items, in which form, and why."""


for _command in (show, project):
    context.add_command(_command)
