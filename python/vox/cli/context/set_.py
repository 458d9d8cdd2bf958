"""`vox context set`: a document becomes what reaches a model."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import click

from vox.cli.context.outcome import say_committed
from vox.cli.options import Text, archive_option, json_option, open_to_change
from vox.errors import ConflictError, InvalidArgumentError

LARGEST = 256 * 1024 * 1024
"""Bytes of a document. Judgement: a million entries have less."""


@click.command("set")
@click.argument("window", type=Text())
@click.argument("document", type=click.File("rb"), default="-", metavar="[FILE|-]")
@click.option(
    "--over",
    metavar="HASH",
    type=Text(),
    help="Only if this set is the one that is there; the hash that vox context get prints.",
)
@json_option
@archive_option
def set_(
    window: str, document: BinaryIO, over: str | None, as_json: bool, path: Path | None
) -> None:
    """Commit a JSON document: from then on it is all of WINDOW that reaches a model.

    The document is what `vox context get --document` prints. An entry needs no more than its
    number, {"item": 158913789958}; what is left out of it is found. Entries are items of WINDOW or
    of windows of the same tree. Refused if items came since the document was made: "chain" says
    what it was made of. More than the model has room for is kept and said, but isn't rendered.

    \b
    vox context get 3f2a --document > set.json
    vox context set 3f2a set.json
    """
    data = document.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise InvalidArgumentError(f"the document has more than {LARGEST} bytes")
    with open_to_change(path) as archive:
        view = archive.window(window)
        before = None
        if over is not None:
            before = archive.context_get(view)
            there = "" if before is None else before.hash.hex()
            if not over or not there.startswith(over.lower()):
                raise ConflictError(
                    f"the set of window {view.id} is {there or 'none'}, not {over}; look at it "
                    "again and commit what follows"
                )
        committed = archive.context_set(view, data, over=before)
        say_committed(archive, "set", "committed", committed, as_json=as_json)
