"""`vox archive`: the archive as a whole."""

from __future__ import annotations

import click

from vox.cli.archive.backup import backup
from vox.cli.archive.compact import compact
from vox.cli.archive.gc import gc
from vox.cli.archive.migrate import migrate
from vox.cli.archive.purge import purge
from vox.cli.archive.refold import refold
from vox.cli.archive.reindex import reindex
from vox.cli.archive.salvage import salvage
from vox.cli.archive.stats import stats
from vox.cli.archive.verify import verify


@click.group()
def archive() -> None:
    """Size, soundness and upkeep of the archive."""


for _command in (stats, verify, gc, purge, compact, backup, migrate, refold, reindex, salvage):
    archive.add_command(_command)
