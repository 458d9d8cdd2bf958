"""`vox context`: what a model is given of a window."""

from __future__ import annotations

import click

from vox.cli.context.commit import commit
from vox.cli.context.editing import add, drop, pin, reorder
from vox.cli.context.fate import fate
from vox.cli.context.get import get
from vox.cli.context.meter import meter
from vox.cli.context.project import project
from vox.cli.context.render import render
from vox.cli.context.route import route
from vox.cli.context.set_ import set_
from vox.cli.context.show import show


@click.group()
def context() -> None:
    """What a model is given of a window: which items, in which form, and why.

    show and project say what a model would be given. What is committed is what it is given: commit
    takes a projection, set a document, and add, drop, pin and reorder change it by hand.
    """


for _command in (
    show,
    project,
    fate,
    route,
    commit,
    get,
    set_,
    add,
    drop,
    pin,
    reorder,
    meter,
    render,
):
    context.add_command(_command)
