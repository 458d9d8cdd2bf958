"""`vox context commit`: a projection becomes what reaches a model."""

from __future__ import annotations

from pathlib import Path

import click

from vox.cli.context.asked import model_option, profile_of, tell_notes, wish_options
from vox.cli.context.outcome import say_committed
from vox.cli.options import Text, archive_option, json_option, open_to_change
from vox.cli.output import remark
from vox.cli.windows import ID_PREFIX

STATES = {
    "first": "planned",
    "frozen": "what was sent stays, what is new was added",
    "threshold": "planned anew: it was nearly full",
    "model": "planned anew for another model",
    "edit": "planned anew after changes by hand",
    "compaction": "planned anew after a compaction",
    "not_worth_it": "what was sent stays: planning anew would free too little",
}
"""How a plan came about, in words."""


@click.command()
@click.argument("window", type=Text())
@model_option
@wish_options
@click.option("--anew", is_flag=True, help="Whatever was committed before.")
@json_option
@archive_option
def commit(
    window: str,
    model: str | None,
    query: str | None,
    budget: int | None,
    anew: bool,
    as_json: bool,
    path: Path | None,
) -> None:
    """Commit a projection of WINDOW: from then on it is what reaches the model.

    It is what `vox context show` shows. What was committed before stays as it was until there is
    reason to plan anew, so that the provider's cache of it stays valid. Refused if the window
    changes meanwhile, or somebody else commits.
    """
    with open_to_change(path) as archive:
        view = archive.window(window)
        profile = profile_of(view, model)
        before = None if anew else archive.context_get(view)
        found = archive.project(
            view,
            profile,
            query=query or None,
            budget=budget,
            previous=None if before is None else before.sent,
        )
        committed = archive.commit(found)
        done = f"committed, {STATES[found.state]}"
        say_committed(archive, "commit", done, committed, as_json=as_json, model=profile)
        bound = archive.window(view.number).info["model_route"]
    if not as_json:
        tell_notes(found)
        if model and bound != model:
            remark(
                f"the window is bound to {bound or 'no model'}; "
                f"vox context route {view.id[:ID_PREFIX]} {model} binds it to this one"
            )
