from __future__ import annotations

from pathlib import Path

import pytest

import vox
from tests.archive.test_readers import stopped_reading
from tests.cli.conftest import Run


def findings(run: Run) -> dict[str, tuple[str, str]]:
    answer = run("doctor", "--json").answer
    assert answer["schema"] == "vox.doctor.v1"
    return {row["what"]: (row["state"], row["says"]) for row in answer["findings"]}


def test_before_the_first_import_nothing_is_bad(run: Run, home: Path) -> None:
    assert run("doctor").status == 0
    found = findings(run)
    assert found["vox"][1].startswith(vox.__version__)
    assert found["archive"] == (
        "note",
        f"{home / 'archive'} doesn't exist yet; `vox import` makes it",
    )
    assert not home.exists(), "looking makes nothing"


def test_an_archive_is_opened_and_counted(run: Run, imported: str) -> None:
    state, says = findings(run)["archive"]
    assert state == "ok"
    assert "1 window" in says


def test_the_folders_of_the_tools_are_looked_at(
    run: Run, transcript: Path, monkeypatch: object
) -> None:
    assert {"Claude Code", "Codex"} <= set(findings(run))


def test_what_the_tool_will_delete_is_said_with_the_number_of_its_settings(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    (tmp_path / "projects").mkdir()
    assert "deleted by the tool after 30 days" in findings(run)["Claude Code"][1]
    (tmp_path / "settings.json").write_text('{"cleanupPeriodDays": 3650}')
    assert "deleted by the tool after 3,650 days" in findings(run)["Claude Code"][1]


def test_an_archive_that_cannot_be_opened_is_bad(run: Run, home: Path) -> None:
    (home / "archive").mkdir(parents=True)
    outcome = run("doctor", "--json")
    assert outcome.status == 10
    assert ("bad", "archive") in {(row["state"], row["what"]) for row in outcome.answer["findings"]}


def test_a_link_to_nowhere_among_the_transcripts_stops_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    (tmp_path / "projects").mkdir()
    (tmp_path / "projects" / "gone.jsonl").symlink_to("nowhere")
    assert findings(run)["Claude Code"][1].startswith("1 transcript, 0 B")


@pytest.mark.parametrize("name", ["file", "x" * 5_000], ids=["below a file", "too long"])
def test_a_home_that_can_hold_no_archive_is_bad(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("VOX_HOME", str(tmp_path / name))
    assert run("doctor").status != 0
    assert findings(run)["archive"][0] == "bad"


def test_another_process_that_reads_the_archive_is_named(
    run: Run, imported: str, home: Path
) -> None:
    assert "reader" not in {row["what"] for row in run("doctor", "--json").answer["findings"]}
    with vox.open(home / "archive") as archive, stopped_reading(archive) as child:
        archive.append("example:notes", [])
        (found,) = [
            row for row in run("doctor", "--json").answer["findings"] if row["what"] == "reader"
        ]
    assert found["state"] == "note"
    assert f"process {child.pid} reads a state that is 1 transaction old" in found["says"]
