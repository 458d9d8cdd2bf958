"""Choosing fates under a budget: `vox.pack` against greedy loops and solvers.

    python benches/bench_pack.py                   a million items; solvers get 10,000
    python benches/bench_pack.py --items 50000 --solver-items 500

Solvers (scipy with HiGHS, OR-tools, PuLP with CBC) are left out where they aren't installed, and
stop at a gap of 1e-4 or after 30 seconds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import vox_windows
from harness import Row, find, main, ratio, table
from pack_peers import GREEDY, SOLVERS
from pack_problems import KINDS, PackProblem, problem

ROUNDS = 7
"""How often vox and greedy loops are measured; the best counts."""
SMALL = 1000
"""Up to so many items the answer must be proven to be the best."""


def best_ms(run: Callable[[], object], rounds: int = ROUNDS) -> float:
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds) * 1e3


def vox_pack(*, items: int, solver_items: int) -> Row:
    """Of each kind, for all sizes; the uncorrelated one also with groups and pins."""
    vox = vox_windows.the_module()
    row: Row = {"items": items, "over_step": 0.0, "below_greedy": -1.0}
    for kind in KINDS:
        for size in (SMALL, solver_items, items):
            given = problem(kind, size)
            name = f"{kind.replace(' ', '_')}_{size}"
            packing = vox.pack(*given)
            row[f"{name}_ms"] = round(best_ms(lambda given=given: vox.pack(*given)), 3)
            row[f"{name}_gap"] = packing.gap
            over = (packing.bound - packing.value) / given.values.max()
            row["over_step"] = max(row["over_step"], over)
            greedy = max(peer(given) for peer in GREEDY.values())
            row["below_greedy"] = max(row["below_greedy"], round(greedy / packing.value - 1, 12))
    given = problem("uncorrelated", items)
    draw = np.random.default_rng(2)
    more: dict[str, Any] = {
        # Calls and their results: two in three items are of a pair.
        "groups": np.where(np.arange(items) % 3 < 2, np.arange(items) // 3, -1).astype(np.int32),
        "pins": np.where(draw.random(items) < 0.01, 3, -1).astype(np.int8),
    }
    row["ms"] = row[f"uncorrelated_{items}_ms"]
    row["bound_ms"] = round(best_ms(lambda: vox.pack(*given, **more)), 3)
    row["solver_size_ms"] = row[f"uncorrelated_{solver_items}_ms"]
    small = [kind.replace(" ", "_") for kind in KINDS]
    row["small_ms"] = max(row[f"{kind}_{SMALL}_ms"] for kind in small)
    row["small_gap"] = max(row[f"{kind}_{SMALL}_gap"] for kind in small)
    return row


def read(*, items: int, solver_items: int) -> Row:
    """A contestant: one pass over all numbers."""
    given = problem("uncorrelated", items)
    return {"ms": round(best_ms(lambda: (given.costs.sum(), given.values.sum())), 3)}


def greedy(peer: Callable[[PackProblem], float]) -> Callable[..., Row]:
    """A contestant that takes all items."""

    def run(*, items: int, solver_items: int) -> Row:
        given = problem("uncorrelated", items)
        return {"ms": round(best_ms(lambda: peer(given), 3), 3), "value": peer(given)}

    return run


def solver(peer: Callable[[PackProblem], float]) -> Callable[..., Row]:
    """A contestant that takes fewer."""

    def run(*, items: int, solver_items: int) -> Row:
        peer(problem("uncorrelated", 50))
        given = problem("uncorrelated", solver_items)
        start = time.perf_counter()
        value = peer(given)
        return {"solver_size_ms": round((time.perf_counter() - start) * 1e3, 3), "value": value}

    return run


CONTESTANTS = {
    "vox": vox_pack,
    "read": read,
    **{name: greedy(peer) for name, peer in GREEDY.items()},
    **{name: solver(peer) for name, peer in SOLVERS.items()},
}


def report(rows: list[Row], options: argparse.Namespace) -> None:
    ours = find(rows, "vox") or {}
    plain = ours.get("ms")
    table(
        f"Packing {options.items:,} items of four fates",
        [
            ("milliseconds", plain, "<= 60"),
            ("with groups and pins, over without", plain and ours["bound_ms"] / plain, "<= 1.5"),
            ("hulls in numpy, over vox", ratio(find(rows, "hulls"), ours, "ms"), ">= 10"),
            ("bound less value, over the largest value", ours.get("over_step"), "<= 1"),
            ("a greedy loop's value above vox's", ours.get("below_greedy"), "<= 0"),
            (f"{SMALL} items, the slowest kind, milliseconds", ours.get("small_ms"), "<= 15"),
            (f"{SMALL} items, the largest gap", ours.get("small_gap"), "<= 0"),
            *(
                (
                    f"{name} at {options.solver_items:,}, over vox",
                    ratio(find(rows, name), ours, "solver_size_ms"),
                    ">= 5000",
                )
                for name in SOLVERS
            ),
        ],
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--solver-items", type=int, default=10_000)
    raise SystemExit(main("pack", CONTESTANTS, parser, report, patience=120))
