"""`vox cat`: the bytes of one item."""

from __future__ import annotations

import codecs
import sys
from pathlib import Path

import click

from vox.cli.items import find_item
from vox.cli.options import Text, archive_option, open_to_read
from vox.cli.plain import lines
from vox.errors import InvalidArgumentError, NotFoundError

PIECE = 1 << 16


@click.command()
@click.argument("item", type=Text())
@click.option("--extra", is_flag=True, help="The rest of its source record instead.")
@click.option("--pretty", is_flag=True, help="JSON indented; what isn't JSON as it is.")
@archive_option
def cat(item: str, extra: bool, pretty: bool, path: Path | None) -> None:
    """Write an item to standard output, byte for byte.

    ITEM is an id as `vox show` prints it, such as 12.345, or a place in a window, such as
    3f2a@17. In a terminal, control characters are shown as signs, and what isn't text is not
    shown.
    """
    archive = open_to_read(path)
    found = find_item(archive, item)
    if extra:
        buffer = archive.extra(found)
        if buffer is None:
            raise NotFoundError(f"item {item} is its whole source record; there is no rest of it")
    else:
        buffer = archive.read(found)
    if pretty:
        buffer = _indented(buffer)
    with memoryview(buffer) as data:
        if sys.stdout.isatty():
            _write_text(data, item)
        else:
            _write_bytes(data)


def _indented(data: bytes) -> bytes:
    import msgspec

    try:
        msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):
        return data
    # Reformatted as text, so that numbers and the order of names stay as they are.
    return msgspec.json.format(data, indent=2) + b"\n"


def _write_bytes(data: memoryview) -> None:
    output = sys.stdout.buffer
    for start in range(0, len(data), PIECE):
        output.write(data[start : start + PIECE])
    output.flush()


def _write_text(data: memoryview, item: str) -> None:
    if 0 in data[:PIECE].tobytes():
        raise InvalidArgumentError(f"item {item} isn't text; send it to a file: vox cat {item} > …")
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    newline = False
    for start in range(0, len(data), PIECE):
        piece = data[start : start + PIECE]
        text = lines(decoder.decode(piece, final=start + PIECE >= len(data)))
        newline = text.endswith("\n")
        click.echo(text, nl=False)
    if not newline:
        click.echo()
