from __future__ import annotations

import json
from typing import Any

import pytest
from blake3 import blake3

from vox.archive import Archive
from vox.archive.content import Content
from vox.archive.session_events import (
    Compacted,
    Created,
    Dropped,
    ExpensiveOpRecorded,
    MetaUpdated,
    PluginStateUpdated,
    Reset,
    SessionEvent,
    StateChanged,
    TurnAdded,
    TurnItem,
    Usage,
)
from vox.archive.sessions import LineProblem, SessionInfo
from vox.errors import ConflictError, InvalidArgumentError, NotFoundError

PIXEL = b"\x89PNG\r\n\xff"


def said(text: str, **more: Any) -> TurnAdded:
    return TurnAdded(session="s", at=20, role="user", items=[TurnItem(content=text)], **more)


def a_life() -> list[SessionEvent]:
    """A session with each kind of event."""
    return [
        Created(
            session="s",
            at=10,
            kind="task",
            parent="boss",
            title="First",
            agent="builder",
            model_route="m1",
            repo="r",
            git_sha_at_open="aaa",
            thread_id="t",
        ),
        said("Build it"),
        TurnAdded(
            session="s",
            at=30,
            role="assistant",
            items=[
                TurnItem(kind="reasoning", content="Hm"),
                TurnItem(kind="tool_call", name="make", call_id="1", content='{"all":true}'),
                TurnItem(kind="tool_result", name="make", call_id="1", content="done", at=35),
                TurnItem(kind="attachment", name="image/png", content=Content(data=PIXEL)),
            ],
            usage=Usage(key="r1", model="m1", input=5, output=7),
        ),
        MetaUpdated(session="s", at=40, title="Second", tags=["work", "red"]),
        ExpensiveOpRecorded(session="s", at=45, op="embed", usage=Usage(input=3)),
        PluginStateUpdated(session="s", at=46, plugin="todo", content='["a"]'),
        Compacted(
            session="s",
            at=50,
            dropped=[
                Dropped(content=Content(hash=blake3(b"Build it").hexdigest())),
                Dropped(content="Never seen", role="assistant"),
            ],
            summary="They built it",
            rationale="All is done",
        ),
        StateChanged(session="s", at=60, state="closed", git_sha_at_close="bbb"),
    ]


def test_each_event_shows_in_the_session_s_window(archive: Archive) -> None:
    placed = archive.sessions.append_many(a_life())
    assert [each.sequence for each in placed] == list(range(8))
    window = archive.window("vox-session:s")
    told = ("title", "kind", "tier", "agent", "model_route", "repo", "git_sha_at_open", "parent")
    assert [window.info[name] for name in told] == [
        *("Second", "task", "cold", "builder", "m1", "r", "aaa", None),
    ]
    assert sorted(window.info["tags"]) == ["red", "work"]
    assert shown(archive) == [
        ("user", "message", b"Build it", None, 20, -1),
        ("assistant", "reasoning", b"Hm", None, 30, None),
        ("assistant", "tool_call", b'{"all":true}', "make", 30, None),
        ("tool", "tool_result", b"done", "make", 35, None),
        ("assistant", "attachment", PIXEL, "image/png", 30, None),
        ("system", "record", b'["a"]', "todo", 46, None),
        ("assistant", "message", b"Never seen", None, 50, -1),
        ("system", "summary", b"They built it", None, 50, None),
        ("system", "summary", b"All is done", "rationale", 50, None),
    ]
    usage = {row["key"]: (row["model"], row["input"], row["output"]) for row in window.usage()}
    assert usage == {"r1": ("m1", 5, 7), "vox-session:s#4": (None, 3, 0)}
    assert archive.verify().ok


def shown(archive: Archive) -> list[tuple[Any, ...]]:
    window = archive.window("vox-session:s")
    columns = ("role", "kind", "item", "name", "created_at", "committed")
    rows = window.items(records=True).to_pylist()
    return [
        tuple(archive.read(row[name]) if name == "item" else row[name] for name in columns)
        for row in rows
    ]


def test_events_are_read_back_as_they_were_given(archive: Archive) -> None:
    archive.sessions.append_many(a_life())
    read = archive.sessions.events("s")
    expected = a_life()
    for sequence, event in enumerate(expected):
        event.sequence = sequence
    compacted = expected[6]
    assert isinstance(compacted, Compacted)
    # What was named by its hash comes with its text.
    compacted.dropped[0] = Dropped(content="Build it")
    assert read == expected
    assert archive.sessions.events("s", 3, 1) == expected[3:4]
    assert archive.sessions.list() == [SessionInfo("s", events=8, items=9)]


