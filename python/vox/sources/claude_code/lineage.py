"""Which window a record belongs to.

Records name the record before them. A window is one path through that tree, so
a record that goes on from the latest turn of a window joins it, and one that
goes back before it opens a sibling window that shares the beginning. What the
tool writes beside a turn (hooks, progress, results of parallel tools, the
lines of one streamed response) never splits a path.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Final

from msgspec import UNSET, Struct

from vox._native import IdMap
from vox.sources.claude_code.content import Tools
from vox.sources.claude_code.records import Record


class Move(Enum):
    """What a record does to the path it stands on."""

    PROMPT = 0
    """A user begins a turn."""
    RESPONSE = 1
    """A model answers."""
    RESULT = 2
    """A tool answers a call of the latest response."""
    BESIDE = 3
    """Nothing."""


class Track(Struct, array_like=True, eq=False):
    """A window while it is read. Ordinals count its items, those it shares included."""

    index: int
    """Its place among the windows of the file."""
    key: str
    lane: str
    """Key of the conversation of which it is one path: a session's or an agent's."""
    items: int = 0
    begun: bool = False
    """A prompt or a response has come."""
    turn: int = 0
    """Ordinal at which its latest turn began."""
    response: int = 0
    """Ordinal at which its latest response began."""
    tip: str = ""
    """uuid of its last record."""
    run: tuple[str, str] | None = None
    """Message and request id of its latest response."""
    run_start: str | None = None
    """uuid of that response's first record."""
    run_ended: bool = False
    """A line with a stop reason was seen."""
    run_answered: bool = False
    """A result came after that line."""
    tools: Tools = {}
    created_at: int | None = None
    workspace: str | None = None
    branch: str | None = None
    agent: str | None = None
    """Type of the agent, where a file beside the transcript says it."""
    version: str | None = None
    model: str | None = None
    commit: str | None = None


class Origin(Struct, frozen=True):
    """How a new window came to be."""

    parent: str | None = None
    link: str | None = None
    shares: int = 0
    inferred: bool = False


AGENT: Final = "/agent-"
"""What stands in a window's key between its session and its agent."""

_ORDINAL_BITS = 34
_MOST_RECENT = 64


