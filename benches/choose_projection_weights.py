"""Chooses the weights of projections on the sessions that aren't held out: a walk from what
`ProjectionSettings` says now, that keeps each step which is better.

    python benches/choose_projection_weights.py --data DIR [--steps 150] [--seed 1] [--other-side]

What counts is, on average over sessions and budgets, the share of needed names at hand, and, with
the same weight, of those included in full: what is on demand costs another turn. The same seed,
data and steps give the same weights. They are printed; whoever takes them over writes them into
`vox/context/projection/settings.py` with the date. With `--other-side` the sides are swapped, to
see how much of the result is the choice of sessions.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import vox
from bench_projection_quality import cuts_of_side
from harness import work_folder
from tests.context.projection.quality import sessions
from tests.context.projection.quality.cuts import Cut
from tests.context.projection.quality.material import Material
from tests.context.projection.quality.methods import projected
from tests.context.projection.quality.shares import Share
from vox.context.projection import Fate, ProjectionSettings
from vox.sources.base import ItemKind

CUTS = 8
"""Of each session for each budget."""

SPREAD = 0.25
"""Of a step, in powers of ten."""

AT_ONCE = 3
"""Weights that one step changes."""

BOUNDS: Mapping[str, tuple[float, float]] = {
    "recency_tokens": (200.0, 64_000.0),
    "recency_exponent": (0.5, 4.0),
    "floor": (1e-4, 0.2),
    "mentions": (1e-3, 3.0),
    "used_again": (1e-3, 3.0),
    "size_exponent": (0.3, 1.0),
    "summarized": (0.01, 0.8),
    "on_demand": (0.01, 0.8),
    "tool_call": (0.1, 3.0),
    "tool_result": (0.1, 3.0),
}
"""What is chosen, and between which values."""

_FATES = {"summarized": Fate.SUMMARIZED, "on_demand": Fate.ON_DEMAND}
_KINDS = {"tool_call": ItemKind.TOOL_CALL, "tool_result": ItemKind.TOOL_RESULT}

Weights = dict[str, float]
Cases = list[tuple[Material, Cut, int]]


def weights_of(settings: ProjectionSettings) -> Weights:
    """Where the walk begins."""
    found = {}
    for name, (least, most) in BOUNDS.items():
        if name in _FATES:
            value = settings.fidelity[_FATES[name]]
        elif name in _KINDS:
            value = settings.kind_weights[_KINDS[name]]
        else:
            value = getattr(settings, name)
        found[name] = min(max(value, least), most)
    return found


def settings_with(weights: Weights) -> ProjectionSettings:
    """The settings with these weights in place of theirs."""
    now = ProjectionSettings()
    fidelity = {**now.fidelity, **{fate: weights[name] for name, fate in _FATES.items()}}
    kinds = {**now.kind_weights, **{kind: weights[name] for name, kind in _KINDS.items()}}
    rest = {name: weights[name] for name in BOUNDS if name not in _FATES and name not in _KINDS}
    return replace(now, fidelity=fidelity, kind_fidelity={}, kind_weights=kinds, **rest)


def stepped(weights: Weights, rng: random.Random) -> Weights:
    """The same with some of them changed a little."""
    changed = dict(weights)
    for name in rng.sample(sorted(BOUNDS), AT_ONCE):
        least, most = BOUNDS[name]
        changed[name] = min(max(weights[name] * 10 ** rng.gauss(0, SPREAD), least), most)
    return changed


def score(weights: Weights, cases: Cases) -> float:
    """How well a projection with these weights keeps what is needed."""
    method = projected(settings_with(weights))
    shares: dict[tuple[str, int], Share] = defaultdict(Share)
    for material, cut, budget in cases:
        shares[cut.session.key, budget].add(cut, method(material, cut, budget))
    return fmean((share.at_hand + share.in_full) / 2 for share in shares.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--other-side", action="store_true")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory(dir=work_folder()) as folder:
        archive = vox.open(Path(folder) / "archive")
        data = options.data or sessions.unpack(Path(folder) / "kept")
        by_budget = cuts_of_side(archive, data, options.other_side, CUTS)
        cases = [
            (Material.of(archive, cut), cut, budget)
            for budget, found in by_budget.items()
            for cut in found
        ]
        best = weights_of(ProjectionSettings())
        reached = score(best, cases)
        print(f"{len(cases)} cases; the weights as they are: {reached:.4f}", flush=True)
        for step in range(options.steps):
            tried = stepped(best, rng)
            now = score(tried, cases)
            if now > reached:
                best, reached = tried, now
                shown = " ".join(f"{name}={value:.3g}" for name, value in best.items())
                print(f"step {step}: {reached:.4f}  {shown}", flush=True)


if __name__ == "__main__":
    main()
