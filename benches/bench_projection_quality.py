"""Quality of projections, not speed: of the names that the next turns of real sessions use, the
share whose source the projection kept.

    python benches/bench_projection_quality.py [--data DIR] [--side train]

Sessions are cut at many places. What stands before a cut is fitted into budgets of tokens; the
names (paths, identifiers, ids, hashes) that the next five answers and calls use of it are looked
for in what was kept: in items included in full, in items on demand, and, apart from both, in
shorter forms. Only cuts with more before them than the budget count. Half of the sessions, by a
hash of their keys, are held out: weights are chosen on the others
(`choose_projection_weights.py`), and results are those of the held-out ones.

DIR holds transcripts as `claude_code/`, `codex/`, `other_agents/pi-mono/` and `aider/`; without it
the transcripts of `tests/data/retrieval` are taken.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import vox
from harness import work_folder
from tests.context.projection.quality import sessions
from tests.context.projection.quality.cuts import CUTS, Cut, cuts, read
from tests.context.projection.quality.material import Material
from tests.context.projection.quality.methods import methods
from tests.context.projection.quality.shares import Share
from vox.context.projection import ProjectionSettings

Shares = dict[tuple[str, int], Share]

METHODS = methods(ProjectionSettings())

BUDGETS = (8_000, 16_000, 32_000, 64_000, 128_000)


def cuts_of_side(
    archive: vox.Archive, data: Path, held_out: bool, most: int = CUTS
) -> dict[int, list[Cut]]:
    """The cuts of one side's sessions, by budget."""
    side = [one for one in sessions.fill(archive, data) if one.held_out == held_out]
    whole = [read(archive, session) for session in side]
    return {budget: [cut for one in whole for cut in cuts(one, budget, most)] for budget in BUDGETS}


def measure(archive: vox.Archive, by_budget: dict[int, list[Cut]], side: str) -> Shares:
    """What each method keeps for each budget, one line of JSON each."""
    shares: Shares = {}
    for budget, found in by_budget.items():
        here = {name: Share() for name in METHODS}
        for cut in found:
            material = Material.of(archive, cut)
            for name, method in METHODS.items():
                here[name].add(cut, method(material, cut, budget))
        for name, share in here.items():
            shares[name, budget] = share
            row = {"bench": "projection_quality", "method": name, "budget": budget, "side": side}
            print(json.dumps({**row, **share.row()}), flush=True)
    return shares


def report(shares: Shares, by_budget: dict[int, list[Cut]]) -> None:
    """Shows all methods beside each other."""
    print("\nshare of needed names at hand: included or on demand (included alone), by budget")
    line("", [f"{budget:,}" for budget in BUDGETS])
    for method in METHODS:
        rows = [shares[method, budget] for budget in BUDGETS]
        line(method, [f"{row.at_hand:.3f} ({row.in_full:.3f})" for row in rows])
    shown = [shares["projection", budget] for budget in BUDGETS]
    line("  more, in shorter forms", [f"{row.shown / max(1, row.needed):.3f}" for row in shown])
    every = list(by_budget.values())
    line("cuts", [str(len(found)) for found in every])
    line("  of joined sessions", [str(sum(cut.session.joined for cut in one)) for one in every])
    line("sessions", [str(len({cut.session.key for cut in one})) for one in every])
    line("names", [f"{sum(len(cut.needed) for cut in one):,}" for one in every])
    for key, number in sorted(Counter(cut.session.key for one in every for cut in one).items()):
        print(f"  {number:4} cuts of {key}")


def line(label: str, cells: list[str]) -> None:
    print(f"{label:26}", *(f"{cell:>14}" for cell in cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--side", choices=["held-out", "train"], default="held-out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=work_folder()) as folder:
        archive = vox.open(Path(folder) / "archive")
        data = options.data or sessions.unpack(Path(folder) / "kept")
        by_budget = cuts_of_side(archive, data, options.side == "held-out")
        report(measure(archive, by_budget, options.side), by_budget)


if __name__ == "__main__":
    main()
