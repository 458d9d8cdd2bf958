"""Bytes that were flipped anywhere in the data file.

`verify` has a page reader of its own, which trusts nothing: it may never crash, and what it calls
clean has all items, bytes and paths as they were.

Reading through the archive goes through LMDB, which trusts its pages. Item bytes are checked
against their hashes, so they are right or an error, and what vox decodes itself is an error where
it makes no sense. But a page that LMDB misreads can end the process, or show wrong numbers, as in
any program that uses LMDB; to find such pages is what `verify` is for.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import msgspec
import pytest

import vox
from tests.archive import journal
from vox.archive import verify_path

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork()")

REPOSITORY = Path(__file__).parents[2]
FLIPS = 200 * int(os.environ.get("VOX_SOAK", "1"))

# What hashes or roll-ups bind. Titles, names and times are bound by nothing: flipped, they are
# other titles, names and times.
BOUND = {"item", "ordinal", "role", "kind", "side", "byte_len", "content_hash", "chain_hash"}
BOUND |= {"extra", "tree", "window window", "window id", "window key", "window revision"}
BOUND |= {"window items", "window bytes", "window tokens", "window trimmed", "window parent"}

# `internal` stands for what LMDB reports only of broken trees, such as a cursor that is too deep;
# `address_space` for a head that claims a map larger than any.
ALLOWED = {None, "damaged", "not_found", "not_an_archive", "wrong_version"}
ALLOWED |= {"address_space"}

# Each flip in a process of its own. The parent uses nothing of vox, so that fork() is safe.
FLIPPER = """
import contextlib, hashlib, io, json, os, random, signal, sys, tempfile
from pathlib import Path
import vox
import vox.cli.doctor
from vox.archive import verify_path
from vox.archive.salvage import salvage
from vox.cli import main

place, data, seed, flips = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
sound = data.read_bytes()
everything = {"trimmed": "show", "records": True}

def read_all(told):
    parts = told["parts"] = {}
    def saw(part, value):
        before = parts.get(part, "")
        parts[part] = hashlib.sha256(f"{before}{value!r}".encode()).hexdigest()
    with vox.open(place, read_only=True) as archive:
        windows = archive.windows(count=1000)
        for name in windows.names:
            saw(f"window {name}", windows.column(name))
        for number in windows.column("window"):
            window = archive.window(number)
            columns = window.items(0, 10_000, hashes=True, **everything)
            for name in columns.names:
                saw(name, columns.column(name))
            for item in columns.column("item"):
                content = archive.read(item)
                told.setdefault("items", []).append([item, hashlib.sha256(content).hexdigest()])
                saw("extra", archive.extra(item))
            for role in ("user", "tool"):
                saw("filtered", window.items(0, 50, roles=[role]).column("item"))
            saw("usage", window.usage())
            saw("tree", window.tree().column("id"))
        saw("timeline", archive.timeline(0, 10_000, records=True).column("item"))
        archive.stats()
    told["whole"] = True

def in_child(work):
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        told = {}
        signal.alarm(60)  # ends the process if it hangs
        try:
            work(told)
        except vox.VoxError as error:
            told.update(error=error.code, message=str(error))
        except BaseException as error:
            told["fault"] = f"{type(error).__name__}: {error}"
        with os.fdopen(theirs, "w") as pipe:
            json.dump(told, pipe)
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    return {"ended": os.waitstatus_to_exitcode(status), **(json.loads(answer) if answer else {})}

def verify(told):
    report = verify_path(place)
    told.update(ok=report.ok, total=report.total, verdict=report.verdict)

def doctor(told):
    answer = io.BytesIO()
    with contextlib.redirect_stdout(io.TextIOWrapper(answer)):
        try:
            main(["doctor", "--json", "--archive", str(place)])
        except SystemExit as end:
            told["status"] = end.code
        sys.stdout.flush()
        told["findings"] = json.loads(answer.getvalue())["findings"]

