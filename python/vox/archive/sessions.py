"""Sessions of agents: appending what happens in them, and reading it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from vox import _native
from vox.archive.rows import packed
from vox.archive.session_events import PluginStateUpdated, SessionEvent
from vox.errors import (
    ConflictError,
    InvalidArgumentError,
    NotFoundError,
    TooLargeError,
    VoxError,
)

_event = msgspec.msgpack.Decoder(SessionEvent)
_events = msgspec.msgpack.Decoder(list[SessionEvent])
_line = msgspec.json.Decoder(SessionEvent)

LINES_AT_ONCE = 256
"""Lines that share a transaction. Judgement."""


class Placed(NamedTuple):
    """Where an event stands."""

    sequence: int
    """Its number in its session."""
    known: bool
    """Whether the session had it already."""


class SessionInfo(NamedTuple):
    """A session and how much there is of it."""

    id: str
    events: int
    items: int

    @property
    def window(self) -> str:
        """The key of its window."""
        return f"vox-session:{self.id}"


class LineProblem(NamedTuple):
    """A line that was not taken."""

    line: int
    """Counted from 1."""
    code: str
    """An error code of `contracts/errors.yaml`."""
    message: str
    """What is wrong, with the field and its place in the line."""


class LinesReport(msgspec.Struct, kw_only=True):
    """What became of lines of events."""

    appended: int = 0
    known: int = 0
    """Events that their session had already."""
    problems: list[LineProblem] = []


class Sessions:
    """`archive.sessions`: an event is written and shown in its window in one transaction."""

    def __init__(self, archive: _native.Archive) -> None:
        self._archive = archive

    def append(self, event: SessionEvent) -> Placed:
        """Appends one event; durable on return. Raises as `append_many`."""
        return self.append_many([event])[0]

    def append_many(self, events: Iterable[SessionEvent]) -> list[Placed]:
        """Appends events, of one session or several, in one transaction: all or, on an error,
        none. Durable on return.

        Raises `InvalidArgumentError` for a field of another type (it is named), and for a session
        that doesn't begin with `Created` or has it twice; `ConflictError` for a gap, or another
        event at a number that is taken; `NotFoundError` for a content hash that the archive
        doesn't have; `ReadOnlyError`, `TooLargeError`, `DiskFullError`.
        """
        rows = [_packed(event, place) for place, event in enumerate(events)]
        placed = _native.append_session_events(self._archive, rows)
        return [Placed(*each) for each in placed]

    def append_lines(self, lines: Iterable[bytes | str]) -> LinesReport:
        """Appends events from lines of JSON, as they come. Blank lines are passed over; what is
        wrong with a line stands in the report, and the others are taken. A session's events that
        follow one of its own that was refused may then be refused too.

        Raises what concerns all lines: `ReadOnlyError`, `DiskFullError`, `ClosedError`.
        """
        report = LinesReport()
        for batch in _batches(_decoded(lines, report)):
            try:
                self._take(batch, report)
            except _OF_A_LINE:
                # Nothing of the batch was written; which line is at fault shows one by one.
                for number, event in batch:
                    try:
                        self._take([(number, event)], report)
                    except _OF_A_LINE as error:
                        report.problems.append(_problem(number, error))
        report.problems.sort()
        return report

    def _take(self, batch: Sequence[tuple[int, SessionEvent]], report: LinesReport) -> None:
        placed = self.append_many(event for _, event in batch)
        known = sum(each.known for each in placed)
        report.known += known
        report.appended += len(placed) - known

    def events(self, session: str, first: int = 0, count: int = 100) -> list[SessionEvent]:
        """`count` events of a session from number `first` on, with their contents. Raises
        `NotFoundError`."""
        return _events.decode(_native.session_events(self._archive, session, first, count))

    def list(self) -> list[SessionInfo]:
        """Every session, by id."""
        return sorted(SessionInfo(*row) for row in _native.sessions(self._archive))

    def refold(self, session: str | None = None) -> dict[str, int]:
        """Folds all events of a session again, or of all sessions and conversations. What their
        windows lack is made; what is there stays, for users may have changed it since.

        Gives counts of what was made, all 0 if nothing was missing: `windows`, items `added` and
        `shared`, `usage`, and `changed` (fields, and stretches of items). Raises `NotFoundError`.
        """
        done = _native.refold_sessions(self._archive, session)
        return {name: done[name] for name in ("windows", "added", "shared", "usage", "changed")}


_OF_A_LINE = (InvalidArgumentError, ConflictError, NotFoundError, TooLargeError)


def _problem(number: int, error: VoxError) -> LineProblem:
    return LineProblem(number, error.code, str(error).removeprefix("event 0 "))


def _packed(event: SessionEvent, place: int) -> bytes:
    if isinstance(event, PluginStateUpdated) and isinstance(event.content, str):
        try:
            msgspec.json.decode(event.content, type=msgspec.Raw)
        except msgspec.MsgspecError as error:
            says = f"event {place}: the state of a plugin is JSON: {error} - at `$.content`"
            raise InvalidArgumentError(says) from error
    return packed(event, _event, f"event {place}")


def _decoded(
    lines: Iterable[bytes | str], report: LinesReport
) -> Iterator[tuple[int, SessionEvent]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield number, _line.decode(line)
        except (msgspec.MsgspecError, ValueError) as error:
            code = InvalidArgumentError.code
            report.problems.append(LineProblem(number, code, str(error)))


def _batches(
    events: Iterator[tuple[int, SessionEvent]],
) -> Iterator[list[tuple[int, SessionEvent]]]:
    batch: list[tuple[int, SessionEvent]] = []
    for each in events:
        batch.append(each)
        if len(batch) == LINES_AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch
