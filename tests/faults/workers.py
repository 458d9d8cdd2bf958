"""Processes that are cheap to start and may die: children, by fork(), of one that has loaded vox
and opened nothing.

A job is a function of `jobs.py`. What it says comes back line by line, and what became of it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

import msgspec

Say: TypeAlias = Callable[[Any], None]

LONGEST = 120 * int(os.environ.get("VOX_SOAK", "1"))
"""Seconds after which a job that hangs is ended."""


class Kill(msgspec.Struct, frozen=True):
    """When the server kills its child: after so many lines, and a while."""

    lines: int
    spin: int


class Job(msgspec.Struct, frozen=True):
    """What the server is asked for."""

    name: str
    arguments: dict[str, Any]
    kill: Kill | None = None


class Outcome(msgspec.Struct, frozen=True):
    """What became of a job."""

    ended: int
    """As `subprocess` has it: negative is the signal that ended it."""
    said: list[Any]

    @property
    def answer(self) -> Any:
        """The one thing a job that went well has said."""
        assert self.ended == 0, self
        (answer,) = self.said
        return answer


class Workers:
    """The server's client. One job at a time; threads use one each."""

    def __init__(self, interposer: Path | None) -> None:
        environment = dict(os.environ)
        if interposer:
            environment["LD_PRELOAD"] = str(interposer)
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.workers"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
            env=environment,
        )

    def run(self, name: str, /, *, kill: Kill | None = None, **arguments: Any) -> Outcome:
        """Runs a job in a process of its own."""
        assert self._server.stdin
        assert self._server.stdout
        job = Job(name, arguments, kill)
        self._server.stdin.write(msgspec.json.encode(job, enc_hook=str) + b"\n")
        self._server.stdin.flush()
        line = self._server.stdout.readline()
        assert line, "the server of the workers has ended"
        return msgspec.json.decode(line, type=Outcome)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server.stdin
        assert self._server.stdout
        self._server.stdin.close()
        self._server.stdout.close()
        self._server.wait()


def _serve() -> None:
    for line in sys.stdin.buffer:
        outcome = _run(msgspec.json.decode(line, type=Job))
        sys.stdout.buffer.write(msgspec.json.encode(outcome) + b"\n")
        sys.stdout.buffer.flush()


def _run(job: Job) -> Outcome:
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        _work(job, theirs)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        lines: list[bytes] = []
        while line := pipe.readline():
            lines.append(line)
            if job.kill and len(lines) == job.kill.lines:
                for _ in range(job.kill.spin):  # to be anywhere within what it does next
                    pass
                os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    # A kill may cut off the last line.
    said = [msgspec.json.decode(line) for line in lines if line.endswith(b"\n")]
    return Outcome(os.waitstatus_to_exitcode(status), said)


def _work(job: Job, pipe: int) -> None:
    from tests.faults import jobs

    signal.alarm(LONGEST)

    def say(what: Any) -> None:
        line = memoryview(msgspec.json.encode(what) + b"\n")
        while line:
            line = line[os.write(pipe, line) :]

    status = 1
    try:
        getattr(jobs, job.name)(say, **job.arguments)
        status = 0
    finally:
        if status:
            say({"fault": traceback.format_exc()})
        os._exit(status)


if __name__ == "__main__":
    import tests.faults.jobs  # noqa: F401  what children need is loaded before they are

    _serve()
