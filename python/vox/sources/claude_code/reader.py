"""From the records of one transcript to what they mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from vox._native import IdMap
from vox.sources.base import (
    Batch,
    Draft,
    Earlier,
    Fidelity,
    Form,
    ItemKind,
    JsonPath,
    Rejected,
    Role,
    UsageDraft,
    WindowDraft,
)
from vox.sources.claude_code import content, facts
from vox.sources.claude_code.lineage import AGENT, Lineage, Move, Origin, Track
from vox.sources.claude_code.records import (
    Record,
    decode_record,
    raw_elements,
)
from vox.sources.claude_code.spill import (
    SPILLED,
    project_folder,
    read_spilled,
    spilled_names,
)
from vox.sources.claude_code.usage import larger, usage_of
from vox.sources.decoding import NotARecordError
from vox.sources.raws import ABSENT
from vox.sources.times import utc_milliseconds

_UNTYPED = "untyped"
_AGENT_FILE = re.compile(r"agent-(.+)\.jsonl$")
_REPLAYED_AT_ONCE = 1024


class State(Struct, array_like=True):
    """What a reader must know to go on; small whatever the length of the file."""

    first_session: str | None = None
    """Session of the records that stand before the first one that names its own."""
    session: str | None = None
    side_lane: str = ""
    tracks: list[Track] = []
    current: dict[str, int] = {}
    recent: dict[str, int] = {}
    repos: dict[str, str] = {}
    """The folder in which each conversation began."""
    titles: facts.Titles = msgspec.field(default_factory=facts.Titles)
    spilled: dict[str, bool] = {}
    """Files of spilled output that were named, and whether they could be read."""


class TranscriptReader:
    """Reads one transcript from where it left off."""

    def __init__(
        self,
        path: Path,
        state: bytes | None,
        earlier: Earlier,
        *,
        replaying: State | None = None,
    ) -> None:
        self._path = path
        self._earlier = earlier
        self._ids = IdMap()
        self._replaying = replaying
        self._state = msgspec.msgpack.decode(state, type=State) if state else State()
        if replaying is not None:
            self._state.first_session = replaying.first_session
        named = _AGENT_FILE.match(path.name)
        self._agent = named[1] if named else None
        self._lineage = Lineage(
            self._ids,
            self._state.tracks,
            self._state.current,
            self._state.recent,
            self._begin,
            self._look_back if state else None,
        )
        self._lineage.side_lane = self._state.side_lane
        self._batch = Batch()
        self._changes: dict[int, dict[str, Any]] = {}
        self._usage: dict[str, UsageDraft] = {}

    def read(self, records: Sequence[bytes]) -> Batch:
        """What these records mean. They follow those of the last call."""
        self._batch = batch = Batch(drafts=[], at={}, rejected=[], record_types={}, missing=[])
        self._changes = {}
        self._usage = {}
        if self._state.first_session is None:
            self._state.first_session = _first_session(records) or self._path.name.split(".")[0]
        for index, data in enumerate(records):
            try:
                record = decode_record(data)
            except NotARecordError as reason:
                batch.rejected.append(Rejected(index, str(reason)))
                continue
            if record.loglines and record.type is None:
                self._take_exported(index, data, record)
            else:
                self._take(index, data, record, ())
        self._state.side_lane = self._lineage.side_lane
        batch.windows = [
            WindowDraft(key=self._state.tracks[index].key, **changes)
            for index, changes in self._changes.items()
        ]
        batch.usage = list(self._usage.values())
        batch.state = msgspec.msgpack.encode(self._state)
        return batch

    def _take_exported(self, index: int, data: bytes, document: Record) -> None:
        lines = raw_elements(document.loglines)
        for position, line in enumerate(lines):
            path = ("loglines", position)
            try:
                self._take(index, bytes(line), decode_record(line), path)
            except NotARecordError:
                self._take(index, b"", Record(), path)
        if not lines:
            self._take(index, data, document, ())

    def _take(self, index: int, data: bytes, record: Record, prefix: JsonPath) -> None:
        state, batch, lineage = self._state, self._batch, self._lineage
        record_type = record.type
        counted = record_type or _UNTYPED
        if record.subtype and record_type == "system":
            counted = f"system/{record.subtype}"
        batch.record_types[counted] = batch.record_types.get(counted, 0) + 1
        if record.session_id:
            state.session = record.session_id
        session = state.session or state.first_session or ""
        base = "claude-code:" + session
        lane = base
        if self._agent is not None or record.is_sidechain:
            lane = lineage.lane_of(record, base, self._agent)
        at = utc_milliseconds(record.timestamp)

        held: content.Content | None = None
        move = Move.BESIDE
        if record_type == "assistant" or record_type == "user":
            message = record.message
            held = content.content_of(message.content if message is not None else ABSENT)
            if record_type == "assistant":
                move = Move.RESPONSE
            else:
                move = Move.RESULT if held.answers_tools else Move.PROMPT
        track = lineage.locate(record, move, lane, base)
        model = _model(record)
        before = len(batch.drafts)
        self._draft(index, track, at, _parts(record, held, model, track.tools), prefix)
        if move is Move.RESULT and SPILLED in data:
            self._follow(index, data, track.key, at, batch.drafts[-1])
        lineage.advance(track, record, move, len(batch.drafts) - before)

        if record.compact_metadata:
            lineage.keep(facts.kept_records(record.compact_metadata), track)
        if lineage.broken:
            self._changes.setdefault(track.index, {})["fidelity"] = Fidelity.INFERRED
        facts.observe(track, record, at, model, state.repos, self._changes)
        if held is None:
            self._retitle(record, base)
        if state.titles.by_leaf and record.uuid in state.titles.by_leaf:
            self._entitle(base, facts.SUMMARY, state.titles.by_leaf[record.uuid])
        if move is Move.RESPONSE:
            usage = usage_of(record, track, session, at)
            if usage is not None:
                known = self._usage.get(usage.key)
                self._usage[usage.key] = usage if known is None else larger(known, usage)

    def _draft(
        self, index: int, track: Track, at: int | None, parts: list[content.Part], prefix: JsonPath
    ) -> None:
        """Add a record's items; a record without any is an item as a whole."""
        batch, key = self._batch, track.key
        if key not in batch.at:
            batch.at[key] = track.items
        for role, kind, path, form, name, side, call_id in parts:
            batch.drafts.append(
                Draft(
                    window=key,
                    record=index,
                    role=role,
                    kind=kind,
                    body=prefix + path if prefix else path,
                    form=form,
                    created_at=at,
                    name=name,
                    side=side,
                    call_id=call_id,
                )
            )
        if not parts:
            batch.drafts.append(
                Draft(
                    window=key,
                    record=index,
                    role=Role.SYSTEM,
                    kind=ItemKind.RECORD,
                    body=prefix or None,
                    form=Form.SLICE if prefix else Form.STRING,
                    created_at=at,
                    side=True,
                )
            )

    def _follow(self, index: int, data: bytes, key: str, at: int | None, result: Draft) -> None:
        """Add the output of `result` that was spilled, each file once."""
        for file in spilled_names(data):
            if file in self._state.spilled:
                continue
            if self._replaying is not None:
                body = b"" if self._replaying.spilled.get(file) else None
            else:
                body = read_spilled(project_folder(self._path), file)
            self._state.spilled[file] = body is not None
            if body is None:
                self._batch.missing.append((index, file))
                continue
            self._batch.drafts.append(
                Draft(
                    window=key,
                    record=index,
                    role=Role.TOOL,
                    kind=ItemKind.TOOL_RESULT,
                    body=body,
                    created_at=at,
                    name=result.name,
                    call_id=result.call_id,
                )
            )

    def _begin(self, track: Track, origin: Origin) -> None:
        changes: dict[str, Any] = {}
        if origin.parent is not None:
            changes.update(parent=origin.parent, link=origin.link, shares=origin.shares)
        if origin.inferred:
            changes["fidelity"] = Fidelity.INFERRED
        if AGENT in track.lane:
            changes["kind"] = "agent"
            if self._agent is not None and self._replaying is None:
                changes.update(facts.agent_file(self._path))
                track.agent = changes.get("agent")
        title = self._state.titles.by_lane.get(track.lane)
        if title is not None:
            changes["title"] = title[1]
        self._changes[track.index] = changes

    def _retitle(self, record: Record, base: str) -> None:
        if record.custom_title:
            self._entitle(base, facts.CUSTOM, record.custom_title)
        elif record.ai_title:
            self._entitle(base, facts.GENERATED, record.ai_title)
        elif record.summary and record.leaf_uuid and record.type == "summary":
            if self._lineage.place_of(record.leaf_uuid) is not None:
                self._entitle(base, facts.SUMMARY, record.summary)
            else:
                self._state.titles.wait_for(record.leaf_uuid, record.summary)

    def _entitle(self, lane: str, rank: int, title: str) -> None:
        if self._state.titles.take(lane, rank, title):
            for track in self._state.tracks:
                if track.lane == lane:
                    self._changes.setdefault(track.index, {})["title"] = title

    def _look_back(self) -> IdMap:
        """Read the records before the cursor again, for where each of them stands."""
        replay = TranscriptReader(self._path, None, self._earlier, replaying=self._state)
        records = self._earlier()
        while chunk := list(islice(records, _REPLAYED_AT_ONCE)):
            replay.read(chunk)
        return replay._ids


def _model(record: Record) -> str | None:
    if record.type != "assistant" or record.message is None:
        return None
    model = record.message.model
    return None if model == "<synthetic>" else model


def _parts(
    record: Record, held: content.Content | None, model: str | None, tools: content.Tools
) -> list[content.Part]:
    if held is not None:
        if record.type == "assistant":
            return content.assistant_parts(held, tools, model)
        return content.user_parts(record, held, tools)
    if record.type == "system":
        return content.system_parts(record)
    if record.type == "attachment":
        return content.attachment_parts(record, tools)
    return []


def _first_session(records: Sequence[bytes]) -> str | None:
    for data in records:
        if b'"sessionId"' not in data:
            continue
        try:
            session = decode_record(data).session_id
        except NotARecordError:
            continue
        if session:
            return session
    return None
