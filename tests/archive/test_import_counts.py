"""Every example transcript through the whole of an import, against counts made without vox."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import corpus
from tests.archive.contents import every_item, items, kinds, set_aside, usage_of, windows
from tests.sources import count_claude_code, count_codex
from vox.archive import Archive

CLAUDE_CODE = corpus.transcripts("claude-code")
CODEX = corpus.transcripts("codex")

each_claude_code = pytest.mark.parametrize("file", CLAUDE_CODE, ids=corpus.name_of)
each_codex = pytest.mark.parametrize("file", CODEX, ids=corpus.name_of)


def types(name: str, report_types: dict[str, int]) -> dict[str, int]:
    assert all(kind.startswith(f"{name}:") for kind in report_types)
    return {kind.partition(":")[2]: count for kind, count in report_types.items()}


@each_claude_code
def test_an_archive_holds_what_a_count_of_a_claude_code_transcript_says(
    archive: Archive, file: Path
) -> None:
    count = count_claude_code.Count(file.read_bytes())
    report = archive.ingest(paths=[file])
    assert report.files == 1
    assert types("claude-code", report.record_types) == count.types
    assert kinds(archive) == count.kinds
    assert report.items == report.added == count.kinds.total()
    assert report.rewritten == 0
    places = [(offset, length) for offset, length, _ in set_aside(archive, file)]
    assert places == count.quarantined
    assert report.quarantined == len(count.quarantined) + count.rejected == 0
    assert usage_of(archive) == {"reasoning": 0, **tokens(count.usage)}
    assert report.responses == len(count.responses)
    assert archive.verify().ok


@each_codex
def test_an_archive_holds_what_a_count_of_a_codex_rollout_says(
    archive: Archive, file: Path
) -> None:
    count = count_codex.Count(file.read_bytes())
    report = archive.ingest(paths=[file])
    assert report.files == 1
    assert types("codex", report.record_types) == count.types
    places = Counter(
        item["kind"] for window in windows(archive) for item in items(archive.window(window["id"]))
    )
    assert places == +count.kinds
    assert report.items == report.added + report.shared == count.kinds.total()
    assert report.added == len(every_item(archive))
    assert report.quarantined == 0
    assert usage_of(archive) == {"cache_write_1h": 0, **tokens(count.usage)}
    assert archive.verify().ok


def tokens(usage: Counter[str]) -> dict[str, int]:
    names = ("input", "output", "reasoning", "cache_read", "cache_write", "cache_write_1h")
    return {name: usage[name] for name in names}


def test_the_tokens_of_a_rollout_add_up_to_the_totals_that_it_ends_with(
    new_archive: Callable[[], Archive],
) -> None:
    compared = 0
    for file in CODEX:
        totals = last_totals(file)
        if totals is None or not file.name.startswith("rollout-"):
            continue
        archive = new_archive()
        archive.ingest(paths=[file])
        found = usage_of(archive)
        given = found["input"] + found["cache_read"] + found["cache_write"]
        assert (given, found["output"]) == (totals["input_tokens"], totals["output_tokens"])
        compared += 1
    assert compared >= 1


def last_totals(file: Path) -> dict[str, int] | None:
    """The totals that the last token count of a file names."""
    totals = None
    for record in records_of(file):
        payload = record.get("payload")
        info = payload.get("info") if isinstance(payload, dict) else None
        if isinstance(info, dict):
            totals = info.get("total_token_usage") or totals
    return totals


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """All examples in one archive."""
    import vox

    with vox.open(tmp_path_factory.mktemp("whole") / "archive") as archive:
        report = archive.ingest(paths=[*CLAUDE_CODE, *CODEX])
        assert report.files == len(CLAUDE_CODE) + len(CODEX)
        yield archive


def test_all_examples_in_one_archive_are_sound_and_counted_once(whole: Archive) -> None:
    assert whole.verify().findings == []
    assert len(every_item(whole)) == whole.stats()["items"]


def test_a_sub_agent_stands_below_the_session_that_spawned_it(whole: Archive) -> None:
    keys = {row["id"]: row for row in windows(whole)}
    expected = {}
    for file in CLAUDE_CODE:
        for record in records_of(file):
            if record.get("isSidechain") and record.get("agentId"):
                session = f"claude-code:{record['sessionId']}"
                expected[f"{session}/agent-{record['agentId']}"] = session
    present = {row["key"] for row in keys.values()}
    found = {
        row["key"]: keys[row["parent"]]["key"].partition("#")[0] if row["parent"] else None
        for row in keys.values()
        if row["key"] in expected and row["revision"] == 0
    }
    assert found.keys() == expected.keys()
    for agent, session in expected.items():
        if session in present:
            assert found[agent] == session
    assert all(row["kind"] == "agent" for row in keys.values() if row["key"] in expected)
    assert any(expected[agent] in present for agent in expected)


def test_every_compaction_opens_a_window_below_the_one_before(whole: Archive) -> None:
    rows = windows(whole)
    keys = {row["id"]: row["key"] for row in rows}
    below = {row["key"]: keys.get(row["parent"]) for row in rows}
    expected: dict[str, int] = {}
    for file in CODEX:
        compactions = 0
        session = None
        for record in records_of(file):
            payload = record.get("payload")
            if record.get("type") == "session_meta" and session is None and payload:
                session = payload["id"]
            if record.get("type") == "compacted":
                compactions += 1
        if session and compactions:
            expected[f"codex:{session}"] = compactions
    for key, compactions in expected.items():
        chain = [key, *(f"{key}#compact-{n}" for n in range(1, compactions + 1))]
        assert [below.get(name) for name in chain[1:]] == chain[:-1]
    boundaries = {
        record["uuid"]
        for file in CLAUDE_CODE
        for record in records_of(file)
        if record.get("subtype") == "compact_boundary"
    }
    named = {key.partition("#compact-")[2] for key in below}
    assert boundaries <= named
    assert all(below[key] for key in below if "#compact-" in key)
    assert expected


def records_of(file: Path) -> list[dict[str, Any]]:
    values = [json.loads(value) for value in count_claude_code.split(file.read_bytes())[0]]
    return [value for value in values if isinstance(value, dict)]


@each_claude_code
def test_no_text_of_a_claude_code_transcript_is_lost(archive: Archive, file: Path) -> None:
    assert_no_text_is_lost(archive, file)


@each_codex
def test_no_text_of_a_codex_rollout_is_lost(archive: Archive, file: Path) -> None:
    assert_no_text_is_lost(archive, file)


def assert_no_text_is_lost(archive: Archive, file: Path) -> None:
    """Every string of the file stands in the bytes of an item or in what is left of a record."""
    archive.ingest(paths=[file])
    kept: set[bytes] = set()
    for window in windows(archive):
        for item in items(archive.window(window["id"])):
            content = bytes(archive.read(item["item"]))
            kept.add(content)
            for document in (content, archive.extra(item["item"])):
                kept.update(strings_in(document))
    for record in count_claude_code.split(file.read_bytes())[0]:
        for text in strings_in(record):
            assert text in kept or is_base64_of(text, kept), text[:200]


def strings_in(document: bytes | None) -> Iterator[bytes]:
    """Every string of a JSON document, keys too."""
    try:
        values = [json.loads((document or b"").decode("utf-8", "surrogatepass"))]
    except ValueError:
        return
    while values:
        value = values.pop()
        if isinstance(value, str):
            yield value.encode("utf-8", "surrogatepass")
        elif isinstance(value, dict):
            values += [*value, *value.values()]
        elif isinstance(value, list):
            values += value


def is_base64_of(text: bytes, kept: set[bytes]) -> bool:
    import base64
    import binascii

    try:
        return base64.b64decode(text.rpartition(b";base64,")[2], validate=True) in kept
    except binascii.Error:
        return False