def save(told):
    with tempfile.TemporaryDirectory() as folder:
        told["saved"] = salvage(place, Path(folder) / "saved").saved
        assert verify_path(Path(folder) / "saved").ok

pick = random.Random(seed)
for flip in range(flips + 1):
    damaged = bytearray(sound)
    if flip and flip % 10 == 0:
        del damaged[pick.randrange(len(damaged)):]
    elif flip:  # the first round is without damage, for comparison
        at = pick.randrange(len(damaged))
        if flip % 2:  # heads of pages are small, and what LMDB goes by
            at = at & ~4095 | at % 40
        for at in range(at, min(at + pick.choice([1, 1, 1, 8, 300]), len(damaged))):
            damaged[at] ^= pick.choice([1 << pick.randrange(8), pick.randrange(1, 256)])
    data.write_bytes(damaged)
    told = {"flip": flip, "verify": in_child(verify), "read": in_child(read_all)}
    if flip % 4 == 0:
        told["doctor"] = in_child(doctor)
    if flip % 4 == 1:
        told["salvage"] = in_child(save)
    told["untouched"] = data.read_bytes() == damaged
    print(json.dumps(told), flush=True)
data.write_bytes(sound)
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small archive that has of everything: branches, sources, overlays, holds, segments."""
    folder = tmp_path_factory.mktemp("damage")
    lines: list[journal.Entry | journal.Opening] = [*journal.entries("a", 150, seed=1)]
    lines += [journal.Opening(window="b", parent="a", shares=70, repo="repo", title="B")]
    lines += journal.entries("b", 40, seed=2)
    journal.write(folder / "in" / "a.journal", lines)
    with vox.open(folder / "archive") as archive:
        journal.ingest(archive, folder / "in")
        archive._native.set_overlay(0, "trimmed", 3, 5, 1)
        store = vox.ContentStore(folder / "archive")
        store.put_many([random.Random(n).randbytes(500) for n in range(150)])
    return folder / "archive"


def test_flipped_bytes_are_found_and_never_end_verify(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (data,) = place.glob("db/*/data.mdb")
    ran = subprocess.run(
        [sys.executable, "-c", FLIPPER, str(place), str(data), "seed", str(FLIPS)],
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY,
    )
    assert ran.returncode == 0, ran.stderr
    sound, *rounds = [msgspec.json.decode(line) for line in ran.stdout.splitlines()]
    assert sound["verify"]["ok"]
    assert sound["read"]["whole"]
    contents = dict(sound["read"]["items"])
    assert len(rounds) == FLIPS
    outcomes: Counter[str] = Counter()
    for told in rounds:
        verify, read = told["verify"], told["read"]
        if "doctor" in told:
            doctor = told["doctor"]
            assert doctor["ended"] == 0, told
            assert doctor["findings"], told
        if "salvage" in told:
            saved = told["salvage"]
            assert saved["ended"] == 0, told
            assert "fault" not in saved, (told["flip"], saved["fault"])
            assert saved.get("error") in ALLOWED, saved
        assert verify["ended"] == 0, told
        assert told["untouched"], told
        assert "fault" not in verify, told
        if read["ended"]:
            # Only a page that LMDB itself misread may do this.
            assert -read["ended"] in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT), told
            outcomes["ended by LMDB"] += 1
            assert not verify.get("ok"), told
            continue
        assert "fault" not in read, told
        assert read.get("error") in ALLOWED, told
        outcomes[read.get("error", "read")] += 1
        for item, content in read.get("items", []):
            assert contents.get(item) in (None, content), told
        if verify.get("ok"):
            changed = {p for p, h in sound["read"]["parts"].items() if read["parts"].get(p) != h}
            assert not changed & BOUND, told
        else:
            outcomes["found by verify"] += 1
    with capsys.disabled():
        ended = outcomes["ended by LMDB"]
        sys.stdout.write(f" [LMDB ended {ended} of {FLIPS} readers of damaged archives] ")
    assert outcomes["found by verify"] > FLIPS // 4
    assert outcomes["damaged"] > 0
    assert verify_path(place).ok, "the file is as it was"
