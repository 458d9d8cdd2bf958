"""Sessions: what their first record says, and where they came from."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from msgspec import Raw

from vox.sources.base import Form, ItemKind, JsonPath, Role
from vox.sources.codex.items import Found, carried
from vox.sources.codex.records import Fields, mapping, text
from vox.sources.codex.state import Facts
from vox.sources.raws import ABSENT, QUOTE, first_byte

_ID = re.compile(r"[\w.:-]+")
_UUID_AT_END = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_UUID_7 = re.compile(r"([0-9a-f]{8}-[0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


def session_id(meta: Fields) -> str | None:
    """The session a meta record names. `session_id` comes second: in a sub-agent's file it is
    the parent's."""
    for raw in (meta.id, meta.session_id):
        name = text(raw)
        if name and _ID.fullmatch(name):
            return name
    return None


def fallback_id(path: Path, first: bytes) -> str:
    """A stable name for a file that names no session: the id in its name, or the name and its
    first record, since names like `session.jsonl` say little."""
    stem = path.name.removesuffix(".zst").removesuffix(".jsonl")
    named = _UUID_AT_END.search(stem)
    if named:
        return named.group()
    return f"{stem}-{hashlib.blake2b(first, digest_size=4).hexdigest()}"


def is_bare_meta(record: Fields) -> bool:
    """The first line of the oldest generation: a session without type or envelope."""
    return (
        record.type is None
        and record.payload is None
        and first_byte(record.id) == QUOTE
        and first_byte(record.timestamp) == QUOTE
        and first_byte(record.role) == 0
    )


def facts_of(meta: Fields) -> Facts:
    """What a session's own meta record says about its windows."""
    git = mapping(meta.git)
    cwd = text(meta.cwd)
    facts = Facts(
        repo=text(git.get("repository_url", ABSENT)) or cwd,
        workspace=cwd,
        git_sha=text(git.get("commit_hash", ABSENT)),
        git_branch=text(git.get("branch", ABSENT)),
        recorded=_instructions_path(meta, ()) is not None,
    )
    subagent = mapping(meta.source).get("subagent")
    spawn = mapping(mapping(subagent or ABSENT).get("thread_spawn", ABSENT))
    parent = _id_or_none(meta.parent_thread_id) or _id_or_none(
        spawn.get("parent_thread_id", ABSENT)
    )
    forked_from = _id_or_none(meta.forked_from_id)
    if subagent is not None or text(meta.thread_source) == "subagent" or parent:
        facts.kind = "agent"
        facts.agent = (
            text(meta.agent_role)
            or text(spawn.get("agent_role", ABSENT))
            or text(meta.agent_nickname)
            or text(subagent or ABSENT)
        )
        parent = parent or forked_from
        if parent:
            facts.parent, facts.link = f"codex:{parent}", "spawned_by"
    elif forked_from:
        facts.parent, facts.link = f"codex:{forked_from}", "forked_from"
    return facts


def meta_item(meta: Fields, base: JsonPath, *, own: bool) -> Found:
    """The instructions of a session as its first item. A copied meta record, of the session
    that a fork repeats, stands beside the conversation, which would else begin twice."""
    path = _instructions_path(meta, base)
    if path is None:
        return carried(base)
    if own:
        return Found(Role.SYSTEM, ItemKind.MESSAGE, path)
    return Found(Role.SYSTEM, ItemKind.RECORD, path, Form.STRING, None, True)


def belongs_to(turn: str | None, session: str) -> bool:
    """Whether a turn began after its session did, by the times in their ids (UUID version 7).
    Turns that a fork repeats are older than the fork."""
    one = _UUID_7.fullmatch(turn or "")
    other = _UUID_7.fullmatch(session)
    return one is not None and other is not None and one.group(1) >= other.group(1)


def _instructions_path(meta: Fields, base: JsonPath) -> JsonPath | None:
    if first_byte(meta.base_instructions) == QUOTE:
        return (*base, "base_instructions")
    if first_byte(mapping(meta.base_instructions).get("text", ABSENT)) == QUOTE:
        return (*base, "base_instructions", "text")
    if first_byte(meta.instructions) == QUOTE:
        return (*base, "instructions")
    return None


def _id_or_none(raw: Raw) -> str | None:
    name = text(raw)
    return name if name and _ID.fullmatch(name) else None
