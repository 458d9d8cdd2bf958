"""`vox model refresh`: a newer catalogue."""

from __future__ import annotations

from dataclasses import asdict

import click

from vox.cli import people
from vox.cli.options import json_option
from vox.cli.output import answer, note, remark


@click.command()
@click.argument("source", metavar="FILE|URL")
@json_option
def refresh(source: str, as_json: bool) -> None:
    """Read a newer catalogue of models from FILE or an https URL, over what vox ships.

    Understood are https://openrouter.ai/api/v1/models and https://models.dev/api.json. Of a model
    that both know, what was read last counts. This is all that vox ever asks the network for.
    """
    from vox.models.refresh import refresh as read

    done = read(source)
    if as_json:
        answer("vox.model.refresh.v1", {**asdict(done), "path": str(done.path)})
        return
    click.echo(
        f"{people.number(done.models, 'model')} of {done.format}, {people.number(done.new)} of "
        f"them new, {people.number(done.other)} of other kinds left out"
    )
    for bad in done.bad:
        remark(f"set aside: {bad}")
    note(f"kept in {done.path}")
