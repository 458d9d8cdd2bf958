"""`vox context meter`: what is committed takes of a model's window, and whose that is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from vox.cli import people
from vox.cli.context.asked import model_option
from vox.cli.context.fates import claimant_word
from vox.cli.context.outcome import meter_fields, say_room
from vox.cli.context.words import what_a_count_is
from vox.cli.options import Text, archive_option, json_option, open_to_read
from vox.cli.output import Cell, Column, answer, note, table
from vox.errors import InvalidArgumentError

if TYPE_CHECKING:
    from vox.context.committed import Meter

BAR = 20
COLUMNS = (
    Column("whose"),
    Column("tokens", "right"),
    Column("bytes", "right"),
    Column("of the window", style="green", flexible=True),
)


@click.command()
@click.argument("window", type=Text())
@model_option
@click.option(
    "--system",
    type=click.File("rb"),
    metavar="FILE",
    help="After this system prompt; - is standard input.",
)
@json_option
@archive_option
def meter(
    window: str,
    model: str | None,
    system: BinaryIO | None,
    as_json: bool,
    path: Path | None,
) -> None:
    """Show what the committed set of WINDOW takes of a model's window, and whose each token is.

    Every token and byte of the request belongs to the system prompt, to tools, to the conversation,
    to results of tools, or to framing; the reserve is held back for the answer.
    """
    prompt = _prompt(system)
    archive = open_to_read(path)
    view = archive.window(window)
    found = archive.meter(view, model, system=prompt)
    if as_json:
        answer("vox.context.meter.v1", {"window": view.id, **meter_fields(found)})
        return
    table(COLUMNS, _rows(found))
    if sys.stdout.isatty():
        click.echo()
    say_room(found)
    note(f"tokens: {what_a_count_is(found.kind)}")


def _prompt(system: BinaryIO | None) -> str:
    if system is None:
        return ""
    try:
        return system.read().decode()
    except UnicodeDecodeError as error:
        raise InvalidArgumentError(f"the system prompt is no UTF-8: {error}") from error


def _rows(found: Meter) -> Iterator[tuple[Cell, ...]]:
    whole = max(found.budget.max_context, 1)
    for claimant, tokens in found.tokens.items():
        size = found.bytes.get(claimant, 0)
        yield (
            claimant_word(str(claimant)),
            people.number(tokens),
            people.size(size) if size else "",
            _bar(tokens, whole),
        )
    yield (
        "framing",
        people.number(found.framing),
        people.size(found.framing_bytes),
        _bar(found.framing, whole),
    )
    yield "free", people.number(found.free), "", (_bar(found.free, whole), "dim")


def _bar(tokens: int, whole: int) -> str:
    share = min(1.0, tokens / whole)
    cells = round(BAR * share)
    return f"{'█' * (cells or int(tokens > 0)):<{BAR}} {100 * share:.1f} %"
