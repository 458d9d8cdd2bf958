"""Two who write and four who read at once, in processes and in threads of one."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import vox
from tests.archive import journal
from tests.faults import facts
from tests.faults.facts import Told
from tests.faults.operations import ALL
from tests.faults.workers import Workers

SOAK = int(os.environ.get("VOX_SOAK", "1"))
ROUNDS = 1 if SOAK == 1 else 4 * SOAK
"""How many archives; minutes in a soak. Judgement."""
STEPS = 25 if SOAK == 1 else 60
"""How much each writer does. Judgement."""
WRITERS = ("a", "b")
READERS = 4


def jobs_of(folder: Path, seed: int) -> list[tuple[str, dict[str, Any]]]:
    """What everybody does, those who write first."""
    disk = folder / "disk"
    disk.mkdir(parents=True)
    vox.open(disk / "archive").close()
    jobs: list[tuple[str, dict[str, Any]]] = []
    for number, who in enumerate(WRITERS):
        inputs = folder / f"in {who}"
        inputs.mkdir()
        work = {
            "disk": str(disk),
            "inputs": str(inputs),
            "seed": seed * len(WRITERS) + number,
            "known": {},
            # To erase is refused while the other imports.
            "operations": sorted(ALL.keys() - {"erase"}),
            "steps": STEPS,
            "who": who,
        }
        jobs.append(("work", work))
    return jobs + [("read_on", {"disk": str(disk), "until": str(folder / "until")})] * READERS


def in_processes(jobs: list[tuple[str, dict[str, Any]]], until: Path) -> list[list[Any]]:
    with ExitStack() as stack:
        servers = [stack.enter_context(Workers(None)) for _ in jobs]
        pool = stack.enter_context(ThreadPoolExecutor(len(jobs)))
        running = [
            pool.submit(server.run, name, **arguments)
            for server, (name, arguments) in zip(servers, jobs, strict=True)
        ]
        done = [job.result() for job in running[: len(WRITERS)]]
        until.touch()
        done += [job.result() for job in running[len(WRITERS) :]]
    for outcome in done:
        assert outcome.ended == 0, outcome.said[-1]
    return [outcome.said for outcome in done]


def own(name: str, fact: Any) -> Any:
    """Of a copy the windows of whoever made it, who knows nothing of the other's."""
    if not name.startswith("copy "):
        return fact
    who = name[5]
    begins = (who, journal.key(who), f"vox-session:{who}", f"vox-chat:{who}")
    return {about: told for about, told in fact.items() if about.split(" ")[1].startswith(begins)}


@pytest.mark.parametrize("way", ["processes", "threads"])
def test_what_two_write_while_four_read_is_all_there(
    workers: Workers, tmp_path: Path, way: str
) -> None:
    for seed in range(ROUNDS):
        folder = tmp_path / str(seed)
        jobs, until = jobs_of(folder, seed), folder / "until"
        if way == "processes":
            said = in_processes(jobs, until)
        else:
            said = workers.run("in_threads", jobs=jobs, until=until).answer
        written: facts.Facts = {}
        for lines in said[: len(WRITERS)]:
            told = Told({})
            for line in lines:
                told.hear(line)
            assert (told.error, told.under_way) == (None, None)
            written |= told.facts
        windows = {name for name, fact in written.items() if name.startswith("window ") and fact}
        for (looked,) in said[len(WRITERS) :]:
            assert looked["windows"] == len(windows)
        seen = workers.run("look", disk=folder / "disk", names=sorted(written)).answer
        assert seen["findings"] == []
        actual = {name: own(name, fact) for name, fact in seen["facts"].items()}
        assert Told(written).wrong(actual) == []