def test_a_window_stands_below_its_parent_s_whichever_comes_first(archive: Archive) -> None:
    archive.sessions.append(Created(session="child", parent="boss"))
    archive.sessions.append(Created(session="boss"))
    child = archive.window("vox-session:child")
    assert child.info["parent"] == archive.window("vox-session:boss").id
    assert child.info["link"] == "spawned_by"


def test_a_reset_takes_all_items_out_of_the_committed_set(archive: Archive) -> None:
    reset = Reset(session="s", reason="a new task")
    archive.sessions.append_many([Created(session="s"), said("a"), said("b"), reset, said("c")])
    assert [row[-1] for row in shown(archive)] == [-1, -1, None]
    assert archive.window("vox-session:s").count() == 3


def test_a_repeated_event_is_known_and_another_one_is_a_conflict(archive: Archive) -> None:
    events = a_life()
    for sequence, event in enumerate(events):
        event.sequence = sequence
    archive.sessions.append_many(events)
    before = archive.stats()
    assert all(placed.known for placed in archive.sessions.append_many(events))
    assert archive.stats()["tables"]["windows"] == before["tables"]["windows"]
    with pytest.raises(ConflictError, match=r"event 0 .*another event with the number 1"):
        archive.sessions.append(said("Break it", sequence=1))
    with pytest.raises(ConflictError, match=r"the number 9, but 8 comes next"):
        archive.sessions.append(said("Later", sequence=9))


def test_an_error_names_the_event_and_the_field_and_nothing_is_written(archive: Archive) -> None:
    bad = TurnAdded(session="s", role="user", items=[TurnItem(content="a", at="now")])  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match=r"event 1: .*int.*items\[0\]\.at"):
        archive.sessions.append_many([Created(session="s"), bad])
    with pytest.raises(InvalidArgumentError, match=r"event 0: the state of a plugin is JSON"):
        archive.sessions.append(PluginStateUpdated(session="s", plugin="p", content="{"))
    with pytest.raises(InvalidArgumentError, match="begins with `created`"):
        archive.sessions.append(said("early"))
    lost = Compacted(session="s", summary="x", dropped=[Dropped(content=Content(hash="0" * 64))])
    with pytest.raises(NotFoundError, match=r"event 1 .*give its bytes"):
        archive.sessions.append_many([Created(session="s"), lost])
    assert archive.sessions.list() == []
    with pytest.raises(NotFoundError, match='no session "nobody"'):
        archive.sessions.events("nobody")


def test_folding_again_changes_nothing(archive: Archive) -> None:
    archive.sessions.append_many(a_life())
    archive.chat.create(id="c")
    nothing = {"windows": 0, "added": 0, "shared": 0, "usage": 0, "changed": 0}
    assert archive.sessions.refold() == nothing
    assert archive.sessions.refold("s") == nothing
    with pytest.raises(NotFoundError):
        archive.sessions.refold("nobody")


def test_bad_lines_are_named_by_their_place_and_the_others_are_taken(archive: Archive) -> None:
    lines = [
        json.dumps({"event": "created", "session": "s"}),
        "",
        "{broken",
        json.dumps({"event": "mood_changed", "session": "s"}),
        json.dumps({"event": "turn_added", "session": "s", "role": "user", "items": [{}]}),
        json.dumps({"event": "reset", "session": "s", "color": "red"}),
        json.dumps({"event": "reset", "session": "other"}),
        json.dumps(
            {"event": "turn_added", "session": "s", "role": "user", "items": [{"content": "hi"}]}
        ),
    ]
    report = archive.sessions.append_lines(lines)
    assert (report.appended, report.known) == (2, 0)
    problems = {problem.line: problem.message for problem in report.problems}
    assert list(problems) == [3, 4, 5, 6, 7]
    assert "mood_changed" in problems[4]
    assert "content" in problems[5]
    assert "$.items[0]" in problems[5]
    assert "color" in problems[6]
    assert "begins with `created`" in problems[7]
    assert isinstance(report.problems[0], LineProblem)
    assert archive.window("vox-session:s").count() == 1
