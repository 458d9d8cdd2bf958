"""The header of a window: what it is, when, what it took, and who its relatives are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from vox.cli import people
from vox.cli.windows import name_of, short_id, sort_of

if TYPE_CHECKING:
    from vox.archive import Archive, Window

MOST_RELATIVES = 6
"""Children that are named; the others are counted."""

SINCE = {
    None: "below",
    "compacted_from": "continues",
    "spawned_by": "sub-agent of",
    "forked_from": "branch of",
    "summarizes": "summary of",
    "derived_from": "derived from",
    "merged_from": "merged from",
}
"""How a window came from its parent, by its link."""

TOKENS = {
    "input": "in",
    "cache_read": "read from cache",
    "cache_write": "written to cache",
    "output": "out",
}


def header(archive: Archive, window: Window, *, reveal: bool) -> Iterator[str]:
    """Lines about a window; the first is what it is called."""
    info = window.info
    name = name_of(archive, info, reveal=reveal)
    yield name
    yield info["id"] if name == info["key"] else f"{info['id']}  {info['key']}"
    facts = (
        info["agent"] or info["source"],
        info["model_route"],
        _place(info),
        people.stretch(info["created_at"], info["updated_at"]),
    )
    yield " · ".join(fact for fact in facts if fact)
    yield " · ".join((_counts(window), *_usage(window)))
    if said := " · ".join(_said(info)):
        yield said
    yield from _relatives(archive, window, reveal=reveal)


def _said(info: Mapping[str, Any]) -> Iterator[str]:
    """What its user said of it."""
    if info["deleted_at"] is not None:
        yield f"deleted {people.moment(info['deleted_at'])}"
    if info["pinned"]:
        yield "pinned"
    if info["trimmed"]:
        yield f"{people.number(info['trimmed'], 'item')} trimmed"
    if info["tags"]:
        yield f"tags: {', '.join(info['tags'])}"


def _place(info: Mapping[str, Any]) -> str:
    place = str(info["repo"] or info["workspace"] or "")
    return f"{place} ({info['git_branch']})" if place and info["git_branch"] else place


def _counts(window: Window) -> str:
    items = people.number(len(window), "item")
    if (shown := window.count(trimmed="show")) < len(window):
        items += f", {people.number(shown)} of them conversation"
    return f"{items}, {people.size(window.info['bytes'])}"


def _usage(window: Window) -> Iterator[str]:
    responses = window.usage()
    if not responses:
        return
    yield people.number(len(responses), "response")
    sums = {name: sum(response[name] for response in responses) for name in TOKENS}
    sums["cache_write"] += sum(response["cache_write_1h"] for response in responses)
    tokens = [
        f"{people.number(sums[name])} {words}" for name, words in TOKENS.items() if sums[name]
    ]
    if tokens:
        yield f"tokens: {', '.join(tokens)}"
    if cost := sum(response["cost_nano_usd"] or 0 for response in responses):
        yield f"${cost / 1e9:,.2f}"


def _relatives(archive: Archive, window: Window, *, reveal: bool) -> Iterator[str]:
    tree = window.tree().to_pylist()
    info = window.info
    for row in tree:
        if row["id"] == info["parent"]:
            yield f"{SINCE[info['link']]} {short_id(row)}  {name_of(archive, row, reveal=reveal)}"
    for link, origin, _ in window.links():
        if link == "merged_from":
            name = name_of(archive, origin.info, reveal=reveal)
            yield f"{SINCE[link]} {short_id(origin.info)}  {name}"
    children = [row for row in tree if row["parent"] == info["id"]]
    for row in children[:MOST_RELATIVES]:
        yield f"└ {short_id(row)}  {sort_of(row)}  {name_of(archive, row, reveal=reveal)}"
    if (more := len(children) - MOST_RELATIVES) > 0:
        yield f"└ and {people.number(more)} more: vox ls --tree"
