"""What a user would choose fates with instead of `vox.pack`: solvers, and greedy loops in numpy.

Each takes a problem and gives the value of its answer.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from harness import NotHereError
from pack_problems import PackProblem

PATIENCE = 30
"""Seconds that a solver may take."""
GAP = 1e-4
"""At which a solver may stop; vox goes on."""


def whole_only(problem: PackProblem) -> float:
    """Whole items by value for each token, while they fit."""
    costs, values = problem.costs[:, -1].astype(np.int64), problem.values[:, -1]
    order = np.argsort(-(values / costs), kind="stable")
    fit = np.searchsorted(np.cumsum(costs[order]), problem.budget, side="right")
    return float(values[order[:fit]].sum())


def newest(problem: PackProblem) -> float:
    """Whole items from the newest back, until one doesn't fit."""
    costs, values = problem.costs[::-1, -1].astype(np.int64), problem.values[::-1, -1]
    return float(values[: np.searchsorted(np.cumsum(costs), problem.budget, side="right")].sum())


def hulls(problem: PackProblem) -> float:
    """Steps of hulls in numpy, sorted by slope, the first that doesn't fit ends it; then single
    steps that still fit."""
    costs, values = problem.costs.astype(np.float64), problem.values
    at, alive = np.zeros(len(costs), np.int64), np.arange(len(costs))
    found: list[tuple[Any, ...]] = []
    while len(alive):
        cost = costs[alive] - costs[alive, at[alive]][:, None]
        gain = values[alive] - values[alive, at[alive]][:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.where((cost > 0) & (gain > 0), gain / cost, -1.0)
        best = slope.argmax(1)
        rows = np.arange(len(alive))
        up = slope[rows, best] > 0
        rows, best, alive = rows[up], best[up], alive[up]
        found.append((slope[rows, best], cost[rows, best], gain[rows, best], alive))
        at[alive] = best
    slope, cost, gain, item = (np.concatenate(part) for part in zip(*found, strict=True))
    order = np.argsort(-slope, kind="stable")
    spent = np.cumsum(cost[order])
    fit = int(np.searchsorted(spent, problem.budget, side="right"))
    value, left = float(gain[order[:fit]].sum()), problem.budget - (spent[fit - 1] if fit else 0)
    ended: set[int] = set()
    for step in order[fit : fit + 5000]:
        if int(item[step]) not in ended and cost[step] <= left:
            value, left = value + float(gain[step]), left - cost[step]
        else:
            ended.add(int(item[step]))
    return value


def highs(problem: PackProblem) -> float:
    """HiGHS, by scipy."""
    try:
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_matrix
    except ImportError as error:
        raise NotHereError(str(error)) from error
    items, fates = problem.costs.shape
    options = items * (fates - 1)
    one = csr_matrix(
        (np.ones(options), np.arange(options), np.arange(0, options + 1, fates - 1)),
        shape=(items, options),
    )
    cost = csr_matrix(problem.costs[:, 1:].astype(float).reshape(1, -1))
    answer = milp(
        -problem.values[:, 1:].ravel(),
        constraints=[
            LinearConstraint(one, -np.inf, 1),
            LinearConstraint(cost, -np.inf, problem.budget),
        ],
        integrality=np.ones(options),
        bounds=Bounds(0, 1),
        options={"time_limit": PATIENCE, "mip_rel_gap": GAP},
    )
    return 0.0 if answer.x is None else -float(answer.fun)


def cp_sat(problem: PackProblem) -> float:
    """CP-SAT of OR-tools, values rounded to hundredths."""
    try:
        from ortools.sat.python import cp_model
    except ImportError as error:
        raise NotHereError(str(error)) from error
    model = cp_model.CpModel()
    rows = [[model.new_bool_var("") for _ in row[1:]] for row in problem.costs]
    for row in rows:
        model.add_at_most_one(row)
    flat = [option for row in rows for option in row]
    weigh = cp_model.LinearExpr.weighted_sum
    model.add(weigh(flat, problem.costs[:, 1:].ravel().tolist()) <= problem.budget)
    cents = np.round(problem.values[:, 1:] * 100).astype(np.int64)
    model.maximize(weigh(flat, cents.ravel().tolist()))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = PATIENCE
    solver.parameters.num_workers = os.cpu_count() or 1
    solver.parameters.relative_gap_limit = GAP
    solver.solve(model)
    return float(solver.objective_value) / 100


def cbc(problem: PackProblem) -> float:
    """CBC, by PuLP."""
    try:
        import pulp
    except ImportError as error:
        raise NotHereError(str(error)) from error
    items, fates = problem.costs.shape
    model = pulp.LpProblem("pack", pulp.LpMaximize)
    kept = [
        [pulp.LpVariable(f"x{item}_{fate}", cat="Binary") for fate in range(1, fates)]
        for item in range(items)
    ]
    options = [
        (kept[item][fate - 1], int(problem.costs[item, fate]), float(problem.values[item, fate]))
        for item in range(items)
        for fate in range(1, fates)
    ]
    model += pulp.lpSum(value * option for option, _, value in options)
    model += pulp.lpSum(cost * option for option, cost, _ in options) <= problem.budget
    for row in kept:
        model += pulp.lpSum(row) <= 1
    model.solve(pulp.PULP_CBC_CMD(msg=0, timeLimit=PATIENCE, gapRel=GAP, threads=os.cpu_count()))
    return float(pulp.value(model.objective) or 0.0)


GREEDY: dict[str, Callable[[PackProblem], float]] = {
    "whole_only": whole_only,
    "newest": newest,
    "hulls": hulls,
}
SOLVERS: dict[str, Callable[[PackProblem], float]] = {"highs": highs, "cp_sat": cp_sat, "cbc": cbc}
