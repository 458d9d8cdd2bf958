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
    """Runs `vox` in a terminal of 100 columns; messages are part of its output."""
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")

    def run(*arguments: str | Path) -> Outcome:
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "vox", *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "COLUMNS": "100", "TERM": "xterm-256color"},
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
