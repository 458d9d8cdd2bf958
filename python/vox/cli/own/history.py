"""`vox history`: clips, commands and prompts that a person may want again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from vox.cli import people
from vox.cli.options import (
    Position,
    Text,
    archive_option,
    count_option,
    json_option,
    open_to_change,
    open_to_read,
)
from vox.cli.output import Column, answer, note, remark, table

if TYPE_CHECKING:
    from vox.archive.history import HistoryKind

COLUMNS = (
    Column("number", align="right", style="cyan"),
    Column("kind", style="magenta"),
    Column("", style="yellow"),
    Column("content", flexible=True),
    Column("repo", style="green", flexible=True, keeps_end=True),
    Column("at", style="dim"),
)
_numbers = click.argument(
    "numbers", nargs=-1, required=True, type=Position(min=0), metavar="NUMBER..."
)
KINDS = click.Choice(["clip", "command", "chat"])


@click.group()
def history() -> None:
    """Clips, commands and prompts.

    Of each kind and repository the last 10,000 entries are kept, or 64 MiB; pinned ones stay.
    VOX_HISTORY_ENTRIES and VOX_HISTORY_BYTES say otherwise.
    """


@history.command()
@click.argument("text", required=False, type=Text())
@click.option("--kind", type=KINDS, default="clip", show_default=True, help="What it is.")
@click.option("--repo", type=Text(), help="The repository it belongs to.")
@click.option("--name", type=Text(), help="Where it comes from, such as a shell.")
@json_option
@archive_option
def add(
    text: str | None,
    kind: str,
    repo: str | None,
    name: str | None,
    as_json: bool,
    path: Path | None,
) -> None:
    """Add an entry and print its number.

    The entry is TEXT, or what comes from standard input.
    """
    content: bytes | str = sys.stdin.buffer.read() if text is None else text
    with open_to_change(path, create=True) as archive:
        number = archive.history.add(cast("HistoryKind", kind), content, repo=repo, name=name)
    if as_json:
        answer("vox.history.add.v1", {"number": number})
    else:
        click.echo(str(number))


@history.command(name="ls")
@click.option("--kind", type=KINDS, help="Only those of this kind.")
@click.option("--repo", type=Text(), help="Only those of this repository.")
@click.option("--before", type=Position(min=0), help="Only those before this number.")
@count_option(50)
@json_option
@archive_option
def list_(
    kind: str | None,
    repo: str | None,
    before: int | None,
    count: int,
    as_json: bool,
    path: Path | None,
) -> None:
    """List entries, the newest first."""
    entries = open_to_read(path).history.entries(
        cast("HistoryKind | None", kind), repo=repo, before=before, count=count
    )
    if as_json:
        answer("vox.history.ls.v1", {"entries": entries})
    elif entries:
        table(
            COLUMNS,
            (
                (
                    str(entry.number),
                    entry.kind,
                    "pinned" if entry.pinned_at is not None else "",
                    _shown(entry.content, entry.bytes),
                    entry.repo,
                    people.moment(entry.at),
                )
                for entry in entries
            ),
        )
        if len(entries) == count:
            note(f"next: --before {entries[-1].number}")
    else:
        remark("no such entries; `vox history add` brings them")


def _shown(content: Any, length: int) -> str:
    if not isinstance(content, str):
        return f"[{people.size(length)}]"
    return content[:500]


@history.command()
@_numbers
@json_option
@archive_option
def pin(numbers: tuple[int, ...], as_json: bool, path: Path | None) -> None:
    """Keep entries however many come."""
    with open_to_change(path) as archive:
        pinned = archive.history.pin(*numbers)
    if as_json:
        answer("vox.history.pin.v1", {"numbers": numbers, "changed": pinned})


@history.command()
@_numbers
@json_option
@archive_option
def unpin(numbers: tuple[int, ...], as_json: bool, path: Path | None) -> None:
    """Let entries go when many others came."""
    with open_to_change(path) as archive:
        unpinned = archive.history.unpin(*numbers)
    if as_json:
        answer("vox.history.unpin.v1", {"numbers": numbers, "changed": unpinned})


@history.command()
@_numbers
@json_option
@archive_option
def rm(numbers: tuple[int, ...], as_json: bool, path: Path | None) -> None:
    """Remove entries, pinned or not. This can't be undone.

    In the window of history their items are trimmed then; `vox archive purge` removes their
    content.
    """
    with open_to_change(path) as archive:
        archive.history.remove(*numbers)
    if as_json:
        answer("vox.history.rm.v1", {"numbers": numbers})
