"""`vox tokens --list` and `--learn`: what is known of models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vox.cli.options import open_to_read
from vox.cli.output import Column, answer, note, remark, table

if TYPE_CHECKING:
    from vox.tokens.kinds import Kind

LEARNED_WINDOWS = 500
"""Windows that `--learn` looks at, the latest first: more than it takes to fill what is kept of a
model. Judgement."""


@dataclass(frozen=True, slots=True)
class _Family:
    family: str
    title: str
    kind: Kind
    """What counts for it are worth without a tokenizer file."""
    status: str
    """Whether the source of that was looked into (`contracts/models.toml`)."""
    models: tuple[str, ...]
    """What their names begin with."""


def show_families(as_json: bool) -> None:
    """Print which models are known, and how well."""
    from vox.tokens.models import families

    rows = [
        _Family(
            family.name,
            family.title,
            "exact" if family.encoding else "assumed",
            family.status,
            family.models,
        )
        for family in families()
    ]
    if as_json:
        answer("vox.tokens.families.v1", {"families": rows})
        return
    columns = [
        Column("family", style="cyan"),
        Column("kind"),
        Column("status"),
        Column("models begin with", flexible=True),
    ]
    table(columns, [[row.family, row.kind, row.status, " ".join(row.models)] for row in rows])
    note("any model is exact by its own file: --model tokenizer.json, --model model.gguf")


def learn(path: Path | None, as_json: bool) -> None:
    """Keep what the latest windows report, and print what it corrects."""
    from vox.archive.reported import observations
    from vox.tokens import TokenEstimator
    from vox.tokens.calibration import Calibration
    from vox.tokens.models import family_of

    archive = open_to_read(path)
    windows = [row["window"] for row in archive.windows(count=LEARNED_WINDOWS).to_pylist()]

    def estimate(model: str, texts: Sequence[bytes]) -> Iterable[int] | None:
        return TokenEstimator(model).ratio(texts) if family_of(model) else None

    calibration = Calibration()
    kept = calibration.observe_all(observations(archive, windows, estimate))
    models = calibration.models()
    if as_json:
        factors = [
            {"model": model, "factor": calibration.factor(model), "says": calibration.says(model)}
            for model in models
        ]
        answer("vox.tokens.learned.v1", {"reports": kept, "models": factors})
        return
    columns = [Column("model"), Column("factor", "right"), Column("says", flexible=True)]
    table(
        columns,
        [[model, f"{calibration.factor(model):.2f}", calibration.says(model)] for model in models],
    )
    if not models:
        remark("no window reports usage that can be compared with its items")
