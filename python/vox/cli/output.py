"""Answers on standard output: JSON for programs, tables for people."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import click

from vox.cli.plain import in_json, one_line

if TYPE_CHECKING:
    from rich.console import Console


def answer(schema: str, fields: Any) -> None:
    """Print one JSON object that starts with its schema, such as `vox.import.v1`.

    `fields` is a mapping, or a struct or dataclass whose fields are the answer's.
    """
    import msgspec

    click.echo(_encode({"schema": schema, **msgspec.to_builtins(fields, enc_hook=_hexadecimal)}))


def rows_as_lines(rows: Iterable[Mapping[str, Any]]) -> None:
    """Print each row as one line of JSON, as soon as it comes."""
    for row in rows:
        click.echo(_encode(row))


def _encode(value: Any) -> bytes:
    import msgspec

    return in_json(msgspec.json.encode(value, enc_hook=_hexadecimal))


def _hexadecimal(value: Any) -> str:
    if isinstance(value, memoryview):
        return value.hex()
    raise NotImplementedError(f"no JSON for {type(value).__name__}")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    title: str
    align: Literal["left", "right"] = "left"
    style: str = ""
    """Its colour, in rich's words."""
    flexible: bool = False
    """Gives way when the terminal is narrow."""
    keeps_end: bool = False
    """Is cut at its beginning, as suits paths."""
    wraps: bool = False
    """Goes on in the next line where others are cut."""


WIDEST = 24
"""Cells of a column that isn't flexible are cut at this width in a terminal."""
NARROWEST = 8
"""A flexible column gives way down to this width."""

UNKNOWN_WIDTH = 80
"""The width of a terminal that says it has none."""

Cell: TypeAlias = str | tuple[str, str]
"""A text, or a text and its colour in rich's words."""


def note(text: str) -> None:
    """Print a line about the answer; only in a terminal, so that what a program reads is rows."""
    if sys.stdout.isatty():
        click.echo(click.style(one_line(text), dim=True))


def remark(text: str) -> None:
    """Print a line for whoever wonders, on standard error: an answer without rows needs one."""
    click.echo(one_line(text), err=True)


def table(columns: Sequence[Column], rows: Iterable[Sequence[Cell]]) -> None:
    """Print a table: aligned and coloured in a terminal, else lines of cells parted by tabs.

    Cells are made safe here; callers pass them as they are.
    """
    if sys.stdout.isatty():
        _rich_table(columns, rows)
    else:
        for row in rows:
            click.echo("\t".join(one_line(_text(cell)) for cell in row))


def terminal() -> Console:
    """The terminal, which is sent texts as they are."""
    from rich.console import Console

    console = Console(highlight=False, emoji=False, markup=False)
    if console.width < 1:
        console.width = UNKNOWN_WIDTH
    return console


def _text(cell: Cell) -> str:
    return cell if isinstance(cell, str) else cell[0]


def _rich_table(columns: Sequence[Column], rows: Iterable[Sequence[Cell]]) -> None:
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    cells = [
        [
            Text(one_line(_text(cell)), style="" if isinstance(cell, str) else cell[1])
            for cell in row
        ]
        for row in rows
    ]
    natural = [
        max([cell_len(column.title), *(row[i].cell_len for row in cells)])
        for i, column in enumerate(columns)
    ]
    console = terminal()
    widths = _widths(columns, natural, console.width)
    for i, column in enumerate(columns):
        if column.keeps_end:
            for row in cells:
                row[i].plain = _last_cells(row[i].plain, widths[i])
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column, width in zip(columns, widths, strict=True):
        table.add_column(
            column.title,
            justify=column.align,
            style=column.style,
            width=width,
            no_wrap=not column.wraps,
            overflow="fold" if column.wraps else "ellipsis",
        )
    for row in cells:
        table.add_row(*row)
    console.print(table)


def _last_cells(text: str, width: int) -> str:
    """`text`, or its last part that takes no more than `width` cells with a sign before it."""
    from rich.cells import cell_len

    if cell_len(text) <= width:
        return text
    cut = text[-width:]
    while cut and cell_len(cut) > width - 1:
        cut = cut[1:]
    return f"…{cut}"


def _widths(columns: Sequence[Column], natural: Sequence[int], width: int) -> list[int]:
    """Widths that fit into `width`: flexible columns share what the others leave."""
    widths = [
        w if column.flexible else min(w, WIDEST) for column, w in zip(columns, natural, strict=True)
    ]
    flexible = sorted((i for i, c in enumerate(columns) if c.flexible), key=lambda i: natural[i])
    left = (
        width
        - 2 * (len(columns) - 1)
        - sum(w for column, w in zip(columns, widths, strict=True) if not column.flexible)
    )
    for rank, i in enumerate(flexible):
        widths[i] = max(NARROWEST, min(natural[i], left // (len(flexible) - rank)))
        left -= widths[i]
    return widths
