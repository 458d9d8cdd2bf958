"""`vox window`: what is done to windows and their items."""

from __future__ import annotations

import click

from vox.cli.window.labels import delete, rename, tag, undelete, untag
from vox.cli.window.making import fork, merge
from vox.cli.window.marks import pin, restore, trim, unpin
from vox.cli.window.redacting import redact


@click.group()
def window() -> None:
    """Trim, pin, fork, merge, redact, rename, tag and delete.

    Nothing here takes content away: each has its inverse, and stands in the log of events.
    """


for _command in (
    trim,
    restore,
    pin,
    unpin,
    fork,
    merge,
    redact,
    rename,
    tag,
    untag,
    delete,
    undelete,
):
    window.add_command(_command)
