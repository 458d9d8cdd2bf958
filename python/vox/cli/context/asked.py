"""What commands on projections share: their options, and the projection that these ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from vox.cli import people
from vox.cli.options import Position, Text
from vox.cli.output import remark
from vox.errors import InvalidArgumentError, NotFoundError

if TYPE_CHECKING:
    from vox.archive import Archive, Window
    from vox.context.projection import Projection
    from vox.models import ModelProfile

Command = TypeVar("Command", bound=Callable[..., Any])


model_option = click.option(
    "-m",
    "--model",
    metavar="MODEL",
    type=Text(),
    help="For this one.  [default: the one that the window is bound to]",
)


def wish_options(command: Command) -> Command:
    """`--query`, `--budget`: what a projection goes by beside the model."""
    options = (
        click.option(
            "--query",
            metavar="QUESTION",
            type=Text(),
            help="What answers it is worth more.",
        ),
        click.option(
            "--budget",
            metavar="TOKENS",
            type=Position(min=0),
            help="At most so many.  [default: what the model has room for]",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def projected(
    archive: Archive, window: Window, model: str | None, *, query: str | None, budget: int | None
) -> Projection:
    """The projection that was asked for."""
    return archive.project(
        window.number, profile_of(window, model), query=query or None, budget=budget
    )


def profile_of(window: Window, model: str | None) -> ModelProfile:
    """The model that was named, or that the window is bound to. Raises `InvalidArgumentError` if
    there is none, `NotFoundError` for one that nothing is known of."""
    from vox.models import profile

    if model:
        return profile(model)
    bound = window.info["model_route"]
    if not bound:
        raise InvalidArgumentError(
            f"window {window.id} is bound to no model; name one with --model"
        )
    try:
        return profile(bound)
    except NotFoundError as error:
        raise NotFoundError(
            f"window {window.id} is bound to {bound}, of which nothing is known; name another with "
            "--model"
        ) from error


def headline(found: Projection) -> str:
    """What a projection comes to, in a line."""
    worth = {"exact": "", "ratio": "about "}.get(found.kind_of_count, "at most ")
    return (
        f"{found.profile.model_id}: {worth}{people.number(found.used)} of "
        f"{people.number(found.budget, 'token')} ({found.kind_of_count})"
    )


def tell_notes(found: Projection) -> None:
    """Says on standard error what its user should know."""
    model = found.profile
    if model.inherited_from:
        remark(
            f"{model.model_id} inherits {', '.join(model.inherited)}: from {model.inherited_from}"
        )
    for text in found.notes:
        remark(text)
