"""Searching: what is asked, and what was found."""

from __future__ import annotations

import base64
import binascii
import hashlib
import time
from collections.abc import Iterable
from typing import Any, Literal, TypeAlias, TypedDict, cast, get_args

import msgspec

from vox import _native
from vox.errors import InvalidArgumentError

Order: TypeAlias = Literal["relevance", "newest", "oldest"]
"""Which hits come first. By relevance there are the first 10,000, by time there are all."""

State: TypeAlias = Literal["complete", "partial", "stale", "not_indexed"]
"""How far an answer covers what was asked: all of it; a part, as its time was over; all but the
newest items, which the index doesn't have; all of it, but without the index, so without scores."""

LINE_WIDTH = 400
"""How much is shown of a long line, in characters. Judgement."""

_NEAR = 100
"""How far from its place the hit that a cursor stands behind is looked for. Judgement."""


class Wanted(TypedDict):
    """What is asked, as the core takes it."""

    query: str
    now: int
    repos: list[str]
    sub_agents: bool
    as_of: int | None
    seconds: float | None
    index: bool


class Snippet(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a text that shows why it is a hit."""

    text: str
    marks: list[tuple[int, int]]
    """Where what was looked for begins and ends, in characters of `text`."""
    line: int
    """The line of the text that it begins in, from 1."""
    before: bool
    """Whether the item has more before it."""
    after: bool
    """Whether it has more behind it."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a text, as it stands."""

    number: int
    """Which line of the item it is, from 1."""
    text: str
    marks: list[tuple[int, int]]
    """Where what was looked for begins and ends, in characters of `text`."""
    before: bool
    """Whether the line has more before it."""
    after: bool
    """Whether it has more behind it."""


class SearchHit(msgspec.Struct, frozen=True, kw_only=True):
    """An item that was found: what it is and where it stands, not its bytes."""

    item: int
    """Its number, for `Archive.read`."""
    window: int
    """The number of the window that it is named with: the one that had it first if that is in
    scope."""
    window_id: str
    """The id of that window."""
    ordinal: int
    """Its place there."""
    title: str | None
    """What that window is called; the next four are of that window too."""
    repo: str | None
    agent: str | None
    sub_agent: bool
    deleted: bool
    role: str
    kind: str
    name: str | None
    """The tool, model or media type."""
    redacted: bool
    created_at: int
    """UTC milliseconds."""
    byte_len: int
    content_hash: str
    """In hexadecimal."""
    windows: int
    """How many windows in scope hold the same content."""
    score: float | None
    """BM25; None where the index doesn't know it."""
    preview: str
    """Its start as one line of at most 120 bytes."""
    snippet: Snippet | None
    """None if none was asked for, or nothing can be shown of it."""


class Facets(msgspec.Struct, frozen=True, kw_only=True):
    """How many hits there are of each value, the most frequent first. A hit counts for the window
    that it is named with."""

    repo: list[tuple[str | None, int]]
    agent: list[tuple[str | None, int]]
    role: list[tuple[str, int]]
    kind: list[tuple[str, int]]
    month: list[tuple[str, int]]
    """In UTC, as 2026-01; the latest first."""


class SearchAnswer:
    """What a search found. It stays at the state of the archive that it was made from."""

    def __init__(self, native: _native.Answered, bound: _Bound, place: _Place, limit: int) -> None:
        self._native = native
        self._bound = bound
        self._now = place.now
        state = native.state
        self.state: State = state["state"]
        """How far it covers what was asked."""
        self.why: str | None = state.get("why")
        """What is the matter with the index, if it is `not_indexed`."""
        self.searched: int | None = state.get("searched")
        """How many items were searched, if it is `partial`."""
        self.of: int | None = state.get("of")
        """And of how many."""
        self.behind: int | None = state.get("behind")
        """How many items are left out, if it is `stale`."""
        self.scoped: bool = native.of_repos
        """Whether it is confined to the repositories that were asked for: not if there were none,
        or the query says itself where to look."""
        self.start = _found_again(native, bound.order, place)
        """The place of the first of its hits among all."""
        # One more says whether others follow; counting all would find all.
        found = self.page(self.start, limit + 1) if limit else []
        self.hits: list[SearchHit] = found[:limit]
        """The hits that were asked for."""
        self.cursor: str | None = self._next() if len(found) > limit else None
        """What to give to `Archive.search` for the hits that follow; None: there are none."""

    def __len__(self) -> int:
        return len(self._native)

    def page(self, start: int, count: int) -> list[SearchHit]:
        """`count` hits from place `start` on, in the same order."""
        bound = self._bound
        rows = self._native.hits(bound.order, start, count, bound.snippet, bound.reveal)
        return [msgspec.convert(row, SearchHit) for row in rows]

    def lines(
        self, items: Iterable[int], around: int, *, width: int = LINE_WIDTH
    ) -> list[list[Line] | None]:
        """Of each item the line in which most of what was asked for stands, and up to `around` at
        either side of it, of a long one about `width` characters; None of what has no text.

        Raises `InvalidArgumentError` for a number below 0.
        """
        _checked(around=around, width=width)
        found = self._native.lines(list(items), around, width, self._bound.reveal)
        return [None if lines is None else msgspec.convert(lines, list[Line]) for lines in found]

    def facets(self) -> Facets:
        """How many hits there are of each repository, agent, role, kind and month."""
        return msgspec.convert(self._native.facets(), Facets)

    def _next(self) -> str:
        place = _Place(
            digest=self._bound.digest(),
            now=self._now,
            as_of=self._native.as_of,
            start=self.start + len(self.hits),
            behind=self.hits[-1].item,
        )
        return base64.urlsafe_b64encode(msgspec.msgpack.encode(place)).decode().rstrip("=")

    def __repr__(self) -> str:
        return f"SearchAnswer({self.state}, {len(self)} hits)"


class _Bound(msgspec.Struct, frozen=True):
    """What the pages of an answer have in common."""

    query: str
    repos: list[str]
    sub_agents: bool
    order: Order
    snippet: int | None
    reveal: bool

    def digest(self) -> bytes:
        """What a cursor is bound to."""
        said = (self.query, sorted(self.repos), self.sub_agents, self.order)
        return hashlib.blake2b(msgspec.msgpack.encode(said), digest_size=8).digest()


class _Place(msgspec.Struct, frozen=True, array_like=True):
    """Where a page begins, and the moment that its query is about."""

    digest: bytes
    now: int
    as_of: int | None = None
    start: int = 0
    behind: int | None = None
    """The hit before it."""


def search(
    archive: _native.Archive,
    query: str,
    *,
    repos: list[str],
    sub_agents: bool,
    order: Order,
    limit: int,
    cursor: str | None,
    snippet: int | None,
    reveal: bool,
    seconds: float | None,
    index: bool,
) -> SearchAnswer:
    """See `vox.archive.Archive.search`."""
    if order not in get_args(Order):
        raise InvalidArgumentError(f"order={order!r}; use one of: {', '.join(get_args(Order))}")
    for text in (query, *repos):
        if any("\ud800" <= char <= "\udfff" for char in text):
            raise InvalidArgumentError(f"{text[:80]!r} holds half a surrogate pair: it is no text")
    _checked(limit=limit, snippet=snippet)
    bound = _Bound(query, repos, sub_agents, order, snippet, reveal)
    if cursor is None:
        place = _Place(bound.digest(), time.time_ns() // 1_000_000)
    else:
        place = _read_cursor(cursor, bound)
    wanted = Wanted(
        query=query,
        now=place.now,
        repos=repos,
        sub_agents=sub_agents,
        as_of=place.as_of,
        seconds=seconds,
        index=index,
    )
    return SearchAnswer(_native.search(archive, wanted), bound, place, limit)


def _checked(**numbers: int | None) -> None:
    for name, value in numbers.items():
        if value is not None and not 0 <= value < 1 << 32:
            raise InvalidArgumentError(f"{name}={value}; it is a number from 0 on")


def _read_cursor(cursor: str, bound: _Bound) -> _Place:
    try:
        padded = cursor.encode() + b"=" * (-len(cursor) % 4)
        place = msgspec.msgpack.decode(base64.urlsafe_b64decode(padded), type=_Place)
        valid = 0 <= place.start < 1 << 63 and abs(place.now) < 1 << 63
    except (binascii.Error, UnicodeError, msgspec.MsgspecError):
        valid = False
        place = _Place(b"", 0)
    if not valid:
        raise InvalidArgumentError("this is no cursor of a search; it was cut off or altered")
    if place.digest != bound.digest():
        raise InvalidArgumentError(
            "the cursor is of another search; give it with the query, scope and order that it "
            "came from"
        )
    return place


def _found_again(native: _native.Answered, order: Order, place: _Place) -> int:
    """Where `place` is now: behind the same hit, which may have moved as others went or came."""
    if place.behind is None:
        return place.start
    first = max(0, place.start - _NEAR)
    near = native.hits(order, first, 2 * _NEAR, None, True)
    places = (first + i + 1 for i, hit in enumerate(near) if hit["item"] == place.behind)
    return next(places, place.start)


def as_row(hit: SearchHit) -> dict[str, Any]:
    """A hit as plain values, for JSON."""
    return cast(dict[str, Any], msgspec.to_builtins(hit))
