"""Filters of items and windows, as the core takes them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, TypeAlias, TypedDict

Trimmed: TypeAlias = Literal["hide", "show", "only"]


class ItemFilter(TypedDict):
    """Which items a view shows."""

    roles: list[str]
    kinds: list[str]
    names: list[str]
    since: int | None
    until: int | None
    trimmed: str
    records: bool


class ItemFilters(TypedDict, total=False):
    """The keyword arguments of `item_filter`."""

    roles: Collection[str]
    kinds: Collection[str]
    names: Collection[str]
    since: int | None
    until: int | None
    trimmed: Trimmed
    records: bool


def item_filter(
    *,
    roles: Collection[str] = (),
    kinds: Collection[str] = (),
    names: Collection[str] = (),
    since: int | None = None,
    until: int | None = None,
    trimmed: Trimmed = "hide",
    records: bool = False,
) -> ItemFilter:
    """Only items of these roles, kinds and names, from `since` on and before `until` (UTC
    milliseconds); trimmed ones hidden, shown among the others, or alone; `records` also shows
    what is no part of the conversation."""
    return ItemFilter(
        roles=list(roles),
        kinds=list(kinds),
        names=list(names),
        since=since,
        until=until,
        trimmed=trimmed,
        records=records,
    )


class WindowFilter(TypedDict):
    """Which windows a list shows."""

    repo: str | None
    kind: str | None
    tier: str | None
    since: int | None
    until: int | None
    tags: list[str]
    deleted: bool


class WindowFilters(TypedDict, total=False):
    """The keyword arguments of `window_filter`."""

    repo: str | None
    kind: str | None
    tier: str | None
    since: int | None
    until: int | None
    tags: Collection[str]
    deleted: bool


def window_filter(
    *,
    repo: str | None = None,
    kind: str | None = None,
    tier: str | None = None,
    since: int | None = None,
    until: int | None = None,
    tags: Collection[str] = (),
    deleted: bool = False,
) -> WindowFilter:
    """Only windows of this repository; of this kind: chat, task, agent, a2a, archived; of this
    tier: hot, warm, cold, frozen; last changed from `since` on and before `until` (UTC
    milliseconds); with all of these `tags`; the `deleted` ones instead of the others."""
    return WindowFilter(
        repo=repo,
        kind=kind,
        tier=tier,
        since=since,
        until=until,
        tags=list(tags),
        deleted=deleted,
    )
