"""`vox session`: sessions of agents, from a shell or a hook."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import click

from vox.cli import people
from vox.cli.options import (
    Text,
    archive_option,
    count_option,
    json_option,
    jsonl_option,
    open_to_change,
    open_to_read,
    start_option,
)
from vox.cli.output import Column, answer, remark, rows_as_lines, table
from vox.cli.plain import one_line
from vox.errors import PartialError

COLUMNS = (
    Column("session", style="cyan", flexible=True),
    Column("events", align="right"),
    Column("items", align="right"),
)


@click.group()
def session() -> None:
    """Sessions of agents: append what happens in them, and read it.

    `vox show vox-session:ID` shows what a session's window holds.
    """


@session.command()
@click.argument("file", type=click.File("rb"), default="-")
@json_option
@archive_option
def append(file: BinaryIO, as_json: bool, path: Path | None) -> None:
    """Append events from FILE or standard input.

    One JSON object a line:

    \b
    {"session": "s1", "event": "created", "kind": "task", "agent": "builder"}
    {"session": "s1", "event": "turn_added", "role": "user", "items": [{"content": "hi"}]}

    Kinds of events: created, turn_added, state_changed, meta_updated, reset, compacted,
    expensive_op_recorded, plugin_state_updated. "at" is a time in UTC milliseconds, now if it is
    absent; with a "sequence" (0, 1, …) the same line can be sent again and changes nothing.
    Content is a text, or {"data": base64}, or {"hash": 64 digits} of content that is there.

    Lines that are wrong are named with their place, the others are taken; then the exit status is
    26.
    """
    with open_to_change(path, create=True) as archive:
        report = archive.sessions.append_lines(file)
    if as_json:
        problems = [problem._asdict() for problem in report.problems]
        fields = {"appended": report.appended, "known": report.known, "problems": problems}
        answer("vox.session.append.v1", fields)
    else:
        for problem in report.problems:
            click.echo(one_line(f"line {problem.line}: {problem.message}"), err=True)
        known = f", {people.number(report.known)} known before" if report.known else ""
        click.echo(f"{people.number(report.appended)} appended{known}")
    if report.problems:
        click.get_current_context().exit(PartialError.exit_status)


@session.command(name="ls")
@json_option
@jsonl_option
@archive_option
def list_(as_json: bool, as_lines: bool, path: Path | None) -> None:
    """List sessions, by id."""
    sessions = open_to_read(path).sessions.list()
    rows = [{**each._asdict(), "window": each.window} for each in sessions]
    if as_json:
        answer("vox.session.ls.v1", {"sessions": rows})
    elif as_lines:
        rows_as_lines(rows)
    elif sessions:
        cells = ((e.id, people.number(e.events), people.number(e.items)) for e in sessions)
        table(COLUMNS, cells)
    else:
        remark("no sessions yet; `vox session append --help` says how they come")


@session.command()
@click.argument("session_id", metavar="ID", type=Text())
@start_option
@count_option(100)
@archive_option
def events(session_id: str, start: int, count: int, path: Path | None) -> None:
    """Print events of a session as lines of JSON.

    `vox session append` takes such lines.
    """
    import msgspec

    archive = open_to_read(path)
    rows_as_lines(
        msgspec.to_builtins(event) for event in archive.sessions.events(session_id, start, count)
    )
