"""References of `vox search --model`: what an archive has to say to a question, within a budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vox.cli import people
from vox.cli.items import item_text, what_of
from vox.cli.output import Cell, Column, answer, note, remark, rows_as_lines, table
from vox.cli.windows import name_of
from vox.errors import InvalidArgumentError

if TYPE_CHECKING:
    from vox.archive import Archive
    from vox.context.retrieval import Reference, Retrieved

LANES = ["text", "structural", "semantic"]
COLUMNS = (
    Column("item", style="cyan"),
    Column("time"),
    Column("what"),
    Column("title"),
    Column("tokens", "right"),
    Column("found by"),
    Column("shows"),
    Column("text", flexible=True),
)


def without(options: Mapping[str, object]) -> None:
    """Refuses those of `options` that are set: they ask for hits, not for references."""
    for option, value in options.items():
        if value:
            raise InvalidArgumentError(f"{option} doesn't go with --model: it asks for hits")


def print_references(
    archive: Archive, found: Retrieved, scope: list[str], *, as_json: bool, as_lines: bool
) -> None:
    """Print an answer as it was asked for; notes of lanes go to standard error."""
    if as_json:
        answer("vox.retrieve.v1", _fields(found, scope))
        return
    if as_lines:
        rows_as_lines(map(_row, found.references))
    else:
        table(COLUMNS, (_cells(archive, one) for one in found.references))
    for lane in found.lanes:
        if lane.note:
            remark(f"{lane.name}: {lane.note}")
    if scope:
        note(f"of {', '.join(scope)}; --all searches everywhere")
    room = f"{people.number(found.tokens)} of {people.number(found.budget, 'token')}"
    note(f"{room} of {found.model} ({found.counted}); vox cat ITEM shows all of one")
    if found.left_out:
        remark(f"{people.number(found.left_out)} more had no room: a larger --budget shows them")
    elif not found.references:
        remark("nothing here; --all searches everywhere" if scope else "nothing")


def _fields(found: Retrieved, scope: list[str]) -> dict[str, Any]:
    return {
        "question": found.question,
        "repos": scope,
        "model": found.model,
        "budget": found.budget,
        "tokens": found.tokens,
        "counted": found.counted,
        "left_out": found.left_out,
        "lanes": found.lanes,
        "references": [_row(one) for one in found.references],
    }


def _row(one: Reference) -> dict[str, Any]:
    about = one.about
    return {
        "item": item_text(about.item),
        "window": about.window,
        "title": about.title,
        "role": about.role,
        "kind": about.kind,
        "name": about.name,
        "created_at": about.at,
        "byte_len": about.bytes,
        "windows": about.windows,
        "score": one.score,
        "lanes": dict(one.ranks),
        "fate": one.fate,
        "shown": one.shown,
        "tokens": one.tokens,
    }


def _cells(archive: Archive, one: Reference) -> tuple[Cell, ...]:
    about = one.about
    return (
        item_text(about.item),
        people.moment(about.at),
        what_of(about.role, about.kind, about.name),
        about.title or name_of(archive, archive.window(about.window).info, reveal=False),
        people.number(one.tokens),
        ", ".join(f"{lane} {rank}" for lane, rank in one.ranks.items()),
        one.fate,
        one.shown,
    )
