"""`vox chat`: conversations, from a shell or a hook."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from vox.cli import people
from vox.cli.items import ROLES
from vox.cli.options import (
    Text,
    archive_option,
    count_option,
    json_option,
    open_to_change,
    open_to_read,
    start_option,
)
from vox.cli.output import Column, answer, remark, table

COLUMNS = (
    Column("conversation", style="cyan", flexible=True),
    Column("title", flexible=True),
    Column("messages", align="right"),
    Column("updated", style="dim"),
)


@click.group()
def chat() -> None:
    """Conversations that are kept in the archive itself.

    `vox show vox-chat:ID` shows what was said.
    """


@chat.command()
@click.option("--id", "conversation", type=Text(), help="Its id.  [default: a new UUID]")
@click.option("--title", type=Text(), help="What it is called in lists.")
@click.option("--repo", type=Text(), help="The repository it belongs to.")
@click.option("--model", type=Text(), help="The model it talks to.")
@json_option
@archive_option
def new(
    conversation: str | None,
    title: str | None,
    repo: str | None,
    model: str | None,
    as_json: bool,
    path: Path | None,
) -> None:
    """Begin a conversation and print its id."""
    with open_to_change(path, create=True) as archive:
        made = archive.chat.create(id=conversation, title=title, repo=repo, model_route=model)
    if as_json:
        answer("vox.chat.new.v1", {"conversation": made})
    else:
        click.echo(made)


@chat.command()
@click.argument("conversation", type=Text())
@click.argument("text", required=False, type=Text())
@click.option(
    "--role",
    type=click.Choice(ROLES),
    default="user",
    show_default=True,
    help="Who says it.",
)
@click.option("--name", type=Text(), help="The model of an answer.")
@json_option
@archive_option
def say(
    conversation: str,
    text: str | None,
    role: str,
    name: str | None,
    as_json: bool,
    path: Path | None,
) -> None:
    """Append a message: TEXT, or what comes from standard input."""
    import msgspec

    from vox.archive.chat import Message

    fields = {"role": role, "content": text_or_input(text), "name": name}
    with open_to_change(path) as archive:
        number = archive.chat.append(conversation, msgspec.convert(fields, Message))
    if as_json:
        answer("vox.chat.say.v1", {"conversation": conversation, "sequence": number})


def text_or_input(text: str | None) -> str:
    """`text`, or what standard input holds, which must be UTF-8."""
    if text is not None:
        return text
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise click.UsageError(f"standard input is not UTF-8: {error}") from error


@chat.command(name="ls")
@click.option("--deleted", is_flag=True, help="Those that are deleted.")
@start_option
@count_option(50)
@json_option
@archive_option
def list_(deleted: bool, start: int, count: int, as_json: bool, path: Path | None) -> None:
    """List conversations, the latest changed first."""
    found = open_to_read(path).chat.conversations(start, count, deleted=deleted)
    if as_json:
        answer("vox.chat.ls.v1", {"start": start, "conversations": found})
    elif found:
        cells = (
            (c.id, c.title or "", people.number(c.messages), people.moment(c.updated_at))
            for c in found
        )
        table(COLUMNS, cells)
    else:
        remark("no such conversations; `vox chat new` begins one")


@chat.command()
@click.argument("conversation", type=Text())
@click.argument("title", type=Text())
@json_option
@archive_option
def rename(conversation: str, title: str, as_json: bool, path: Path | None) -> None:
    """Give a conversation another title."""
    with open_to_change(path) as archive:
        archive.chat.rename(conversation, title)
    if as_json:
        answer("vox.chat.rename.v1", {"conversation": conversation, "title": title})


@chat.command()
@click.argument("conversation", type=Text())
@json_option
@archive_option
def delete(conversation: str, as_json: bool, path: Path | None) -> None:
    """Hide a conversation from lists.

    Nothing of it goes; `vox chat undelete` brings it back.
    """
    with open_to_change(path) as archive:
        archive.chat.delete(conversation)
    if as_json:
        answer("vox.chat.delete.v1", {"conversation": conversation})


@chat.command()
@click.argument("conversation", type=Text())
@json_option
@archive_option
def undelete(conversation: str, as_json: bool, path: Path | None) -> None:
    """Bring a deleted conversation back."""
    with open_to_change(path) as archive:
        archive.chat.undelete(conversation)
    if as_json:
        answer("vox.chat.undelete.v1", {"conversation": conversation})
