"""`vox doctor`: what vox finds on this machine, and what stands in its way."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import click

import vox
from vox.cli import people
from vox.cli.options import archive_option, json_option
from vox.cli.output import Column, answer, table
from vox.config import Settings, load_settings
from vox.errors import NotFoundError, VoxError

State: TypeAlias = Literal["ok", "note", "bad"]
STYLES: dict[State, str] = {"ok": "green", "note": "yellow", "bad": "bold red"}

LOW_SPACE = 1 << 30


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    state: State
    what: str
    says: str
    """What was found, and what to do about it."""


@click.command()
@json_option
@archive_option
@click.pass_context
def doctor(ctx: click.Context, as_json: bool, path: Path | None) -> None:
    """Look at vox, the archive, the disk and the tools' folders.

    Changes nothing. Exits with the status of the first thing that is bad.
    """
    settings = load_settings()
    archive = path or settings.archive
    findings: list[Finding] = [_version(), _home(settings)]
    error = _try(findings, "archive", lambda: _archive(archive))
    if error is None:
        findings.extend(_readers(archive))
    findings.append(_space(archive))
    findings.extend(_sources())
    if as_json:
        answer("vox.doctor.v1", {"findings": [asdict(finding) for finding in findings]})
    else:
        columns = (Column(""), Column("what"), Column("found", flexible=True, wraps=True))
        table(columns, (((f.state, STYLES[f.state]), f.what, f.says) for f in findings))
    if error:
        ctx.exit(error.exit_status)


def _try(findings: list[Finding], what: str, look: Callable[[], Finding]) -> VoxError | None:
    try:
        findings.append(look())
    except VoxError as error:
        findings.append(Finding("bad", what, f"{error} ({error.code})"))
        return error
    return None


def _version() -> Finding:
    import platform

    python = platform.python_version()
    return Finding("ok", "vox", f"{vox.__version__}, Python {python}, {platform.platform()}")


def _home(settings: Settings) -> Finding:
    return Finding("ok", "home", f"{settings.home}; VOX_HOME moves it")


def _archive(path: Path) -> Finding:
    try:
        archive = vox.open(path, read_only=True, create=False)
    except NotFoundError:
        return Finding("note", "archive", f"{path} doesn't exist yet; `vox import` makes it")
    numbers = archive.stats()
    counts = (
        f"{path}: {people.number(numbers['windows'], 'window')}, "
        f"{people.number(numbers['items'], 'item')}"
    )
    return Finding(
        "note" if archive.warnings else "ok", "archive", "; ".join([counts, *archive.warnings])
    )


def _readers(path: Path) -> Iterator[Finding]:
    """Other processes that read it: what they keep from being used again lets the file grow."""
    try:
        readers = vox.open(path, read_only=True, create=False).readers()
    except NotFoundError:
        return
    for reader in readers:
        age = people.number(reader.behind, "transaction")
        yield Finding(
            "note" if reader.behind else "ok",
            "reader",
            f"process {reader.process} reads a state that is {age} old",
        )


def _space(path: Path) -> Finding:
    import shutil

    # Path.exists would raise where it may not look.
    places = (path, *path.absolute().parents)
    place = next(place for place in places if os.path.exists(place))  # noqa: PTH110
    free = shutil.disk_usage(place).free
    state: State = "ok" if free >= LOW_SPACE else "note"
    return Finding(state, "disk", f"{people.size(free)} free at {place}")


def _sources() -> Iterator[Finding]:
    from vox.sources import SOURCES

    for source in SOURCES:
        roots = [root for root in source.roots() if os.path.isdir(root)]  # noqa: PTH112
        if not roots:
            looked = ", ".join(map(str, source.roots()))
            yield Finding("note", source.title, f"not found; looked in {looked}")
        for root in roots:
            files = list(source.discover(root))
            size = sum(map(_size, files))
            says = f"{people.number(len(files), 'transcript')}, {people.size(size)}, in {root}"
            days = source.kept_days(root)
            if days is None:
                yield Finding("ok", source.title, says)
            else:
                after = people.number(days, "day")
                advice = f"deleted by the tool after {after}: run `vox import` before that"
                yield Finding("note", source.title, f"{says}; {advice}")


def _size(file: Path) -> int:
    """In bytes; 0 if it can't be told, as of a link to nowhere. `vox import` says why."""
    try:
        return file.stat().st_size
    except OSError:
        return 0
