"""`vox context add`, `drop`, `pin`, `reorder`: a committed set is changed by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from vox.cli import people
from vox.cli.context.outcome import say_committed
from vox.cli.context.places import items_of
from vox.cli.options import Position, Text, archive_option, json_option, open_to_change

if TYPE_CHECKING:
    from vox.archive import Archive
    from vox.context.committed import ContextDraft

    Change = Callable[[Archive, int, ContextDraft, list[int]], ContextDraft]

Command = TypeVar("Command", bound=Callable[..., None])


def _named(command: Command) -> Command:
    """The places that all these commands share."""
    options = (
        click.argument("places", nargs=-1, type=Text(), required=True, metavar="PLACE..."),
        click.option(
            "--to",
            metavar="WINDOW",
            type=Text(),
            help="Whose set is meant.  [default: that of the places]",
        ),
        json_option,
        archive_option,
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command()
@_named
@click.option("--at", type=Position(min=0), help="Before this place.  [default: where they stand]")
@click.option(
    "--fate",
    type=click.Choice(["included", "on_demand"]),
    default="included",
    show_default=True,
    help="In full, or as what they are and the handle that opens them.",
)
def add(
    places: tuple[str, ...],
    to: str | None,
    at: int | None,
    fate: str,
    as_json: bool,
    path: Path | None,
) -> None:
    """Put items into what reaches a model.

    A PLACE is items of a window (3f2a@17, 3f2a@10-20, 3f2a@1,5-7) or an item's id (12.345, with
    --to). Items of another window of the same tree are taken with --to too. One that is there
    already is replaced where it stands.
    """

    def change(
        archive: Archive, window: int, draft: ContextDraft, items: list[int]
    ) -> ContextDraft:
        from vox.context.committed import edit

        return edit.add(draft, archive.context_entries(window, items, fate), at)

    _edit("add", "added {}", places, to, change, path, as_json=as_json)


@click.command()
@_named
def drop(places: tuple[str, ...], to: str | None, as_json: bool, path: Path | None) -> None:
    """Take items out of what reaches a model, with a call its results, with a result its call.

    PLACES are those of `vox context add`.
    """

    def change(_: Archive, __: int, draft: ContextDraft, items: list[int]) -> ContextDraft:
        from vox.context.committed import edit

        return edit.drop(draft, items)

    _edit("drop", "dropped {}", places, to, change, path, as_json=as_json)


@click.command()
@_named
def pin(places: tuple[str, ...], to: str | None, as_json: bool, path: Path | None) -> None:
    """Let later projections keep items that are in the set.

    They are pinned in their window too; `vox window unpin` takes that back. PLACES are those of
    `vox context add`.
    """

    def change(_: Archive, __: int, draft: ContextDraft, items: list[int]) -> ContextDraft:
        from vox.context.committed import edit

        return edit.pin(draft, items)

    _edit("pin", "pinned {}", places, to, change, path, as_json=as_json)


@click.command()
@_named
@click.option(
    "--at",
    type=Position(min=0),
    required=True,
    help="Before this place of those that stay where they are; vox context get counts them.",
)
def reorder(
    places: tuple[str, ...], to: str | None, at: int, as_json: bool, path: Path | None
) -> None:
    """Move items, in the order in which they are named; a call and its results move together.

    PLACES are those of `vox context add`.
    """

    def change(_: Archive, __: int, draft: ContextDraft, items: list[int]) -> ContextDraft:
        from vox.context.committed import edit

        return edit.reorder(draft, items, at)

    _edit("reorder", "moved {}", places, to, change, path, as_json=as_json)


def _edit(
    verb: str,
    done: str,
    places: tuple[str, ...],
    to: str | None,
    change: Change,
    path: Path | None,
    *,
    as_json: bool,
) -> None:
    with open_to_change(path) as archive:
        window, items = items_of(archive, places, to)
        before = archive.context_get(window)
        draft = change(archive, window, archive.context_draft(window), items)
        committed = archive.context_set(window, draft, over=before)
        said = done.format(people.number(len(items), "item"))
        say_committed(archive, verb, said, committed, as_json=as_json)