class Lineage:
    """The windows of one file and where each of its records stands."""

    def __init__(
        self,
        ids: IdMap,
        tracks: list[Track],
        current: dict[str, int],
        recent: dict[str, int],
        on_new: Callable[[Track, Origin], None],
        look_back: Callable[[], IdMap] | None,
    ) -> None:
        self.tracks = tracks
        self.current = current
        """Index of the track that each lane is on."""
        self._recent = recent
        """Places of the latest records, which spare a later import to look back."""
        self.side_lane = ""
        """The side conversation without a name that was read last."""
        self._ids = ids
        self._on_new = on_new
        self._look_back = look_back
        self._before: IdMap | None = None
        """Places of the records before the cursor, once they were needed."""
        self.broken = False
        """The last record's parent isn't known."""
        self._alias: int | None = None
        """Where the last record stands, if not at the end of its window."""
        self._keys = {track.key for track in tracks}
        for uuid, place in recent.items():
            ids.put(uuid, place)

    def place_of(self, uuid: object) -> tuple[Track, int] | None:
        """The window of a record and the ordinal after it."""
        if not isinstance(uuid, str):
            return None
        place = self._ids.get(uuid)
        if place is None and self._look_back is not None:
            look_back, self._look_back = self._look_back, None
            self._before = look_back()
        if place is None and self._before is not None:
            place = self._before.get(uuid)
        if place is None:
            return None
        index = place >> _ORDINAL_BITS
        return self.tracks[index], place & ((1 << _ORDINAL_BITS) - 1)

    def lane_of(self, record: Record, base: str, agent: str | None) -> str:
        """The conversation a record belongs to: the session's, `base`, or one of its agents'.

        `agent` names the agent of a file that is one agent's own. Side conversations without
        a name, as older versions wrote them, are named after their first record.
        """
        if agent is not None:
            return f"{base}{AGENT}{record.agent_id or agent}"
        if not record.is_sidechain:
            return base
        if record.agent_id:
            return f"{base}{AGENT}{record.agent_id}"
        parent = record.parent_uuid
        found = self.place_of(parent)
        if found is not None and AGENT in found[0].lane:
            self.side_lane = found[0].lane
        elif not self.side_lane or parent is None or found is not None:
            name = record.uuid or (parent if isinstance(parent, str) else "unnamed")
            self.side_lane = f"{base}{AGENT}{name}"
        return self.side_lane

    def locate(self, record: Record, move: Move, lane: str, base: str) -> Track:
        """The window that `record` belongs to; `base` is the lane of its session.

        A record whose parent isn't known goes on with the window its lane is on, and `broken`
        says so.
        """
        self._alias = None
        self.broken = False
        index = self.current.get(lane)
        if record.subtype == "compact_boundary" and record.type == "system":
            return self._compacted(record, lane, base)
        if index is None:
            return self._first_of(record, lane, base)
        track = self.tracks[index]
        parent = record.parent_uuid
        if parent == track.tip:
            return track
        if parent is UNSET:
            again = self.place_of(record.uuid)
            if again is not None:
                self._alias = again[0].index << _ORDINAL_BITS | again[1]
            return track
        if parent is None:
            if record.is_compact_summary and track.begun:
                return self._compacted(record, lane, base)
            if move is Move.PROMPT and track.begun:
                origin = Origin(lane, "forked_from")
                return self._open(self._key_for(lane, "#", record), lane, origin)
            return track
        found = self.place_of(parent)
        if found is None or found[0].lane != lane:
            self.broken = True
            return track
        return self._continue(record, move, track, *found)

    def _continue(
        self, record: Record, move: Move, track: Track, before: Track, ordinal: int
    ) -> Track:
        in_turn = ordinal > before.turn
        if move is Move.BESIDE:
            if not in_turn or before is not track:
                self._alias = before.index << _ORDINAL_BITS | ordinal
            return track
        if not in_turn:
            late = move is Move.RESULT and ordinal > before.response
            # Lines of one response may name the one before them, or all of them the prompt.
            streamed = (
                move is Move.RESPONSE
                and ordinal >= before.response
                and self.is_same_run(before, record)
            )
            if not late and not streamed:
                origin = Origin(before.key, "forked_from", ordinal)
                return self._open(self._key_for(before.lane, "#", record), before.lane, origin)
        if before is not track:
            self.current[before.lane] = before.index
        return before

    def _first_of(self, record: Record, lane: str, base: str) -> Track:
        found = self.place_of(record.parent_uuid)
        if lane == base:
            if found is not None and AGENT not in found[0].lane:
                return self._open(lane, lane, Origin(found[0].key, "forked_from", found[1]))
            return self._open(lane, lane, Origin())
        parent = base if found is None else found[0].key
        return self._open(lane, lane, Origin(parent, "spawned_by"))

    def _compacted(self, record: Record, lane: str, base: str) -> Track:
        index = self.current.get(lane)
        if index is None or self.tracks[index].items == 0:
            return self._first_of(record, lane, base)
        before, inferred = self.tracks[index], True
        logical = record.logical_parent_uuid
        if logical is not None:
            inferred = False
            found = None if logical == before.tip else self.place_of(logical)
            if found is not None and found[0].lane == lane:
                before = found[0]
        origin = Origin(before.key, "compacted_from", inferred=inferred)
        return self._open(self._key_for(lane, "#compact-", record), lane, origin)

    def _key_for(self, lane: str, mark: str, record: Record) -> str:
        parent = record.parent_uuid
        name = record.uuid or (parent if isinstance(parent, str) else "") or str(len(self.tracks))
        key = f"{lane}{mark}{name}"
        again = 2
        while key in self._keys:
            key = f"{lane}{mark}{name}~{again}"
            again += 1
        return key

    def _open(self, key: str, lane: str, origin: Origin) -> Track:
        shares = origin.shares
        track = Track(len(self.tracks), key, lane, items=shares, turn=shares, response=shares)
        self.current[lane] = track.index
        self.tracks.append(track)
        self._keys.add(key)
        self._on_new(track, origin)
        return track

    @staticmethod
    def is_same_run(track: Track, record: Record) -> bool:
        """Whether an assistant's record goes on with the latest response of its window.

        A gateway may give every response the same message id and no request id: then one that
        ended and was answered is over.
        """
        message = record.message
        if message is None or message.id is None or track.run is None:
            return False
        if track.run != (message.id, record.request_id or ""):
            return False
        return record.request_id is not None or not track.run_answered

    def advance(self, track: Track, record: Record, move: Move, items: int) -> None:
        """Note that `items` of `record` were added at the end of `track`."""
        start = track.items
        track.items = end = start + items
        uuid = record.uuid
        if self._alias is not None:
            if uuid is not None:
                self._put(uuid, self._alias, record.type)
            return
        if move is Move.RESPONSE:
            track.begun = True
            self._respond(track, record, start)
        elif move is Move.PROMPT:
            track.begun = True
            track.run = None
            if not record.is_compact_summary:
                # Records that a compaction kept stand before its summary and go on after it.
                track.turn = start
        elif move is Move.RESULT and track.run_ended:
            track.run_answered = True
        if uuid is None:
            return
        track.tip = uuid
        self._put(uuid, track.index << _ORDINAL_BITS | end, record.type)

    def _put(self, uuid: str, place: int, record_type: str | None) -> None:
        self._ids.put(uuid, place)
        # A running tool may write thousands of progress records, and only the last one leads on.
        if record_type == "progress" and uuid not in self._recent:
            return
        if len(self._recent) >= _MOST_RECENT and uuid not in self._recent:
            del self._recent[next(iter(self._recent))]
        self._recent[uuid] = place

    def _respond(self, track: Track, record: Record, start: int) -> None:
        message = record.message
        if not self.is_same_run(track, record):
            track.turn = track.response = start
            track.run_ended = track.run_answered = False
            track.run_start = record.uuid
            track.run = None
            if message is not None and message.id is not None:
                track.run = (message.id, record.request_id or "")
        if message is not None and message.stop_reason is not None:
            track.run_ended = True

    def keep(self, uuids: list[str], track: Track) -> None:
        """Let records that outlived a compaction stand at the end of `track` as well."""
        place = track.index << _ORDINAL_BITS | track.items
        for uuid in uuids:
            self._put(uuid, place, None)
