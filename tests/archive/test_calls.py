"""The number that joins a tool call and its results, through everything that is done to items."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import vox
from tests import corpus
from tests.archive.contents import contents, items, windows
from tests.archive.journal import call_number as number
from tests.archive.transcripts import SESSION, record, write
from vox.archive import Archive, NewItem, import_jsonl
from vox.archive.chat import Message
from vox.archive.salvage import salvage
from vox.archive.session_events import Created, TurnAdded, TurnItem
from vox.sources.base import ItemKind, Role

LAYOUT_2 = corpus.EXAMPLES / "archives" / "layout-2.tar.gz"
KEY = f"claude-code:{SESSION}"


def turns(count: int) -> bytes:
    """Turns that each call two tools at once, whose results come in the other order."""
    lines = []
    for turn in range(count):
        calls = [f"toolu-{turn}-{half}" for half in "ab"]
        used = [{"type": "tool_use", "id": c, "name": "Read", "input": {"of": c}} for c in calls]
        parts = [{"type": "text", "text": text} for text in ("the first part", "the second")]
        given = [
            {"type": "tool_result", "tool_use_id": calls[1], "content": parts},
            {"type": "tool_result", "tool_use_id": calls[0], "content": f"read {turn}"},
        ]
        lines += [record(4 * turn)]
        for place, content in ((1, used), (2, given)):
            role = "user" if place == 2 else "assistant"
            message = {"role": role, "id": f"m{turn}-{place}", "content": content}
            lines.append(record(4 * turn + place, type=role, message=message))
        lines.append(record(4 * turn + 3))
    return b"".join(lines)


def expected(count: int) -> list[tuple[str, int]]:
    """Kinds and calls of the items of so many turns."""
    found: list[tuple[str, int]] = []
    for turn in range(count):
        a, b = (number(f"toolu-{turn}-{half}") for half in "ab")
        found += [("message", 0), ("tool_call", a), ("tool_call", b)]
        found += [("tool_result", b), ("tool_result", b), ("tool_result", a), ("message", 0)]
    return found


def calls(archive: Archive, window: str = KEY) -> list[tuple[str, int]]:
    return [(row["kind"], row["call"]) for row in items(archive.window(window))]


def filled(archive: Archive, folder: Path, count: int = 3) -> Archive:
    archive.ingest(paths=[write(folder / "in", turns(count))])
    return archive


def named(value: Any) -> Iterator[str]:
    """The ids of calls in a record, wherever they stand."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in ("tool_use_id", "call_id", "id") and isinstance(inner, str):
                yield inner
            yield from named(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from named(inner)


def record_of(archive: Archive, item: int) -> Any:
    try:
        return json.loads(archive.extra(item) or b"null")
    except ValueError:
        return None


@pytest.mark.parametrize("tool", corpus.TOOLS)
def test_each_call_of_a_transcript_has_the_number_of_its_id_and_so_have_its_results(
    archive: Archive, tool: str
) -> None:
    archive.ingest(paths=corpus.folders(tool))
    joined = 0
    for window in windows(archive):
        rows = items(archive.window(window["id"]))
        made = {row["call"] for row in rows if row["kind"] == "tool_call"} - {0}
        for row in rows:
            ids = set(named(record_of(archive, row["item"])))
            if row["call"]:
                assert row["kind"] in ("tool_call", "tool_result", "attachment")
                assert not ids or row["call"] in map(number, ids)
                joined += row["kind"] == "tool_result" and row["call"] in made
            elif row["kind"] == "tool_result":
                assert not made & set(map(number, ids)), "its call is there, with another number"
    assert joined > 10


def test_results_have_the_number_of_their_call_in_whatever_order_they_come(
    archive: Archive, tmp_path: Path
) -> None:
    assert calls(filled(archive, tmp_path)) == expected(3)


def test_what_is_appended_in_pieces_has_the_numbers_of_what_comes_at_once(
    archive: Archive, tmp_path: Path
) -> None:
    whole = turns(80)
    lines = whole.splitlines(keepends=True)
    for end in (1, 2, 3, 130, 131, 320):
        file = write(tmp_path / "in", b"".join(lines[:end]))
        archive.ingest(paths=[file])
    assert calls(archive) == expected(80)
    assert archive.verify().ok


def test_a_fork_and_a_merge_keep_the_numbers(archive: Archive, tmp_path: Path) -> None:
    window = filled(archive, tmp_path).window(KEY)
    assert calls(archive, window.fork(8, key="fork").id) == expected(3)[:9]
    merged = archive.merge([(KEY, range(7, 14)), (KEY, range(7))], key="merged")
    assert calls(archive, "merged") == expected(3)[7:14] + expected(3)[:7]
    assert (merged.results_without_call, merged.calls_without_result) == (0, 0)


def test_a_merge_says_which_halves_it_tears_apart_by_their_numbers(
    archive: Archive, tmp_path: Path
) -> None:
    filled(archive, tmp_path)
    # Both calls, and the results of the second only.
    torn = archive.merge([(KEY, range(1, 5))], key="one")
    assert (torn.results_without_call, torn.calls_without_result) == (0, 1)
    # The first result that comes isn't that of the first call.
    torn = archive.merge([(KEY, [1, 5])], key="two")
    assert (torn.results_without_call, torn.calls_without_result) == (0, 0)
    torn = archive.merge([(KEY, [1, 3, 4])], key="three")
    assert (torn.results_without_call, torn.calls_without_result) == (2, 1)


def test_compacting_purging_and_collecting_keep_the_numbers(
    archive: Archive, tmp_path: Path
) -> None:
    window = filled(archive, tmp_path).window(KEY)
    window.trim([2, 4])
    archive.purge(trimmed=True, now=True, erase=True, dry_run=False)
    archive.compact()
    assert [row["purged"] for row in items(archive.window(KEY))][2:5] == [True, False, True]
    assert calls(archive) == expected(3)
    assert archive.verify().ok


def test_lines_of_json_and_salvaging_keep_the_numbers(archive: Archive, tmp_path: Path) -> None:
    before = contents(filled(archive, tmp_path))
    lines = io.BytesIO()
    archive.export_jsonl(lines)
    archive.close()
    lines.seek(0)
    import_jsonl(lines, tmp_path / "lines")
    salvage(tmp_path / "archive", tmp_path / "saved")
    for place in ("lines", "saved"):
        with vox.open(tmp_path / place) as copy:
            assert calls(copy) == expected(3)
            assert copy.verify().ok
            assert place == "saved" or contents(copy) == before


def test_an_equal_call_of_another_conversation_is_not_shared(
    archive: Archive, tmp_path: Path
) -> None:
    filled(archive, tmp_path)
    replayed = turns(3).replace(b"toolu-1-a", b"toolu-x-a").replace(SESSION.encode(), b"another")
    replayed = replayed.replace(b'{"of": "toolu-x-a"}', b'{"of": "toolu-1-a"}')
    replayed = replayed.replace(b"of another", f"of {SESSION}".encode())
    archive.ingest(paths=[write(tmp_path / "in", replayed, "another.jsonl")])
    others = {number("toolu-1-a"): number("toolu-x-a")}
    assert calls(archive, "claude-code:another") == [
        (kind, others.get(call, call)) for kind, call in expected(3)
    ]
    first, second = (items(archive.window(f"claude-code:{name}")) for name in (SESSION, "another"))
    assert [row["item"] for row in first][:8] == [row["item"] for row in second][:8]
    assert [row["chain_hash"] for row in first] == [row["chain_hash"] for row in second]


def test_programs_sessions_and_chats_give_ids_of_their_calls(archive: Archive) -> None:
    call = NewItem(role=Role.ASSISTANT, kind=ItemKind.TOOL_CALL, content="{}", call_id="c-1")
    result = NewItem(role=Role.TOOL, kind=ItemKind.TOOL_RESULT, content="done", call=number("c-1"))
    none = NewItem(role=Role.TOOL, kind=ItemKind.TOOL_RESULT, content="x", call_id="")
    archive.append("own", [call, result, none])
    assert [row for _, row in calls(archive, "own")] == [number("c-1"), number("c-1"), 0]

    turn = [TurnItem(kind="tool_call", content="{}", name="Bash", call_id="c-2")]
    answer = [TurnItem(kind="tool_result", content="ok", call_id="c-2"), TurnItem(content="Hm")]
    archive.sessions.append_many(
        [
            Created(session="s"),
            TurnAdded(session="s", role="assistant", items=turn),
            TurnAdded(session="s", role="user", items=answer),
        ]
    )
    assert [row for _, row in calls(archive, "vox-session:s")] == [number("c-2"), number("c-2"), 0]

    chat = archive.chat.create(id="c")
    said = [
        Message(role="assistant", kind="tool_call", content="{}", call_id="c-3"),
        Message(role="tool", kind="tool_result", content="ok", call_id="c-3"),
        Message(role="user", content="thanks"),
    ]
    archive.chat.append(chat, *said)
    assert [row for _, row in calls(archive, "vox-chat:c")] == [number("c-3"), number("c-3"), 0]
    assert [message.call_id for message in archive.chat.messages(chat)] == ["c-3", "c-3", None]


def test_a_window_without_its_secrets_keeps_the_numbers(archive: Archive, tmp_path: Path) -> None:
    secret = b"ghp_" + b"Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3h2"
    lines = turns(2).replace(b"read 1", b"token " + secret)
    archive.ingest(paths=[write(tmp_path / "in", lines)])
    made = archive.redact(KEY)
    assert made.redacted
    assert calls(archive, made.window) == expected(2)


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """An archive of `turns(80)` whose chunks know nothing of calls."""
    with tarfile.open(LAYOUT_2) as tar:
        tar.extractall(tmp_path / "older", filter="data")
    return tmp_path / "older"


def test_an_archive_without_calls_is_read_and_what_it_has_stays_when_it_goes_on(
    older: Path, tmp_path: Path
) -> None:
    def known(archive: Archive) -> list[dict[str, Any]]:
        return items(archive.window(KEY))

    with vox.open(older, read_only=True) as archive:
        before = known(archive)
        assert calls(archive) == [(kind, 0) for kind, _ in expected(80)]
    with vox.open(older) as archive:
        assert archive.verify().ok
        archive.ingest(paths=[write(tmp_path / "in", turns(82))])
        after = known(archive)
        assert after[: len(before)] == before
        assert calls(archive)[len(before) :] == expected(82)[len(before) :]
        assert archive.verify().ok
        archive.compact()
        assert known(archive) == after
        # The order says what numbers don't.
        torn = archive.merge([(KEY, [1, 3])], key="merged")
        assert (torn.results_without_call, torn.calls_without_result) == (0, 0)
