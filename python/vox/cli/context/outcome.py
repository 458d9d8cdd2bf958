"""What commands that commit say afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vox.cli import people
from vox.cli.context.words import tokens_text
from vox.cli.output import answer, remark
from vox.cli.plain import one_line
from vox.errors import InvalidArgumentError, NotFoundError

if TYPE_CHECKING:
    from vox.archive import Archive
    from vox.context.committed import CommittedSet, Meter
    from vox.models import ModelProfile

HASH = 12
"""Hexadecimal digits of a hash that people are shown."""


def say_committed(
    archive: Archive,
    verb: str,
    done: str,
    committed: CommittedSet,
    *,
    as_json: bool,
    model: ModelProfile | None = None,
) -> None:
    """Says what was committed, and what that takes of the window of `model`, or of the one that
    it is for."""
    meter = meter_if_known(archive, committed, model)
    if as_json:
        answer(f"vox.context.{verb}.v1", summary_of(committed, meter))
        return
    shown = people.number(len(committed), "item")
    left = sum(run.items for run in committed.left_out)
    click.echo(
        one_line(
            f"{done}: {shown} shown, {people.number(left)} left out; "
            f"set {committed.hash.hex()[:HASH]}"
        )
    )
    if meter is not None:
        say_room(meter)


def summary_of(committed: CommittedSet, meter: Meter | None) -> dict[str, Any]:
    """A committed set without its entries."""
    return {
        "window": committed.window,
        "hash": committed.hash.hex(),
        "chain": committed.chain,
        "model": committed.model,
        "budget": committed.budget,
        "entries": len(committed),
        "left_out": sum(run.items for run in committed.left_out),
        "meter": None if meter is None else meter_fields(meter),
    }


def meter_if_known(
    archive: Archive, committed: CommittedSet, model: ModelProfile | None = None
) -> Meter | None:
    """What the set takes of the window of `model`, or of the one that it is for; None if nothing is
    known of that, or there is none."""
    try:
        return archive.meter(committed.window, model)
    except (NotFoundError, InvalidArgumentError):
        return None


def meter_fields(meter: Meter) -> dict[str, Any]:
    """A meter for programs."""
    return {
        "model": meter.model,
        "dialect": meter.dialect,
        "tokens": {str(one): tokens for one, tokens in meter.tokens.items()},
        "framing": meter.framing,
        "used": meter.used,
        "bytes": {str(one): size for one, size in meter.bytes.items()},
        "framing_bytes": meter.framing_bytes,
        "counted": meter.kind,
        "says": meter.says,
        "max_context": meter.budget.max_context,
        "usable": meter.budget.usable,
        "compact_at": meter.budget.compact_at,
        "limit": meter.limit,
        "free": meter.free,
        "over": meter.over,
        "due": meter.due,
    }


def say_room(meter: Meter) -> None:
    """Says how much room there is, or how much is missing."""
    used, room, whose = meter.used, meter.budget.usable, ""
    if meter.limit is not None and meter.limit - meter.set_tokens < room - used:
        used, room, whose = meter.set_tokens, meter.limit, " that it may take"
    taken = f"{tokens_text(used, meter.kind)} of {people.number(room, 'token')}{whose}"
    click.echo(one_line(f"{meter.model}: {taken}, {people.number(meter.free)} free"))
    if meter.over:
        remark(
            f"{people.number(meter.over, 'token')} over budget: it is kept, but isn't rendered; "
            "drop items, or commit a projection"
        )
    elif meter.due:
        remark("little room is left: a new projection would make some (vox context commit)")
