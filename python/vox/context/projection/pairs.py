"""Tool calls and their results: none is shown without the other."""

from __future__ import annotations

import numpy as np

from vox.context.projection.material import Bools, Integers, Outline
from vox.sources.base import ItemKind, Role


def groups_of(outline: Outline, offered: Bools) -> Integers:
    """A number for each call and its results, the same for all of them; −1 for what is neither.

    By the producer's ids: a result belongs to the last call of its id before it, since a session
    that goes on elsewhere may repeat ids. Without ids by order: of calls and of the results that
    follow, the first belong together, the second, and so on, until the next call or user.
    """
    groups = np.full(len(outline), -1, dtype=np.int64)
    is_call = (outline.kinds == ItemKind.TOOL_CALL) & offered
    tools = np.flatnonzero(is_call | ((outline.kinds == ItemKind.TOOL_RESULT) & offered))
    if not tools.size:
        return groups
    keys = outline.calls[tools].astype(np.int64)
    unnamed = keys == 0
    if unnamed.any():
        keys[unnamed] = -1 - _by_order(outline, tools[unnamed], is_call)
    order = np.argsort(keys, kind="stable")
    sorted_keys, starts_call = keys[order], is_call[tools][order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = (sorted_keys[1:] != sorted_keys[:-1]) | starts_call[1:]
    groups[tools[order]] = np.cumsum(new) - 1
    return groups


def unpaired(outline: Outline, groups: Integers) -> Bools:
    """Calls without a result, and results without a call."""
    alone = np.zeros(len(outline), dtype=bool)
    tools = np.flatnonzero(groups >= 0)
    if tools.size:
        is_call = outline.kinds[tools] == ItemKind.TOOL_CALL
        calls = np.bincount(groups[tools], weights=is_call)
        members = np.bincount(groups[tools])
        whole = (calls > 0) & (calls < members)
        alone[tools] = ~whole[groups[tools]]
    return alone


def _by_order(outline: Outline, tools: Integers, is_call: Bools) -> Integers:
    """A number for each of these rows, the same for a call and its result."""
    calls = is_call[tools]
    after_result = np.zeros(len(tools), dtype=bool)
    after_result[1:] = ~calls[:-1]
    said = np.cumsum((outline.roles == Role.USER) & (outline.kinds == ItemKind.MESSAGE))[tools]
    user_between = np.zeros(len(tools), dtype=bool)
    user_between[1:] = said[1:] != said[:-1]
    bursts = np.cumsum((calls & after_result) | user_between)
    # The place among the calls, or among the results, of a burst.
    numbers = np.zeros(len(tools), dtype=np.int64)
    for some in (calls, ~calls):
        chosen = np.flatnonzero(some)
        if chosen.size:
            of_burst = bursts[chosen]
            first = np.searchsorted(of_burst, of_burst, side="left")
            numbers[chosen] = np.arange(chosen.size) - first
    return bursts.astype(np.int64) * (len(tools) + 1) + numbers
