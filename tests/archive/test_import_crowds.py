"""Folders with very many transcripts, with names that are no text, and with ids that repeat."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.archive import journal
from tests.archive.contents import windows
from tests.archive.transcripts import record, session, write
from vox.archive import Archive

WINDOWS = 10_000


def test_ten_thousand_windows_in_one_folder_are_imported_listed_and_found(
    archive: Archive, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(WINDOWS):
        journal.write(
            folder / f"{number:05}.journal",
            [journal.Entry(window=str(number), text=f"said in {number}", at=number)],
        )
    assert journal.ingest(archive, folder).windows == WINDOWS
    assert archive.count_windows() == WINDOWS
    listed = archive.windows(count=WINDOWS).column("key")
    assert sorted(listed) == sorted(journal.key(str(number)) for number in range(WINDOWS))
    last = archive.window(journal.key(str(WINDOWS - 1)))
    assert [bytes(archive.read(item)) for item in last.items(0, 10).column("item")] == [
        f"said in {WINDOWS - 1}".encode()
    ]
    again = journal.ingest(archive, folder)
    assert (again.unchanged, again.added) == (WINDOWS, 0)
    assert archive.verify().ok


@pytest.mark.skipif(sys.platform == "darwin", reason="this system takes no such names")
def test_a_transcript_whose_path_is_no_text_is_imported_and_known_again(
    archive: Archive, tmp_path: Path
) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9 \xff"))
    file = write(folder, session(4), os.fsdecode(b"\xfe session.jsonl"))
    assert archive.ingest(root=tmp_path).added == 4
    with file.open("ab") as stream:
        stream.write(record(4))
    report = archive.ingest(root=tmp_path)
    assert (report.added, report.problems) == (1, [])
    assert [path for path, *_ in archive._native.sources()] == [file]
    file.unlink()
    assert archive.ingest(root=tmp_path).problems == []
    (source,) = archive._native.sources()
    assert source[-1] is not None, "it is known to be gone"
    assert archive.verify().ok


def test_conversations_of_two_tools_with_one_id_are_two(archive: Archive, tmp_path: Path) -> None:
    shared = "0199a213-81a0-7800-8000-000000000001"
    write(tmp_path, session(3, session=shared), f"{shared}.jsonl")
    rollout = (
        '{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"%s",'
        '"timestamp":"2026-01-01T00:00:00Z","cwd":"/w","originator":"codex","cli_version":"1"}}\n'
        '{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{"type":"message",'
        '"role":"user","content":[{"type":"input_text","text":"from the other"}]}}\n'
    )
    name = f"rollout-2026-01-01T00-00-00-{shared}.jsonl"
    write(tmp_path, (rollout % shared).encode(), name)
    report = archive.ingest(root=tmp_path)
    assert report.problems == []
    assert {window["key"] for window in windows(archive)} == {
        f"claude-code:{shared}",
        f"codex:{shared}",
    }
    said = archive.window(f"codex:{shared}").items(0, 10)
    assert said.column("preview")[-1] == "from the other"
    assert len(archive.window(f"claude-code:{shared}")) == 3
    assert archive.verify().ok
