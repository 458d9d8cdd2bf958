"""`vox archive`: the archive as a whole."""

from __future__ import annotations

import click

from vox.cli.archive.stats import stats
from vox.cli.archive.verify import verify


@click.group()
def archive() -> None:
    """Sizes, counts and soundness of the archive."""


for _command in (stats, verify):
    archive.add_command(_command)
