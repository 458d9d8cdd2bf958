"""Records in, batches out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from vox.sources.base import (
    Batch,
    Draft,
    Fidelity,
    ItemKind,
    Rejected,
    UsageDraft,
    WindowDraft,
)
from vox.sources.codex import events, session, usage
from vox.sources.codex.compaction import compacted
from vox.sources.codex.items import BARE_ITEMS, Found, carried, response_item
from vox.sources.codex.records import Fields, integer, milliseconds, read_record, text
from vox.sources.codex.state import State
from vox.sources.codex.turns import cut_before, starts_turn
from vox.sources.decoding import NotARecordError
from vox.sources.raws import QUOTE, first_byte

PAYLOAD = ("payload",)
_STATE = msgspec.msgpack.Decoder(State)


class CodexReader:
    """Reads one rollout from where it left off."""

    def __init__(self, path: Path, state: bytes | None) -> None:
        self._path = path
        self._state = State() if state is None else _STATE.decode(state)

    def read(self, records: Sequence[bytes]) -> Batch:
        """What these records mean. They follow those of the last call."""
        run = _Run(self._path, self._state)
        for number, data in enumerate(records):
            run.take(number, data)
        return run.batch()


class _Run:
    """One batch in the making."""

    def __init__(self, path: Path, state: State) -> None:
        self.path = path
        self.state = state
        self.windows: dict[str, dict[str, Any]] = {}
        self.drafts: list[Draft] = []
        self.at: dict[str, int] = {}
        self.usage: list[UsageDraft] = []
        self.rejected: list[Rejected] = []
        self.types: dict[tuple[str | None, str | None], int] = {}

    def batch(self) -> Batch:
        names: dict[str, int] = {}
        for (outer, inner), count in self.types.items():
            name = "/".join(part for part in (outer, inner) if part) or "untyped"
            names[name] = names.get(name, 0) + count
        return Batch(
            windows=[WindowDraft(key=key, **facts) for key, facts in self.windows.items()],
            drafts=self.drafts,
            at=self.at,
            usage=self.usage,
            rejected=self.rejected,
            record_types=names,
            state=msgspec.msgpack.encode(self.state),
        )

    def take(self, number: int, data: bytes) -> None:
        try:
            record = read_record(data)
        except NotARecordError as problem:
            self.rejected.append(Rejected(number, str(problem)))
            return
        payload = record.payload
        outer = record.type
        kind = (outer, payload.type if payload is not None else None)
        self.types[kind] = self.types.get(kind, 0) + 1
        at = milliseconds(record.timestamp)
        if at is None and payload is not None:
            at = milliseconds(payload.timestamp)

        if payload is None:
            found = self._bare(record, data, at)
        elif outer == "response_item" or outer == "request_item":
            self._open(data, at)
            found = self._item(payload, PAYLOAD, at)
        elif outer == "event_msg":
            self._open(data, at)
            found = self._event(payload, at)
        elif outer == "session_meta":
            found = self._meta(payload, PAYLOAD, data, at)
        else:
            self._open(data, at)
            found = self._other(outer, payload, at)
        self._place(number, found, at)

    def _bare(self, record: Fields, data: bytes, at: int | None) -> list[Found]:
        """A record without an envelope, as the oldest generation wrote them."""
        if session.is_bare_meta(record):
            return self._meta(record, (), data, at)
        self._open(data, at)
        if first_byte(record.model) == QUOTE:
            self._model(text(record.model))
        if record.type in BARE_ITEMS or (record.type is None and first_byte(record.role) == QUOTE):
            return self._item(record, (), at)
        return [carried(())]

    def _open(self, first: bytes, at: int | None) -> None:
        """Begins the window of a file whose first record names no session."""
        if not self.state.window:
            self._begin(session.fallback_id(self.path, first), at)

    def _begin(self, name: str, at: int | None) -> None:
        state = self.state
        state.session = state.origin = name
        state.window = f"codex:{name}"
        self._describe(state.window, thread_id=name, created_at=at)

    def _meta(
        self, meta: Fields, base: tuple[str, ...], data: bytes, at: int | None
    ) -> list[Found]:
        state = self.state
        name = session.session_id(meta)
        if state.has_meta:
            if name is not None and name != state.session:
                self._copied_meta(name)
            return [session.meta_item(meta, base, own=False)]
        state.has_meta = True
        if not state.window:
            opened = milliseconds(meta.timestamp) or at
            self._begin(name or session.fallback_id(self.path, data), opened)
        state.facts = facts = session.facts_of(meta)
        key = f"codex:{state.session}"
        self._describe(key, **self._common())
        if facts.parent:
            replays = first_byte(meta.forked_from_id) == QUOTE
            self._describe(key, parent=facts.parent, link=facts.link, replays=replays)
        if first_byte(meta.model) == QUOTE:
            self._model(text(meta.model))
        return [session.meta_item(meta, base, own=True)]

    def _copied_meta(self, name: str) -> None:
        """Another session's records follow: a fork repeats them."""
        state = self.state
        state.origin = name
        state.responses = 0
        facts = state.facts
        if facts.parent is None and not state.turns:
            facts.parent, facts.link = f"codex:{name}", "forked_from"
        if facts.parent is not None:
            key = f"codex:{state.session}"
            self._describe(key, parent=facts.parent, link=facts.link, replays=True)

    def _item(self, item: Fields, base: tuple[str, ...], at: int | None) -> list[Found]:
        state = self.state
        if item.type == "token_count":
            self._use(usage.single_usage(item, state, at))
            return [carried(base)]
        found = response_item(item, base, state)
        if found[0].kind is ItemKind.MESSAGE:
            state.has_messages = True
            if events.repeats_event(item, found, state):
                return [carried(base)]
        elif found[0].kind is ItemKind.REASONING:
            state.has_reasoning = True
        if starts_turn(item, found):
            state.turns.append(state.count)
        return found

    def _event(self, payload: Fields, at: int | None) -> list[Found]:
        state = self.state
        kind = payload.type
        if kind == "token_count":
            self._use(usage.token_count(payload, state, at))
        elif kind == "turn.completed":
            self._use(usage.single_usage(payload, state, at))
        elif kind == "task_started":
            self._turn(text(payload.turn_id))
        elif kind == "thread_name_updated":
            self._name(text(payload.thread_name), text(payload.thread_id))
        elif kind == "thread_rolled_back":
            self._roll_back(integer(payload.num_turns) or 0, at)
        found = events.event(payload, state)
        if kind == "user_message" and found[0].kind is ItemKind.MESSAGE:
            state.turns.append(state.count)
        return found

    def _other(self, outer: str | None, payload: Fields, at: int | None) -> list[Found]:
        state = self.state
        if outer == "turn_context":
            self._turn(text(payload.turn_id))
            self._model(text(payload.model))
            self._workspace(text(payload.cwd))
        elif outer == "token_usage_record":
            self._turn(text(payload.turn_id))
            self._use(usage.usage_record(payload, state, at))
        elif outer == "compacted":
            return self._compact(payload, at)
        elif outer == "inter_agent_communication" and payload.type is None:
            payload.type = outer
            found = response_item(payload, PAYLOAD, state)
            if found[0].kind is ItemKind.MESSAGE and bytes(payload.trigger_turn) == b"true":
                state.turns.append(state.count)
            return found
        return [carried(PAYLOAD)]

    def _compact(self, payload: Fields, at: int | None) -> list[Found]:
        """A compaction: the conversation goes on in a new window that begins with what the
        model was left with."""
        state = self.state
        state.compactions += 1
        self._move(f"compact-{state.compactions}", "compacted_from", at)
        state.count = 0
        found, state.turns = compacted(payload, state)
        return found

    def _roll_back(self, number: int, at: int | None) -> None:
        """The last user turns are undone: they stay where they are, and the conversation goes on
        in a sibling that shares what came before them."""
        state = self.state
        cut = cut_before(state.turns, number)
        if cut is None:
            return
        state.rollbacks += 1
        self._move(f"rollback-{state.rollbacks}", "forked_from", at)
        self._describe(state.window, shares=cut)
        state.count = cut
        state.turns = [start for start in state.turns if start < cut]

    def _move(self, suffix: str, link: str, at: int | None) -> None:
        state = self.state
        parent = state.window
        state.window = f"codex:{state.session}#{suffix}"
        self._describe(
            state.window,
            parent=parent,
            link=link,
            replays=state.origin != state.session,
            created_at=at,
            thread_id=state.session,
            model_route=state.model,
            title=state.facts.title,
            **self._common(),
        )

    def _common(self) -> dict[str, Any]:
        facts = self.state.facts
        return {
            "kind": facts.kind,
            "repo": facts.repo,
            "workspace": facts.workspace,
            "agent": facts.agent,
            "git_sha_at_open": facts.git_sha,
            "git_branch": facts.git_branch,
            "fidelity": Fidelity.RECORDED if facts.recorded else Fidelity.UNKNOWN,
        }

    def _describe(self, window: str, **facts: Any) -> None:
        known = {name: value for name, value in facts.items() if value is not None}
        self.windows.setdefault(window, {}).update(known)

    def _turn(self, name: str | None) -> None:
        state = self.state
        if name is None or name == state.turn:
            return
        state.turn = name
        if state.origin != state.session and session.belongs_to(name, state.session):
            state.origin = state.session

    def _model(self, name: str | None) -> None:
        if name is not None and name != self.state.model:
            self.state.model = name
            self._describe(self.state.window, model_route=name)

    def _workspace(self, path: str | None) -> None:
        """Only for a session whose meta record names no folder."""
        facts = self.state.facts
        if path is not None and facts.workspace is None:
            facts.workspace = path
            facts.repo = facts.repo or path
            self._describe(self.state.window, workspace=path, repo=facts.repo)

    def _name(self, title: str | None, thread: str | None) -> None:
        state = self.state
        if title is not None and thread in (None, state.session):
            state.facts.title = title
            self._describe(f"codex:{state.session}", title=title)
            self._describe(state.window, title=title)

    def _use(self, found: UsageDraft | None) -> None:
        if found is not None:
            self.usage.append(found)

    def _place(self, number: int, found: list[Found], at: int | None) -> None:
        state = self.state
        window = state.window
        self.at.setdefault(window, state.count)
        for role, kind, body, form, name, side, call_id in found:
            self.drafts.append(
                Draft(
                    window=window,
                    record=number,
                    role=role,
                    kind=kind,
                    body=body,
                    form=form,
                    created_at=at,
                    name=name,
                    side=side,
                    call_id=call_id,
                )
            )
        state.count += len(found)
