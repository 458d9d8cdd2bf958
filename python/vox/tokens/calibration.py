"""Estimates corrected by what providers report.

A ratio is measured on other people's texts. What a provider reported for a user's own texts says
how far off it is for them, and for a model that came later. Kept per model, in a small file.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec

from vox.config import load_settings
from vox.tokens.kinds import Kind
from vox.whole_files import whole_file, write_whole

RECENT = 64
"""Observations kept for a model: enough for a quantile, few enough that a provider's change of
tokenizer shows within a day's work. Judgement."""
MODELS = 256
"""Models kept; the one observed longest ago goes. Judgement."""
ENOUGH = 8
"""Fewer observations correct nothing: a quantile of less is an extreme. Judgement."""
SMALLEST = 1_000
"""Estimated tokens below which an observation says more of frames, and of what a tool adds
unseen, than of texts. Measured on 700 steps of real transcripts of Claude Code: from 200 to 1,000
the ninth decile of the ratios comes down from 3.2 to 1.7 where it is widest."""
QUANTILE = 0.9
"""Of the kept ratios. A median would leave half of all estimates too low, the largest would
follow a single outlier. Judgement."""
LEAST, MOST = 0.7, 2.0
"""Limits of a factor. Tokenizers of one family differ by less (two of Anthropic's by 1.3, measured:
`contracts/counting.md`); what lies outside comes from texts that the window doesn't hold.
Judgement."""
PLAUSIBLE = (0.2, 5.0)
"""A ratio outside of this compares different things, and is not kept. Judgement."""

_Ratio = Annotated[float, msgspec.Meta(ge=PLAUSIBLE[0], le=PLAUSIBLE[1])]


@dataclass(frozen=True, slots=True)
class Observation:
    """What was estimated for some texts, uncorrected, and what the provider reported for them.

    Reported input counts what was read from and written to the provider's cache.
    """

    model: str
    estimated: int
    reported: int
    at: int
    """When, in UTC milliseconds. One that is observed again, with the same numbers at the same
    time, is kept once."""


_Report: TypeAlias = tuple[int, _Ratio]
"""When, and reported over estimated."""


class _File(msgspec.Struct):
    format: Literal["vox.calibration.v1"]
    models: Annotated[
        dict[str, Annotated[list[_Report], msgspec.Meta(min_length=1, max_length=RECENT)]],
        msgspec.Meta(max_length=MODELS),
    ]
    """The reports of each, the latest last."""


class Calibration:
    """Factors by model, from observations that are kept in a file.

    The file is read again for each change and replaced in one step, so that processes may share
    it: at worst the observations of one are lost to another's at the same moment. One that can't
    be understood counts as empty, and the next observation replaces it.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = load_settings().home / "calibration.json" if path is None else path
        """Where observations are kept: by default `calibration.json` in `VOX_HOME`."""

    def observe(self, model: str, estimated: int, reported: int) -> None:
        """Keep what was reported just now; see `observe_all`."""
        self.observe_all([Observation(model, estimated, reported, time.time_ns() // 1_000_000)])

    def observe_all(self, observations: Iterable[Observation]) -> int:
        """Keep observations, of each model the `RECENT` latest, and say how many were of use:
        estimates of fewer than `SMALLEST` tokens, and ratios that aren't `PLAUSIBLE`, aren't."""
        useful = [
            (seen.model, (seen.at, round(seen.reported / seen.estimated, 4)))
            for seen in observations
            if seen.estimated >= SMALLEST
            and PLAUSIBLE[0] <= seen.reported / seen.estimated <= PLAUSIBLE[1]
        ]
        if useful:
            kept = self._read()
            for model, report in useful:
                kept[model] = sorted({*kept.get(model, ()), report})[-RECENT:]
            latest = sorted(kept.items(), key=lambda item: item[1][-1])[-MODELS:]
            self._write(dict(latest))
        return len(useful)

    def factor(self, model: str) -> float:
        """What an estimate for `model` is multiplied with; 1 until enough was observed."""
        ratios = sorted(ratio for _, ratio in self._read().get(model, ()))
        if len(ratios) < ENOUGH:
            return 1.0
        # The smallest of the kept ratios that no less than that share doesn't exceed.
        quantile = ratios[ceil(QUANTILE * len(ratios)) - 1]
        return min(MOST, max(LEAST, quantile))

    def corrected(self, tokens: int, kind: Kind, model: str) -> int:
        """`tokens` as far as observations may correct a count of that kind.

        An exact count and a bound stay as they are. A ratio follows the factor. What is assumed
        only grows: reports above it show that the assumption doesn't hold, while reports below
        don't make a cap of any other text safe.
        """
        if kind in ("exact", "bound"):
            return tokens
        factor = self.factor(model)
        return ceil(tokens * (max(1.0, factor) if kind == "assumed" else factor))

    def says(self, model: str) -> str:
        """Where the factor comes from, in words."""
        seen = len(self._read().get(model, ()))
        if seen < ENOUGH:
            return f"uncorrected: {seen} of {ENOUGH} reports of {model} that it takes"
        return f"times {self.factor(model):.2f}, from {seen} reports of {model}"

    def models(self) -> list[str]:
        """Models of which something was observed, the latest last."""
        return list(self._read())

    def _read(self) -> dict[str, list[_Report]]:
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=_File).models
        except (FileNotFoundError, msgspec.DecodeError):
            return {}

    def _write(self, models: dict[str, list[_Report]]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(self.path, private=True) as file:
            write_whole(file, msgspec.json.encode(_File("vox.calibration.v1", models)))
