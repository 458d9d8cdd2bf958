"""`vox model list`: the models that are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vox.cli import people
from vox.cli.options import Text, count_option, json_option
from vox.cli.output import Column, answer, note, remark, table

if TYPE_CHECKING:
    from vox.models.row import Row


@click.command("list")
@click.argument("part", required=False, type=Text())
@click.option("--local", is_flag=True, help="Only models that run on this machine.")
@count_option(50)
@json_option
def list_(part: str | None, local: bool, count: int, as_json: bool) -> None:
    """The models that are known, or those with PART in their name or provider.

    Local ones come first, all of them; -n says how many others are shown, the newest first.
    --json gives all. A field without a value isn't known.
    """
    from vox.models.catalogue import load_catalogue

    catalogue = load_catalogue()
    wanted = (part or "").lower()
    rows = [
        one.row
        for one in catalogue.listed
        if wanted in f"{one.row.provider}/{one.row.id}".lower() and (one.row.local or not local)
    ]
    here = [row for row in rows if row.local]
    others = [row for row in rows if not row.local]
    others.sort(key=lambda row: str(row.released or ""), reverse=True)
    if as_json:
        answer(
            "vox.model.list.v1",
            {"models": [_fields(row) for row in (*here, *others)], "bad": list(catalogue.bad)},
        )
        return
    columns = [
        Column("model", style="cyan", flexible=True),
        Column("provider"),
        Column("window", "right"),
        Column("answer", "right"),
        Column("can"),
        Column("$/M in", "right"),
        Column("$/M out", "right"),
        Column("source"),
        Column("date"),
    ]
    table(columns, [_cells(row) for row in (*here, *others[:count])])
    if len(others) > count:
        note(f"{people.number(len(others) - count)} more; -n shows more of them, PART picks some")
    if not rows:
        remark("no such model; vox model refresh reads a newer catalogue")
    if catalogue.bad:
        remark(f"{people.number(len(catalogue.bad), 'line')} of the own catalogue set aside")


def _fields(row: Row) -> dict[str, Any]:
    import msgspec

    return msgspec.structs.asdict(row)


def _cells(row: Row) -> list[str]:
    can = {"tools": row.tools, "thinks": row.reasoning, "sees": row.images, "caches": row.caching}
    prices = row.prices
    return [
        row.id,
        row.provider,
        people.number(row.window),
        "" if row.output is None else people.number(row.output),
        " ".join(name for name, does in can.items() if does),
        "" if prices is None else f"{prices.input:g}",
        "" if prices is None else f"{prices.output:g}",
        row.source,
        str(row.date),
    ]
