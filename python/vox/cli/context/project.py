"""`vox context project`: what one or two models are given of a window, and why."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vox.cli import people
from vox.cli.context.asked import projected, tell_notes, wish_options
from vox.cli.context.fates import STYLES, WORDS, claimant_word
from vox.cli.context.words import WIDE, tokens_text, what_a_count_is
from vox.cli.items import ROLE_STYLES, what_of
from vox.cli.options import Position, Text, archive_option, json_option, open_to_read
from vox.cli.output import Cell, Column, answer, note, table, terminal
from vox.cli.plain import one_line
from vox.cli.windows import ID_PREFIX, name_of
from vox.errors import InvalidArgumentError

if TYPE_CHECKING:
    from vox.archive import Archive, Window
    from vox.cli.context.differences import Differences
    from vox.cli.context.digest import Digest
    from vox.context.projection import Projection

SIDE_BY_SIDE = 2


@click.command()
@click.argument("window", type=Text())
@click.option(
    "-m",
    "--model",
    "models",
    metavar="MODEL",
    type=Text(),
    multiple=True,
    help="For this one; two stand side by side.  [default: the one that the window is bound to]",
)
@wish_options
@click.option("--start", type=Position(min=0), default=0, help="Skip this many items that differ.")
@click.option(
    "-n",
    "--count",
    type=Position(min=1),
    default=20,
    show_default=True,
    help="Show this many of them.",
)
@click.option("--reveal", is_flag=True, help="Also what looks like a secret.")
@json_option
@archive_option
def project(
    window: str,
    models: Sequence[str],
    query: str | None,
    budget: int | None,
    start: int,
    count: int,
    reveal: bool,
    as_json: bool,
    path: Path | None,
) -> None:
    """What a model would be given of WINDOW, in sum, or what two would, and where they differ.

    First what there is room for and whose it is, then how many items are given in full, in part
    (beginning and end), on demand (what it is and the handle that opens it), or left out; then
    why. Of two models, the items with different fates, those that differ most in tokens first.
    Nothing is sent or kept by this, and no model is called.

    \b
    vox context project 3f2a --model claude-opus-4-7 --model qwen3:8b
    """
    from vox.cli.context.differences import differences_of
    from vox.cli.context.digest import digest_of
    from vox.cli.context.report import fields_of

    if len(models) > SIDE_BY_SIDE:
        raise InvalidArgumentError(f"{len(models)} models; two stand side by side")
    archive = open_to_read(path)
    view = archive.window(window)
    wanted: Sequence[str | None] = models or [None]
    found = [projected(archive, view, model, query=query, budget=budget) for model in wanted]
    view = archive.window(view.number)  # as far as the projections have seen, or farther
    digests = [digest_of(one) for one in found]
    differ = differences_of(found[0], found[1]) if len(found) > 1 else None
    if as_json:
        says: dict[str, Any] = {
            "window": view.id,
            "projections": [fields_of(*both) for both in zip(found, digests, strict=True)],
        }
        if differ is not None:
            rows = _rows(archive, view, differ, start, count, reveal=reveal)
            says |= {
                "changes": differ.changes(),
                "start": start,
                "total": len(differ),
                "items": rows,
            }
        answer("vox.context.project.v1", says)
        return
    if sys.stdout.isatty():
        click.secho(one_line(name_of(archive, view.info, reveal=reveal)), bold=True)
        note(f"{view.id[:ID_PREFIX]}, {people.number(len(found[0].entries), 'item')}")
        click.echo()
    _print_sums(found, digests)
    click.echo()
    if differ is None:
        _print_whys(digests[0])
        note(f"vox context show {view.id[:ID_PREFIX]} lists items")
    else:
        _print_changes(differ)
        rows = _rows(archive, view, differ, start, count, reveal=reveal)
        _print_items(rows, start, len(differ))
    for one in found:
        tell_notes(one)
    counted = dict.fromkeys(what_a_count_is(one.kind_of_count) for one in found)
    note(f"tokens: {'; '.join(counted)}")


def _print_sums(found: Sequence[Projection], digests: Sequence[Digest]) -> None:
    names = [one.profile.model_id for one in found]
    columns = [Column(""), *(Column(name, "right") for name in names)]
    rows = list(_sums(found, digests))
    if not sys.stdout.isatty():
        rows.insert(0, ["model", *names])
    table(columns, rows)


def _sums(found: Sequence[Projection], digests: Sequence[Digest]) -> Iterator[Sequence[Cell]]:
    yield ["holds", *(people.number(one.profile.max_context_tokens) for one in found)]
    yield ["budget", *(people.number(one.budget) for one in found)]
    yield [
        ("used", "bold"),
        *((tokens_text(one.used, one.kind_of_count), "bold") for one in found),
    ]
    from vox.context.budget import CLAIMANTS

    for claimant in CLAIMANTS:
        tokens = [one.by_claimant.get(claimant, 0) for one in found]
        if any(tokens):
            yield [f"  {claimant_word(claimant)}", *map(people.number, tokens)]
    if any(one.framing for one in found):
        yield ["  framing", *(people.number(one.framing) for one in found)]
    for fate, word in WORDS.items():
        counts = (people.number(digest.fates[fate]) for digest in digests)
        yield [(word, STYLES[fate]), *counts]
    if any(one.stubs for one in found):
        yield ["  as lines", *(people.number(len(one.stubs)) for one in found)]
    yield ["set aside", *(people.number(digest.aside) for digest in digests)]


def _print_whys(digest: Digest) -> None:
    columns = (
        Column("fate"),
        Column("items", "right"),
        Column("tokens", "right"),
        Column("because", flexible=True, wraps=True),
    )
    table(
        columns,
        (
            (
                (WORDS[why.fate], STYLES[why.fate]),
                people.number(why.items),
                people.number(why.tokens),
                why.reason,
            )
            for why in digest.whys
        ),
    )


def _print_changes(differ: Differences) -> None:
    if not len(differ):
        click.echo("no item has another fate")
        return
    columns = (
        Column("fates"),
        Column("items", "right"),
        Column("tokens", "right"),
        Column("because", flexible=True, wraps=True),
    )
    table(
        columns,
        (
            (
                _arrow(*(WORDS[fate] for fate in change.fates)),
                people.number(change.items),
                _arrow(*map(people.number, change.tokens)),
                change.reason,
            )
            for change in differ.changes()
        ),
    )
    click.echo()


def _arrow(one: str, other: str) -> str:
    return f"{one} → {other}"


def _rows(
    archive: Archive, view: Window, differ: Differences, start: int, count: int, *, reveal: bool
) -> list[dict[str, Any]]:
    from vox.cli.context.rows import item_rows

    page = differ.at(start, count)
    ones = item_rows(archive, view, [found.one for found in page], reveal=reveal)
    others = item_rows(archive, view, [found.other for found in page], reveal=reveal)
    both = ("fate", "tokens", "counted", "reason", "begins")
    return [
        {name: value for name, value in one.items() if name not in both}
        | {name: [one[name], other[name]] for name in both}
        for one, other in zip(ones, others, strict=True)
    ]


def _print_items(rows: Sequence[dict[str, Any]], start: int, total: int) -> None:
    if not total:
        return
    columns = (
        Column("item", style="cyan"),
        Column("what", flexible=True),
        Column("fates"),
        Column("tokens", "right"),
        Column("begins", flexible=True),
    )
    many = len(columns)
    if sys.stdout.isatty() and terminal().width < WIDE:
        many -= 1  # there is no room for texts
    table(columns[:many], (_cells(row)[:many] for row in rows))
    end = start + len(rows)
    if end < total:
        note(f"items {start}-{end - 1} of {people.number(total)} that differ; next: --start {end}")


def _cells(row: dict[str, Any]) -> tuple[Cell, ...]:
    return (
        row["item"],
        (what_of(row["role"], row["kind"], row["name"]), ROLE_STYLES.get(row["role"], "")),
        _arrow(*(WORDS[fate] for fate in row["fate"])),
        _arrow(*map(tokens_text, row["tokens"], row["counted"])),
        next((text for text in row["begins"] if text), ""),
    )
