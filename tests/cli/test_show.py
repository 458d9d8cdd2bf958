from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.cli.conftest import Run

BEGINNINGS = [
    ("user", "Why does the build fail?"),
    ("assistant", "Because of this: "),
    ("user", "Zweite Frage: äöü 漢字 🙂 in two lines"),
    ("tool_call Bash", '{"command":"ls"}'),
    ("tool_result", "xxxx"),
    ("assistant", "Done."),
]


def test_items_are_shown_in_order_with_who_and_how_they_begin(run: Run, imported: str) -> None:
    lines = run("show", imported).text.splitlines()
    assert len(lines) == len(BEGINNINGS)
    for line, (what, beginning) in zip(lines, BEGINNINGS, strict=True):
        _ordinal, _item, _time, said, _size, begins = line.split("\t")
        assert said.startswith(what)
        assert begins.startswith(beginning)


def test_a_window_is_named_by_id_beginning_or_key(run: Run, imported: str) -> None:
    whole = run("show", imported, "--jsonl").rows
    assert run("show", imported[:8], "--jsonl").rows == whole
    (row,) = run("ls", "--jsonl").rows
    assert run("show", row["key"], "--jsonl").rows == whole


def test_pages_join_to_the_whole(run: Run, imported: str) -> None:
    whole = run("show", imported, "--json").answer
    assert whole["schema"] == "vox.show.v1"
    assert whole["window"] == imported
    assert whole["total"] == 6
    pages = [
        run("show", imported, "--jsonl", "--start", str(start), "--count", "4").rows
        for start in (0, 4)
    ]
    assert [len(page) for page in pages] == [4, 2]
    assert [*pages[0], *pages[1]] == whole["items"]
    assert run("show", imported, "--jsonl", "--tail", "--count", "4").rows == whole["items"][2:]
    assert run("show", imported, "--jsonl", "--all").rows == whole["items"]


def test_filters_choose_by_role_kind_and_time(run: Run, imported: str) -> None:
    def begins(*filters: str) -> list[str]:
        return [row["preview"][:8] for row in run("show", imported, "--jsonl", *filters).rows]

    assert begins("--role", "user", "--kind", "message") == ["Why does", "Zweite F"]
    assert begins("--kind", "tool_call", "--kind", "tool_result") == ['{"comman', "xxxxxxxx"]
    assert begins("--since", "2026-01-31T12:05:00Z") == ["Done."]
    assert begins("--until", "2026-01-31T12:01:00Z") == ["Why does"]


def test_records_beside_the_conversation_are_shown_when_asked_for(run: Run, imported: str) -> None:
    rows = run("show", imported, "--records", "--jsonl").rows
    assert "record" in {row["kind"] for row in rows}
    assert len(rows) > 6


def test_past_the_end_there_is_nothing(run: Run, imported: str) -> None:
    outcome = run("show", imported, "--start", "600")
    assert (outcome.status, outcome.output) == (0, b"")
    assert outcome.messages == "nothing from 600 on; there are 6 items\n"


def test_a_window_without_a_conversation_says_how_to_see_what_it_has(
    run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "records.jsonl"
    file.write_text(
        '{"type":"file-history-snapshot","messageId":"m","snapshot":{},"isSnapshotUpdate":false}\n'
    )
    assert run("import", file).status == 0
    (window,) = run("ls", "--jsonl").rows
    outcome = run("show", window["id"])
    assert (outcome.status, outcome.output) == (0, b"")
    assert "only 1 record" in outcome.messages
    assert "--records" in outcome.messages
    assert len(run("show", window["id"], "--records", "--jsonl").rows) == 1


def test_an_unknown_window_is_not_found(run: Run, imported: str) -> None:
    outcome = run("show", "ffffffff", "--json")
    assert outcome.status == 3
    assert outcome.answer["code"] == "not_found"
    assert "ffffffff" in outcome.answer["message"]


def test_in_a_terminal_nothing_of_an_item_acts(run_in_terminal: Run, imported: str) -> None:
    outcome = run_in_terminal("show", imported)
    assert outcome.status == 0
    assert "Because of this: " in outcome.text
    for sequence in ("\x1b[2J", "\x1b]52", "\x07", "\u202e"):
        assert sequence not in outcome.text


def test_in_a_terminal_a_header_says_what_the_window_is(
    run_in_terminal: Run, imported: str
) -> None:
    header = run_in_terminal("show", imported, "-n", "1").text
    assert imported in header
    assert "/home/ada/engine" in header
    assert "7 items, 6 of them conversation" in header
    assert "3 responses · tokens: 3 in, 3 out" in header


def test_in_a_terminal_a_page_says_where_the_next_one_starts(
    run_in_terminal: Run, imported: str
) -> None:
    assert "items 0-1 of 6; next: --start 2" in run_in_terminal("show", imported, "-n", "2").text
    assert "next:" not in run_in_terminal("show", imported, "--start", "2").text


def test_a_shell_is_told_which_windows_there_are(imported: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "vox"],
        env={
            **os.environ,
            "_VOX_COMPLETE": "zsh_complete",
            "COMP_WORDS": f"vox show {imported[:2]}",
            "COMP_CWORD": "2",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    kind, window, title = ended.stdout.splitlines()
    assert (kind, window) == ("plain", imported[:8])
    assert title.startswith("Title ␛[2J")
