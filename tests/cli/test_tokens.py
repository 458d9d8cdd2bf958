"""`vox tokens`: numbers side by side, from the same counts as the library's."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import vox
from tests.cli.conftest import Run
from vox.archive import NewItem
from vox.cli.tokens.sources import BATCH, MAPPED, Item, batches
from vox.sources.base import ItemKind, Role
from vox.tokens import TokenEstimator

PROSE = "It was the best of times, it was the worst of times. " * 20
CODE = "def f(x):\n    return {y: x[y] for y in range(3)}  # (a, b)\n" * 20


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """A file of prose, one of code, and one of bytes that are no UTF-8."""
    contents = {"a.txt": PROSE.encode(), "b.py": CODE.encode(), "c.bin": b"\xff\xfe\0 caf\xe9" * 9}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    return [tmp_path / name for name in contents]


def cells(output: str) -> list[list[str]]:
    return [line.split("\t") for line in output.splitlines()]


def give(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_a_file_has_what_the_library_counts(run: Run, files: list[Path]) -> None:
    estimator = TokenEstimator("gpt-4o")
    outcome = run("tokens", files[0], "--model", "gpt-4o")
    assert outcome.status == 0, outcome.messages
    numbers = [int(of([PROSE])[0]) for of in (estimator.exact, estimator.bound, estimator.ratio)]
    assert cells(outcome.text) == [["prose", "1", str(len(PROSE)), *map(str, numbers)]]
    assert numbers[0] <= numbers[1]


def test_a_closed_standard_input_is_said_to_be_closed(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    for arguments in ([], ["-"]):
        outcome = run("tokens", *arguments, "-m", "gpt-5")
        assert outcome.status == 2
        assert "standard input is closed" in outcome.messages


def test_several_files_are_rows_by_content_and_a_total(run: Run, files: list[Path]) -> None:
    rows = cells(run("tokens", *files, files[0], "-m", "gpt-4o").text)
    assert rows[0][:3] == ["prose", "2", str(2 * len(PROSE))]
    assert rows[1][:3] == ["code", "1", str(len(CODE))]
    assert rows[-1][0] == "total"
    for column in range(1, 6):
        assert int(rows[-1][column]) == sum(int(row[column]) for row in rows[:-1])


def test_models_stand_one_below_the_other(run: Run, files: list[Path]) -> None:
    both = cells(run("tokens", files[1], "-m", "gpt-4o", "-m", "gpt-4").text)
    one, other = (cells(run("tokens", files[1], "-m", m).text) for m in ("gpt-4o", "gpt-4"))
    assert both == [
        [*one[0][:3], "gpt-4o", *one[0][3:]],
        [*other[0][:3], "gpt-4", *other[0][3:]],
    ]


def test_without_a_tokenizer_nothing_is_called_exact(run: Run, files: list[Path]) -> None:
    (row,) = cells(run("tokens", files[0], "-m", "claude-opus-4-8").text)
    assert row[3] == "-"
    assert int(row[4]) > int(row[5]) > 0
    answer = run("tokens", files[0], "-m", "claude-opus-4-8", "--json").answer
    assert answer["rows"][0]["tokens"][0]["exact"] is None
    assert answer["models"][0]["kind"] != "exact"


def test_programs_get_one_object(run: Run, files: list[Path]) -> None:
    answer = run("tokens", *files, "-m", "gpt-4o", "-m", "claude-opus-4-8", "--json").answer
    assert answer["schema"] == "vox.tokens.v1"
    assert [model["model"] for model in answer["models"]] == ["gpt-4o", "claude-opus-4-8"]
    assert answer["total"]["items"] == 3
    assert answer["total"]["bytes"] == sum(file.stat().st_size for file in files)
    exact = sum(row["tokens"][0]["exact"] for row in answer["rows"])
    assert answer["total"]["tokens"][0]["exact"] == exact
    assert all(row["tokens"][0]["exact"] <= row["tokens"][0]["bound"] for row in answer["rows"])


def test_in_a_terminal_columns_have_titles_and_models_say_what_they_are_worth(
    run_in_terminal: Run, files: list[Path]
) -> None:
    one = run_in_terminal("tokens", files[0], "-m", "gpt-4o").text
    assert "exact" in one
    assert "bound" in one
    assert "o200k_base" in one
    two = run_in_terminal("tokens", files[0], "-m", "gpt-4o", "-m", "claude-opus-4-8").text
    assert "bound or assumed" in two
    assert "claude-opus-4-8" in two


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_standard_input_is_a_text(
    run: Run, monkeypatch: pytest.MonkeyPatch, files: list[Path], arguments: tuple[str, ...]
) -> None:
    give(monkeypatch, PROSE.encode())
    outcome = run("tokens", *arguments, "-m", "gpt-4o")
    assert outcome.text == run("tokens", files[0], "-m", "gpt-4o").text


@pytest.mark.parametrize("size", [0, 1, BATCH - 1, BATCH, BATCH + 5])
def test_input_of_any_size_is_one_text(
    run: Run, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    give(monkeypatch, b" " * size)
    answer = run("tokens", "-m", "claude-opus-4-8", "--json").answer
    assert (answer["total"]["items"], answer["total"]["bytes"]) == (1, size)
    assert answer["total"]["tokens"][0]["bound"] >= size


def test_a_large_file_is_mapped_and_counted_whole(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "large"
    with file.open("wb") as handle:
        handle.truncate(MAPPED + 1)
    answer = run("tokens", file, "-m", "claude-opus-4-8", "--json").answer
    assert answer["total"]["bytes"] == MAPPED + 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_read_to_its_end(run: Run, tmp_path: Path, files: list[Path]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen([sys.executable, "-c", f"open({str(pipe)!r}, 'w').write({PROSE!r})"]):
        assert (
            run("tokens", pipe, "-m", "gpt-4o").text == run("tokens", files[0], "-m", "gpt-4o").text
        )


def test_items_of_a_window_are_rows_by_role_and_kind(run: Run, imported: str) -> None:
    answer = run("tokens", imported[:8], "-m", "gpt-4o", "--json").answer
    rows = {row["what"]: row for row in answer["rows"]}
    assert {what: row["items"] for what, row in rows.items()} == {
        "tool tool_result": 1,
        "assistant message": 2,
        "user message": 2,
        "assistant tool_call": 1,
    }
    items = run("show", imported, "--jsonl").rows
    contents = [run("cat", item["item"]).output for item in items]
    exact = TokenEstimator("gpt-4o").exact(contents)
    assert answer["total"]["tokens"][0]["exact"] == int(exact.sum())
    assert rows["tool tool_result"]["bytes"] == 200_000


def test_attachments_that_are_no_text_are_named_and_not_counted(run: Run, tmp_path: Path) -> None:
    with vox.open() as archive:
        items = [
            NewItem(role=Role.USER, kind=ItemKind.ATTACHMENT, content=content)
            for content in (b"\x89PNG\0", b"words")
        ]
        archive.append("pictures", items)
        (window,) = archive.windows().to_pylist()
    rows = cells(run("tokens", window["id"], "-m", "gpt-4o").text)
    assert ["user attachment, no text", "1", "5", "-", "-", "-"] in rows
    assert [row[3] for row in rows if row[0] == "user attachment"] == ["1"]
    assert rows[-1][:4] == ["total", "2", "10", "1"]


def test_a_path_is_a_file_even_if_a_window_begins_so(
    run: Run, imported: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = imported[:8]
    Path(name).write_text(PROSE)
    assert cells(run("tokens", name, "-m", "gpt-4o").text)[0][0] == "prose"
    assert cells(run("tokens", imported, "-m", "gpt-4o").text)[-1][0] == "total"


def test_what_is_neither_file_nor_window_is_not_found(run: Run, imported: str) -> None:
    outcome = run("tokens", "nowhere", "-m", "gpt-4o")
    assert outcome.status == 3
    assert "no file nowhere" in outcome.messages


def test_a_folder_is_refused_and_told_what_to_name(run: Run, tmp_path: Path) -> None:
    outcome = run("tokens", tmp_path, "-m", "gpt-4o")
    assert outcome.status == 2
    assert "git ls-files" in outcome.messages


def test_nothing_is_counted_if_a_later_argument_is_wrong(run: Run, files: list[Path]) -> None:
    outcome = run("tokens", files[0], files[0].parent / "none", "-m", "gpt-4o")
    assert (outcome.status, outcome.output) == (3, b"")


@pytest.mark.parametrize(
    "arguments",
    [
        ("FILE",),
        ("FILE", "-m", "no-such-model"),
        ("-", "-", "-m", "gpt-4o"),
        ("--list", "--learn"),
        ("--list", "FILE"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(
    run: Run, files: list[Path], arguments: tuple[str, ...]
) -> None:
    named = [files[0] if argument == "FILE" else argument for argument in arguments]
    outcome = run("tokens", *named)
    assert (outcome.status, outcome.output) == (2, b"")


def test_known_models_are_listed_with_what_their_counts_are_worth(run: Run) -> None:
    rows = cells(run("tokens", "--list").text)
    assert ["o200k", "exact"] in [row[:2] for row in rows]
    assert any("claude" in row[3] and row[1] == "assumed" for row in rows)
    assert {row[2] for row in rows} == {"researched", "secondary"}
    families = run("tokens", "--list", "--json").answer["families"]
    assert [[family["family"], family["status"]] for family in families] == [
        [row[0], row[2]] for row in rows
    ]


def test_what_windows_report_corrects_the_ratio(run: Run, tmp_path: Path) -> None:
    given = PROSE * 5
    estimate = int(TokenEstimator("claude-opus-4-8").ratio([given.encode()])[0])
    write_session(tmp_path / "claude", given, grows=int(estimate * 1.5))
    assert run("import", "claude-code", "--root", tmp_path / "claude").status == 0
    file = tmp_path / "given"
    file.write_text(given)
    before = run("tokens", file, "-m", "claude-opus-4-8", "--json").answer
    for _ in range(2):
        learned = run("tokens", "--learn", "--json").answer
        assert learned["reports"] == 9
    (model,) = learned["models"]
    assert model["factor"] == pytest.approx(1.5, abs=0.01)
    after = run("tokens", file, "-m", "claude-opus-4-8", "--json").answer
    assert after["total"]["tokens"][0]["ratio"] == pytest.approx(estimate * 1.5, rel=0.01)
    assert after["total"]["tokens"][0]["bound"] == before["total"]["tokens"][0]["bound"]
    assert "9 reports" in after["models"][0]["ratio"]


def test_an_archive_without_usage_teaches_nothing(run: Run) -> None:
    vox.open().close()
    outcome = run("tokens", "--learn")
    assert (outcome.status, outcome.output) == (0, b"")
    assert "no window reports" in outcome.messages


def test_texts_are_held_in_batches_and_a_large_one_is_handed_on_at_once() -> None:
    taken: list[int] = []

    def items() -> Any:
        for size in (3, BATCH + 1, 5, BATCH, 7):
            taken.append(size)
            yield Item(bytes(size))

    seen = [([len(item.content) for item in batch], len(taken)) for batch in batches(items())]
    assert seen == [([3], 2), ([BATCH + 1], 2), ([5], 4), ([BATCH], 4), ([7], 5)]


def write_session(folder: Path, given: str, *, grows: int) -> None:
    """A session of ten answers, before each of which a user gave `given` and the input grew."""
    import msgspec

    records = []
    for i in range(10):
        usage = {"input_tokens": 10_000 + i * grows, "output_tokens": 1}
        answer = {"id": f"m{i}", "model": "claude-opus-4-8", "usage": usage, "content": []}
        for role, message in (("user", {"content": given}), ("assistant", answer)):
            records.append(
                {
                    "type": role,
                    "uuid": f"{role}{i}",
                    "parentUuid": None if role == "user" and not i else f"before{role}{i}",
                    "sessionId": "5e551017-0000-4000-8000-000000000002",
                    "requestId": f"r{i}",
                    "timestamp": f"2026-01-31T12:{i:02}:{'00' if role == 'user' else '30'}.000Z",
                    "cwd": "/home/ada/engine",
                    "message": {"role": role, **message},
                }
            )
    for before, after in pairwise(records):
        after["parentUuid"] = before["uuid"]
    (folder / "-home-ada-engine").mkdir(parents=True)
    file = folder / "-home-ada-engine" / "5e551017-0000-4000-8000-000000000002.jsonl"
    file.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
