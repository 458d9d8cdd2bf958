from __future__ import annotations

import base64
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.cli.conftest import HOSTILE, Run


@pytest.fixture
def items(run: Run, imported: str) -> list[str]:
    return [row["item"] for row in run("show", imported, "--jsonl").rows]


def test_an_item_comes_out_byte_for_byte(run: Run, items: list[str]) -> None:
    assert run("cat", items[1]).output == f"Because of this: {HOSTILE}".encode()
    assert run("cat", items[2]).output == "Zweite Frage: äöü 漢字 🙂\nin two lines".encode()
    assert run("cat", items[4]).output == b"x" * 200_000


def test_the_extra_is_the_record_without_the_item(run: Run, items: list[str]) -> None:
    extra = run("cat", "--extra", items[2]).output
    assert b"/home/ada/engine" in extra
    assert b"Zweite Frage" not in extra


def test_an_item_is_named_by_its_place_in_a_window_too(
    run: Run, imported: str, items: list[str]
) -> None:
    rows = run("show", imported, "--jsonl").rows
    for item, row in zip(items, rows, strict=True):
        place = f"{imported[:8]}@{row['ordinal']}"
        assert run("cat", place).output == run("cat", item).output
    outcome = run("cat", f"{imported}@600")
    assert outcome.status == 3
    assert "there is no 600" in outcome.messages


def test_json_is_indented_when_asked_for_and_else_as_it_is(run: Run, items: list[str]) -> None:
    assert run("cat", items[3]).output == b'{"command":"ls"}'
    assert run("cat", "--pretty", items[3]).output == b'{\n  "command": "ls"\n}\n'
    assert run("cat", "--pretty", items[5]).output == b"Done.", "what isn't JSON stays"


def test_in_a_terminal_escape_sequences_are_signs(run_in_terminal: Run, items: list[str]) -> None:
    outcome = run_in_terminal("cat", items[1])
    assert outcome.text == "Because of this: ␛[2J␛]52;c;ZXZpbA==␇\ufffdend\n"


@pytest.mark.parametrize("item", ["frob", "1", "1.2.3", "-1.2", "4294967296.0", "١.٢"])
def test_what_is_no_item_id_is_a_usage_error(run: Run, imported: str, item: str) -> None:
    outcome = run("cat", "--", item)
    assert outcome.status == 2
    assert item in outcome.messages


def test_an_item_that_does_not_exist_is_not_found(run: Run, imported: str) -> None:
    assert run("cat", "4000000000.7").status == 3


def test_a_reader_that_has_seen_enough_is_no_error(
    transcript: Path, tmp_path: Path, items: list[str]
) -> None:
    vox = subprocess.Popen(
        [sys.executable, "-m", "vox", "cat", items[4]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert vox.stdout is not None
    assert vox.stdout.read(1) == b"x"
    vox.stdout.close()
    assert vox.stderr is not None
    assert vox.stderr.read() == b""
    vox.stderr.close()
    assert vox.wait() == 0


def test_the_text_of_an_image_is_not_thrown_at_a_terminal(
    run: Run, run_in_terminal: Run, transcript: Path
) -> None:
    png = base64.b64encode(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(32)).decode()
    (file,) = transcript.rglob("*.jsonl")
    record = msgspec.json.decode(file.read_bytes().splitlines()[-1])
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": png}}
    record |= {"type": "user", "uuid": "u6", "parentUuid": "u5"}
    record["message"] = {"role": "user", "content": [image]}
    with file.open("ab") as end:
        end.write(msgspec.json.encode(record) + b"\n")
    run("import", "--root", transcript)
    (window,) = run("ls", "--jsonl").rows
    item = run("show", window["id"], "--jsonl", "--tail", "-n", "1").rows[0]["item"]
    assert run("cat", item).output.startswith(b"\x89PNG\r\n\x1a\n")
    outcome = run_in_terminal("cat", item)
    assert outcome.status == 2
    assert "send it to a file" in outcome.text
