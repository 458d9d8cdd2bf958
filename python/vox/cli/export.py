"""`vox export`: what is in the archive, for use without vox."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vox.cli import people
from vox.cli.options import Text, archive_option, json_option, open_to_read
from vox.cli.output import answer, remark
from vox.errors import InvalidArgumentError, PartialError

if TYPE_CHECKING:
    from vox.archive import Archive
    from vox.archive.raw import RawExport


@click.command()
@click.option("--jsonl", "lines", is_flag=True, help="All of the archive, as lines of JSON.")
@click.option(
    "--raw",
    "source",
    type=Text(),
    metavar="WINDOW|FILE",
    help="Source files as they were read, byte for byte.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(allow_dash=True, path_type=Path),
    default=Path("-"),
    metavar="FILE",
    help="Where to write; - is standard output. With --raw also a folder.  [default: -]",
)
@click.option(
    "--reading",
    type=click.IntRange(min=0),
    metavar="N",
    help="With --raw: the file as it was before it was rewritten, counted from 0.",
)
@click.option(
    "--mask/--reveal",
    default=False,
    help="With --jsonl: without secrets, or all as it is.  [default: --reveal]",
)
@json_option
@archive_option
@click.pass_context
def export(
    ctx: click.Context,
    lines: bool,
    source: str | None,
    output: Path,
    reading: int | None,
    mask: bool,
    as_json: bool,
    path: Path | None,
) -> None:
    """Write out what is in the archive.

    With --jsonl all of it, one JSON object a line, from which `vox import --jsonl` makes an equal
    archive. It is the archive of one moment, whatever is written meanwhile.

    What looks like a secret is in it as it is; with --mask it isn't, nor in titles and rests of
    records, but no archive can be made of that.

    With --raw a source file comes back as it was, also when it is gone: name it by its path, by
    the end of its path, or by a window that was read from it. Bytes that were purged are spaces;
    each such hole is named on standard error.

    With --json a FILE must be named, and the answer says how much was written.
    """
    if lines == (source is not None):
        raise InvalidArgumentError("say what to export: --jsonl, or --raw with a window or a file")
    if mask and not lines:
        raise InvalidArgumentError("--mask goes with --jsonl; source files come as they were")
    to = None if str(output) == "-" else output
    if to is None and as_json:
        raise InvalidArgumentError("--json needs a file to write to: -o FILE")
    archive = open_to_read(path)
    if source is None:
        _as_lines(archive, to, mask=mask, as_json=as_json)
    else:
        done = [
            _as_read(archive, one, place, reading) for one, place in _places(archive, source, to)
        ]
        if as_json:
            answer("vox.export.raw.v1", {"files": done})
        if not all(file.is_whole for file in done):
            ctx.exit(PartialError.exit_status)


def _as_lines(archive: Archive, to: Path | None, *, mask: bool, as_json: bool) -> None:
    exported = archive.export_jsonl(sys.stdout.buffer if to is None else to, mask=mask)
    if as_json:
        answer("vox.export.jsonl.v1", exported)
    elif to is not None:
        remark(f"{people.number(exported.lines, 'line')}, {people.size(exported.bytes)} written")


def _places(archive: Archive, source: str, to: Path | None) -> list[tuple[Path, Path | None]]:
    """The files that `source` names, and where each is written."""
    sources = archive.raw_sources(source)
    if to is not None and to.is_dir():
        return [(one, to / one.name) for one in sources]
    if len(sources) > 1:
        listed = ", ".join(str(one) for one in sources)
        raise InvalidArgumentError(
            f"{source} was read from several files; name a folder with -o, or one of: {listed}"
        )
    if to is None and sys.stdout.isatty():
        raise InvalidArgumentError("source bytes don't go to a terminal; name a file with -o")
    return [(sources[0], to)]


def _as_read(archive: Archive, source: Path, to: Path | None, reading: int | None) -> RawExport:
    file = archive.export_raw(source, sys.stdout.buffer if to is None else to, reading=reading)
    for hole in file.holes:
        what = "purged" if hole.reason == "purged" else "never kept"
        remark(f"{file.path}: {hole.length} bytes from byte {hole.offset} on were {what}")
    if not file.whole:
        remark(f"{file.path}: it was not read to its end; `vox import` goes on")
    elif file.unread:
        remark(f"{file.path}: it has {people.size(file.unread)} more that weren't read yet")
    return file
