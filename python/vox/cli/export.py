"""`vox export`: what is in the archive, for use without vox."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from vox.cli import people
from vox.cli.options import archive_option, json_option, open_to_read
from vox.cli.output import answer, remark
from vox.errors import InvalidArgumentError


@click.command()
@click.option("--jsonl", "lines", is_flag=True, help="All of the archive, as lines of JSON.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    default=Path("-"),
    metavar="FILE",
    help="Where to write; - is standard output.  [default: -]",
)
@json_option
@archive_option
def export(lines: bool, output: Path, as_json: bool, path: Path | None) -> None:
    """Write out what is in the archive.

    With --jsonl all of it, one JSON object a line, from which `vox import --jsonl` makes an equal
    archive. It is the archive of one moment, whatever is written meanwhile. With --json a FILE must
    be named, and the answer says how much was written.
    """
    if not lines:
        raise InvalidArgumentError("say what to export: --jsonl")
    to_stdout = str(output) == "-"
    if to_stdout and as_json:
        raise InvalidArgumentError("--json needs a file to write to: -o FILE")
    exported = open_to_read(path).export_jsonl(sys.stdout.buffer if to_stdout else output)
    if as_json:
        answer("vox.exported.v1", exported)
    elif not to_stdout:
        remark(f"{people.number(exported.lines, 'line')}, {people.size(exported.bytes)} written")
