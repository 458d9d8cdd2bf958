"""An archive that was opened before fork(): what its child is told, and what it can do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork()")

# A process of its own: the child of pytest would inherit whatever other tests hold.
PROGRAM = """
import json, os, signal, sys
from vox import ContentStore, VoxError

place = sys.argv[1]
items = [f"item {number}".encode() for number in range(1000)]
store = ContentStore(place)
keys = store.put_many(items)  # so many that all cores are at work before fork()

def in_child(work):
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # ends the process if it hangs
        try:
            answer = work()
        except VoxError as error:
            answer = [error.code, str(error)]
        with os.fdopen(theirs, "w") as pipe:
            json.dump(answer, pipe)
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    return json.loads(answer) if status == 0 else f"the child ended with {status}"

def close_and_open():
    global store
    del store
    store = ContentStore(place)
    new = store.put_many([b"new " + item for item in items])
    return [store.get_many(keys) == items, len(set(new))]

told = {
    "used": in_child(lambda: store.refs(keys[:1])),
    "opened": in_child(lambda: ContentStore(place).refs(keys[:1])),
    "opened again": in_child(close_and_open),
}
told["parent"] = [store.get_many(keys) == items, store.get_many([keys[0]]) == items[:1]]
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[object]]:
    """What the child of a process that has the archive open is told, and the parent after it."""
    place: Path = tmp_path_factory.mktemp("forked") / "archive"
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", PROGRAM, str(place)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer: dict[str, list[object]] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize("way", ["used", "opened"])
def test_a_child_that_goes_on_with_its_parents_archive_is_told_to_close_it(
    told: dict[str, list[object]], way: str
) -> None:
    code, message = told[way]
    assert code == "forked"
    assert "close it" in str(message)


def test_a_child_that_closes_it_and_opens_it_again_reads_and_writes_on_all_cores(
    told: dict[str, list[object]],
) -> None:
    assert told["opened again"] == [True, 1000]


def test_the_parent_goes_on(told: dict[str, list[object]]) -> None:
    assert told["parent"] == [True, True]
