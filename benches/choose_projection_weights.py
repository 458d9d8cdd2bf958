"""Chooses the weights of projections on the sessions that aren't held out: a walk that keeps each
step which is better.

    python benches/choose_projection_weights.py --data DIR [--steps 150] [--seed 1] [--other-side]

What counts, on average over sessions and budgets, is the mean of two shares of the needed names:
those that are included, on demand or in a shorter form, and those that are included alone, for what
has to be opened costs another turn. What is lost against the newest items until the budget is full
counts again, for every session and budget. The same seed, data and steps give the same weights.
They are printed; whoever takes them over writes them into `vox/context/projection/settings.py` with
the date. What summaries are worth isn't chosen: all that they stand for is in these sessions. With
`--other-side` the sides are swapped, to see how much the choice of sessions matters.
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
from tests.context.projection.quality.methods import Method, newest_until_full, projected
from tests.context.projection.quality.shares import Share
from vox.context.projection import Fate, ProjectionSettings
from vox.sources.base import ItemKind

CUTS = 8
"""Of each session for each budget."""

SPREAD = 0.25
"""Of a step, in powers of ten."""

AT_ONCE = 3
"""Weights that one step changes."""

WALK: Mapping[str, tuple[float, float, float]] = {
    "recency_tokens": (2_000.0, 200.0, 64_000.0),
    "recency_exponent": (1.5, 0.5, 4.0),
    "floor": (0.0005, 1e-6, 0.2),
    "mentions": (0.5, 1e-3, 10.0),
    "used_again": (0.12, 1e-3, 3.0),
    "size_exponent": (0.9, 0.3, 1.0),
    "touched_factor": (3.0, 1.0, 6.0),
    "on_demand": (0.3, 0.01, 0.8),
    "summarized_more": (0.03, 0.02, 0.5),
    "tool_call": (1.0, 0.1, 1.5),
    "tool_result": (0.6, 0.1, 1.5),
}
"""What is chosen: where it begins, and between which values it stays. `summarized_more` is what a
shorter form keeps of an item more than a handle, for it ends with one. Weights of kinds are those
beside a message's, which is 1."""

_KINDS = {
    "tool_call": ItemKind.TOOL_CALL,
    "tool_result": ItemKind.TOOL_RESULT,
}
_ELSEWHERE = {"on_demand", "summarized_more", *_KINDS}

Weights = dict[str, float]
Cases = list[tuple[Material, Cut, int]]
Shares = dict[tuple[str, int], Share]


def settings_with(weights: Weights) -> ProjectionSettings:
    """The settings with these weights in place of theirs."""
    now = ProjectionSettings()
    on_demand = weights["on_demand"]
    summarized = min(1.0, on_demand + weights["summarized_more"])
    fates = {**now.fidelity, Fate.ON_DEMAND: on_demand, Fate.SUMMARIZED: summarized}
    kinds = {kind: weights[name] for name, kind in _KINDS.items()}
    return replace(
        now,
        fidelity=fates,
        kind_fidelity={},
        kind_weights={**now.kind_weights, **kinds},
        **{name: weights[name] for name in WALK if name not in _ELSEWHERE},
    )


def stepped(weights: Weights, rng: random.Random) -> Weights:
    """The same with some of them changed a little."""
    changed = dict(weights)
    for name in rng.sample(sorted(WALK), AT_ONCE):
        _, least, most = WALK[name]
        changed[name] = min(max(weights[name] * 10 ** rng.gauss(0, SPREAD), least), most)
    return changed


def shares_of(method: Method, cases: Cases) -> Shares:
    """What a method keeps, by session and budget."""
    shares: Shares = defaultdict(Share)
    for material, cut, budget in cases:
        shares[cut.session.key, budget].add(cut, method(material, cut, budget))
    return shares


def score(weights: Weights, cases: Cases, least: Shares) -> float:
    """How well a projection with these weights keeps what is needed."""
    shares = shares_of(projected(settings_with(weights)), cases)
    return fmean(
        (share.seen + share.in_full) / 2
        - max(0.0, least[case].at_hand - share.at_hand)
        - max(0.0, least[case].in_full - share.in_full)
        for case, share in shares.items()
    )


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
        best = {name: begin for name, (begin, _, _) in WALK.items()}
        least = shares_of(newest_until_full, cases)
        reached = score(best, cases, least)
        print(f"{len(cases)} cases; where the walk begins: {reached:.4f}", flush=True)
        for step in range(options.steps):
            tried = stepped(best, rng)
            now = score(tried, cases, least)
            if now > reached:
                best, reached = tried, now
                shown = " ".join(f"{name}={value:.3g}" for name, value in best.items())
                print(f"step {step}: {reached:.4f}  {shown}", flush=True)


if __name__ == "__main__":
    main()
