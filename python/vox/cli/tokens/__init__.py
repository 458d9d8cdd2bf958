"""`vox tokens`: how many tokens texts have for a model, and what that number is worth."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vox.cli.options import archive_option, json_option, open_to_read, warn_of
from vox.cli.output import Cell, Column, answer, note, table
from vox.cli.tokens.models import learn as learn_from
from vox.cli.tokens.models import show_families
from vox.cli.tokens.rows import Row, add, total_of
from vox.cli.tokens.sources import Sources
from vox.errors import InvalidArgumentError, PermissionDeniedError, ReadOnlyError

if TYPE_CHECKING:
    from vox.archive import Archive
    from vox.tokens import TokenEstimator
    from vox.tokens.calibration import Calibration


@click.command()
@click.argument("sources", nargs=-1, metavar="[FILE|-|WINDOW]...")
@click.option(
    "-m",
    "--model",
    "models",
    multiple=True,
    metavar="MODEL",
    help="A model's name, a tokenizer.json, a .gguf, or a folder with one. Several stand side by "
    "side.",
)
@click.option("--list", "listing", is_flag=True, help="Say which models are known, and how well.")
@click.option(
    "--learn",
    is_flag=True,
    help="Correct estimates by the usage that the latest windows of the archive report.",
)
@json_option
@archive_option
def tokens(
    sources: Sequence[str],
    models: Sequence[str],
    listing: bool,
    learn: bool,
    as_json: bool,
    path: Path | None,
) -> None:
    """Count the tokens of files, of standard input, or of a window's items.

    Each file or item is counted by itself. An argument that is a path of this machine is a file
    (./NAME always is), any other names a window as `vox ls` prints it. Of a window, rows are roles
    and kinds; of all else, what the text mostly is.

    exact is what the model's own tokenizer gives. bound is never below it; assumed is that only if
    what is assumed of a secret tokenizer holds. ratio is an estimate by measured ratios, corrected
    by what --learn found.
    """
    if listing or learn:
        if sources or models or (listing and learn):
            raise InvalidArgumentError("--list and --learn stand alone")
        show_families(as_json) if listing else learn_from(path, as_json)
        return
    if not models:
        raise InvalidArgumentError("name a model with --model; vox tokens --list shows some")
    if not sources:
        if sys.stdin and sys.stdin.isatty():
            raise InvalidArgumentError("name files or a window, or pipe a text in")
        sources = ["-"]
    _count(sources, list(dict.fromkeys(models)), path, as_json)


def _count(sources: Sequence[str], models: Sequence[str], path: Path | None, as_json: bool) -> None:
    from vox.tokens import TokenEstimator
    from vox.tokens.calibration import Calibration

    estimators = [TokenEstimator(model) for model in models]
    found = Sources(sources, cache(lambda: _open(path)))
    rows: dict[str, Row] = {}
    for batch, archive in found.batches():
        add(rows, batch, archive, estimators)
    calibration = Calibration()
    for row in rows.values():
        for sums, model in zip(row.tokens, models, strict=True):
            if sums.ratio is not None:
                sums.ratio = calibration.corrected(sums.ratio, "ratio", model)
    ordered = sorted(rows.values(), key=lambda row: -row.bytes)
    total = total_of(ordered, len(models))
    if as_json:
        answer("vox.tokens.v1", _answer(ordered, total, models, estimators, calibration))
    else:
        _show([*ordered, total] if len(ordered) != 1 else ordered, models, estimators, calibration)


def _open(path: Path | None) -> Archive:
    """The archive, so that counts can be kept beside it if anything can be written there."""
    import vox

    try:
        archive = vox.open(path, create=False)
    except (ReadOnlyError, PermissionDeniedError):
        return open_to_read(path)
    warn_of(archive)
    return archive


def _show(
    rows: Sequence[Row],
    models: Sequence[str],
    estimators: Sequence[TokenEstimator],
    calibration: Calibration,
) -> None:
    # Without a tokenizer a bound is only assumed; where models differ in that, each row says it.
    bounds = [_bound(estimator) for estimator in estimators]
    columns = [
        Column("what"),
        Column("items", "right"),
        Column("bytes", "right"),
        *([Column("model", style="cyan", flexible=True)] if len(models) > 1 else []),
        Column("exact", "right", style="bold"),
        Column(" or ".join(dict.fromkeys(bounds)), "right"),
        Column("ratio", "right"),
    ]
    table(columns, [cells for row in rows for cells in _cells(row, models)])
    for model, estimator in zip(models, estimators, strict=True):
        note(f"{model}: {estimator.says}; ratio {calibration.says(model)}")


def _bound(estimator: TokenEstimator) -> str:
    return "assumed" if estimator.kind_of("cap") == "assumed" else "bound"


def _cells(row: Row, models: Sequence[str]) -> Iterator[list[Cell]]:
    """A line for each model."""
    for model, sums in zip(models, row.tokens, strict=True):
        numbers = (sums.exact, sums.bound, sums.ratio)
        yield [
            *(row.what, str(row.items), str(row.bytes)),
            *([model] if len(models) > 1 else []),
            *("-" if number is None else str(number) for number in numbers),
        ]


def _answer(
    rows: Sequence[Row],
    total: Row,
    models: Sequence[str],
    estimators: Sequence[TokenEstimator],
    calibration: Calibration,
) -> dict[str, object]:
    return {
        "models": [
            {
                "model": model,
                "kind": estimator.kind,
                "bound": _bound(estimator),
                "says": estimator.says,
                "ratio": calibration.says(model),
            }
            for model, estimator in zip(models, estimators, strict=True)
        ],
        "rows": rows,
        "total": total,
    }
