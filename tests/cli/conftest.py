"""Runs `vox` as its users do: arguments in; exit status, output and messages out."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest

from vox.cli import main


@dataclass(frozen=True)
class Outcome:
    """How a run of `vox` ended."""

    status: int
    output: bytes
    messages: str

    @property
    def text(self) -> str:
        return self.output.decode()

    @property
    def answer(self) -> dict[str, Any]:
        """The one JSON object of a `--json` answer."""
        assert self.output.count(b"\n") == 1, "an answer is one line"
        return msgspec.json.decode(self.output, type=dict[str, Any])

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of a `--jsonl` answer."""
        return [msgspec.json.decode(line) for line in self.output.splitlines()]


Run: TypeAlias = Callable[..., Outcome]


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Runs `vox` in this process, its output going to a file."""

    def run(*arguments: str | Path) -> Outcome:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capfdbinary.readouterr()
        assert isinstance(ended.value.code, int)
        return Outcome(ended.value.code, captured.out, captured.err.decode())

    return run


@pytest.fixture
def run_in_terminal() -> Run:
    """Runs `vox` in a terminal, of 100 columns unless told; messages are part of its output."""
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")

    def run(*arguments: str | Path, columns: int = 100) -> Outcome:
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "vox", *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color"},
        )
        os.close(theirs)
        output = bytearray()
        try:
            while piece := os.read(ours, 1 << 16):
                output += piece
        except OSError:
            pass  # how Linux says that the other end was closed
        os.close(ours)
        return Outcome(process.wait(), bytes(output).replace(b"\r\n", b"\n"), "")

    return run


HOSTILE = "\x1b[2J\x1b]52;c;ZXZpbA==\x07\u202eend"
"""Clears the screen, sets the clipboard, turns the direction of writing."""


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """A folder with one Claude Code session of six items; one of them and the title are hostile."""
    said = [
        ("user", "Why does the build fail?"),
        ("assistant", [{"type": "text", "text": f"Because of this: {HOSTILE}"}]),
        ("user", "Zweite Frage: äöü 漢字 🙂\nin two lines"),
        (
            "assistant",
            [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}],
        ),
        ("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "x" * 200_000}]),
        ("assistant", [{"type": "text", "text": "Done."}]),
    ]
    records: list[dict[str, Any]] = [
        {"type": "summary", "summary": f"Title {HOSTILE}", "leafUuid": "u5"}
    ]
    for i, (role, content) in enumerate(said):
        message = {"role": role, "content": content}
        if role == "assistant":
            message |= {
                "id": f"m{i}",
                "model": "claude-x",
                "usage": {"input_tokens": 1, "output_tokens": 1},
            }
        records.append(
            {
                "type": role,
                "uuid": f"u{i}",
                "parentUuid": f"u{i - 1}" if i else None,
                "sessionId": "5e551017-0000-4000-8000-000000000001",
                "timestamp": f"2026-01-31T12:0{i}:00.000Z",
                "cwd": "/home/ada/engine",
                "message": message,
            }
        )
    folder = tmp_path / "transcripts" / "-home-ada-engine"
    folder.mkdir(parents=True)
    file = folder / "5e551017-0000-4000-8000-000000000001.jsonl"
    file.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
    return folder.parent


@pytest.fixture
def imported(run: Run, transcript: Path) -> str:
    """The id of the one window of an archive that holds `transcript`."""
    outcome = run("import", "claude-code", "--root", transcript)
    assert outcome.status == 0, outcome.messages
    (window,) = run("ls", "--json").answer["windows"]
    return str(window["id"])
