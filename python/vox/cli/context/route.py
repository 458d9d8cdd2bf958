"""`vox context route`: the model that a window is bound to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vox.cli.context.outcome import meter_fields, meter_if_known, say_room
from vox.cli.options import Text, archive_option, json_option, open_to_change, open_to_read
from vox.cli.output import answer
from vox.cli.plain import one_line
from vox.errors import InvalidArgumentError

if TYPE_CHECKING:
    from vox.archive import Archive


@click.command()
@click.argument("window", type=Text())
@click.argument("model", type=Text(), required=False)
@click.option("--unset", is_flag=True, help="Back to the model that its source names.")
@json_option
@archive_option
def route(window: str, model: str | None, unset: bool, as_json: bool, path: Path | None) -> None:
    """Say which model WINDOW is bound to, or bind it to MODEL.

    Projections and the meter follow it. What is committed stays as it is until another projection
    is (`vox context commit`); if it is more than the new model has room for, this says so.
    """
    if unset and model is not None:
        raise InvalidArgumentError("name a model, or --unset, not both")
    if model is None and not unset:
        _say(open_to_read(path), window, None, as_json=as_json)
        return
    if model is not None:
        from vox.models import profile

        profile(model)  # one that nothing is known of is an error here, with the nearest names
    with open_to_change(path) as archive:
        changed = archive.route(archive.window(window), model)
        _say(archive, window, changed, as_json=as_json)


def _say(archive: Archive, window: str, changed: bool | None, *, as_json: bool) -> None:
    view = archive.window(window)
    model = view.info["model_route"]
    committed = archive.context_get(view)
    meter = None if committed is None else meter_if_known(archive, committed)
    if as_json:
        shown = None if meter is None else meter_fields(meter)
        says = {"window": view.id, "model": model, "changed": changed, "meter": shown}
        answer("vox.context.route.v1", says)
        return
    click.echo(one_line(f"{view.id}: {model or 'bound to no model'}"))
    if meter is not None:
        say_room(meter)
