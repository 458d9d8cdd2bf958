"""What the processes of `workers.py` do."""

from __future__ import annotations

import itertools
import os
import random
import resource
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
from blake3 import blake3

import vox
from tests.faults import facts, interposing, small_disk
from tests.faults.facts import Change, Facts
from tests.faults.operations import ALL, MODEL, OPERATIONS, Bench, wrong_counts
from tests.faults.workers import Say
from vox.archive import NewItem, verify_path
from vox.errors import IoError, VoxError
from vox.sources.base import ItemKind, Role

FIRST = ["put", "append", "import", "put", "append", "import"]
"""What is done to an archive before it gets into trouble."""


YEAR = 365 * 86_400
JUMPS = [0.0, -1.0, -3600.0, -YEAR, -100 * YEAR, -100 * YEAR, 3600.0, 100 * YEAR, 100 * YEAR]
"""By how many seconds a clock is wrong."""


class Trouble(msgspec.Struct, frozen=True):
    """What the interposer does to a process once it works."""

    kill_at: int | None = None
    fail: tuple[str, int, int, bool] | None = None
    """Error, first call, how many calls, whether syncs fail too."""
    room: int | None = None
    record: str | None = None
    """A file for the journal of calls."""
    clock_jumps: bool = False
    """The clock shows another time before each operation."""
    file_size: int | None = None
    """Files may be this much larger than the data file is."""
    address_space: int | None = None
    """This much more of it may be taken."""


def work(
    say: Say,
    disk: str,
    inputs: str,
    seed: int,
    known: Facts,
    operations: list[str],
    steps: int | None = None,
    trouble: dict[str, Any] | None = None,
    who: str = "",
) -> None:
    """Does random ones of `operations` to the archive below the folder `disk`, so many or without
    end. Says what each is about to make true, and when it is; the error if there is one."""
    if trouble is not None:
        make(disk, msgspec.convert(trouble, Trouble))
    marked = trouble is not None and trouble.get("record") is not None
    bench = Bench(Path(disk) / "archive", Path(inputs), seed, known, who)

    def tell(line: Any) -> None:
        if marked:
            interposing.mark(msgspec.json.encode(line).decode())
        say(line)

    for _ in itertools.count() if steps is None else range(steps):
        if trouble is not None and trouble.get("clock_jumps"):
            interposing.move_clock(bench.pick.choice(JUMPS))
        if error := step(bench, bench.pick.choice(operations), tell):
            tell(error)
            break


def step(bench: Bench, name: str, tell: Say) -> dict[str, str] | None:
    """Does an operation, and tells of it before and after; gives the error with which it ended."""
    operation = ALL[name]
    under_way = operation.steps(bench)
    coming = next(under_way, None)
    while coming is not None:
        tell({"begin": Change(name, coming, operation.piecewise)})
        try:
            after = next(under_way, None)
        except VoxError as error:
            bench.unsure |= coming
            return {"error": error.code, "message": str(error)}
        tell({"done": name})
        bench.facts |= coming
        coming = after
    return None


def make(disk: str, trouble: Trouble) -> None:
    """Lets the interposer make trouble from now on."""
    if interposing.is_there():
        interposing.watch(disk)
    if trouble.kill_at is not None:
        interposing.kill_at(trouble.kill_at)
    if trouble.fail is not None:
        code, first, count, syncs = trouble.fail
        interposing.fail(code, first, count, syncs=syncs)
    if trouble.room is not None:
        interposing.room(trouble.room)
    if trouble.record is not None:
        interposing.record(os.open(trouble.record, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600))
    if trouble.file_size is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        (data,) = Path(disk).glob("archive/db/*/data.mdb")
        limit(resource.RLIMIT_FSIZE, data.stat().st_size + trouble.file_size)
    if trouble.address_space is not None:
        taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        limit(resource.RLIMIT_AS, taken + trouble.address_space)


def limit(what: int, soft: int) -> None:
    """Sets a limit of this process that can be taken back."""
    resource.setrlimit(what, (soft, resource.getrlimit(what)[1]))


def relieve(disk: str) -> None:
    """Ends all trouble."""
    if interposing.is_there():
        interposing.watch(disk)
    for what in (resource.RLIMIT_FSIZE, resource.RLIMIT_AS):
        limit(what, resource.getrlimit(what)[1])


def look(say: Say, disk: str, names: list[str]) -> None:
    """Says the facts of an archive, and what verify finds; then it must take a write."""
    place = Path(disk) / "archive"
    with vox.open(place):  # makes it where it was never finished
        pass
    answer = seen(Bench(place, Path(), 0, dict.fromkeys(names)))
    vox.ContentStore(place).put(b"written after it was looked at")
    say(answer)


def count(say: Say, disk: str, trouble: dict[str, Any] | None = None) -> None:
    """Counts the tokens of all items of an archive, and says whether the counts are kept and which
    windows have wrong ones; then counts half of them by another tokenizer."""
    archive = vox.open(Path(disk) / "archive")
    keys = list(archive.windows(count=100_000).column("key"))
    if trouble is not None:
        make(disk, msgspec.convert(trouble, Trouble))
    kept = [archive.window(key).count_tokens(MODEL).kept for key in keys]
    for key in keys[::2]:
        archive.window(key).count_tokens("gpt-4")
    if trouble is not None:
        relieve(disk)
    say({"kept": kept, "wrong": wrong_counts(archive, keys)})


def count_on_a_small_disk(say: Say, disk: str, leave: int) -> None:
    """Makes an archive on a disk of its own and counts it while only `leave` bytes are free, and
    again when there is room. Says both times what `count` says."""
    small_disk.mount(disk, 16 << 20)
    bench = Bench(Path(disk) / "archive", Path(disk), 1, {})
    for _ in range(6):
        assert step(bench, "append", lambda line: None) is None
    bench.close()
    small_disk.fill(disk, leave=leave)
    count(say, disk)
    small_disk.empty(disk)
    count(say, disk)


def index(say: Say, disk: str, trouble: dict[str, Any] | None = None) -> None:
    """Brings the search index of an archive up to date. Says the error, if there was one, how
    searches then stood to the index, and for what they gave other hits than texts do."""
    archive = vox.open(Path(disk) / "archive")
    if trouble is not None:
        make(disk, msgspec.convert(trouble, Trouble))
    error = None
    try:
        archive.update_index()
    except VoxError as raised:
        error = raised.code
    if trouble is not None:
        relieve(disk)
    say({"error": error, **searched(archive)})


def searched(archive: vox.Archive) -> dict[str, Any]:
    """How searches stand to the index, and for what they gave other hits than texts do."""
    states, wrong = set(), []
    for query in ("größe", "größe -7", "1*", '"größe tokens"', "literal:röß", "/[0-9]3 g/"):
        found, looked = (archive.search(query, index=index, limit=0) for index in (True, False))
        states.add(found.state)
        pages = [answer.page(0, 10_000) for answer in (found, looked)]
        if len({frozenset(hit.item for hit in page) for page in pages}) != 1 or not pages[0]:
            wrong.append(query)
    return {"states": sorted(states), "wrong": wrong}


def index_on_a_small_disk(say: Say, disk: str, leave: int) -> None:
    """Makes an archive on a disk of its own and indexes it while only `leave` bytes are free, and
    again when there is room. Says both times what `index` says."""
    small_disk.mount(disk, 64 << 20)
    with vox.open(Path(disk) / "archive") as archive:
        texts_to_index(archive, 20)
    small_disk.fill(disk, leave=leave)
    index(say, disk)
    small_disk.empty(disk)
    index(say, disk)


def texts_to_index(archive: vox.Archive, windows: int) -> None:
    """Appends texts for the queries of `searched`."""
    for number in range(windows):
        pick = random.Random(number)
        texts = [f"{n} " + "größe, tokens; " * pick.randrange(1, 30) for n in range(150)]
        items = [NewItem(content=t, role=Role.USER, kind=ItemKind.MESSAGE) for t in texts]
        archive.append(f"w{number}", items)


def again(say: Say, disk: str, inputs: str, operation: str, known: Facts, coming: Facts) -> None:
    """Completes an operation that was cut off before it had made true what was coming."""
    complete = OPERATIONS[operation].again
    assert complete
    bench = Bench(Path(disk) / "archive", Path(inputs), 0, known)
    bench.unsure = coming
    complete(bench)
    say("completed")


def endure(
    say: Say,
    disk: str,
    inputs: str,
    seed: int,
    operation: str,
    trouble: dict[str, Any] | None = None,
    disk_bytes: int | None = None,
    read_only: bool = False,
) -> None:
    """Does an operation in trouble until it ends with an error, or a few times; says what is there
    then. Without the trouble it completes the operation, does others, and says it again.

    With `disk_bytes` the archive has a disk of that size, and the trouble is that it gets full or,
    with `read_only`, can't be written any more.
    """
    bench = Bench(Path(disk) / "archive", Path(inputs), seed, {})
    if disk_bytes is not None:
        small_disk.mount(disk, disk_bytes)
    for name in [*FIRST, *OPERATIONS[operation].after]:
        assert step(bench, name, say) is None
    bench.close()
    if trouble is not None:
        make(disk, msgspec.convert(trouble, Trouble))
    if read_only:
        small_disk.set_writable(disk, writable=False)
    elif disk_bytes is not None:
        small_disk.fill(disk, leave=bench.pick.randrange(200_000))
    error = None
    for _ in range(10):
        error = step(bench, operation, say)
        if error:
            say(error)
            break
    if read_only:
        bench.close()
        small_disk.set_writable(disk, writable=True)
    elif disk_bytes is not None:
        small_disk.empty(disk)
    else:
        relieve(disk)
    if needs_opening(bench.place):
        bench.close()
    say({"seen": seen(bench)})
    if error and (complete := OPERATIONS[operation].again):
        say({"begin": Change(operation, bench.unsure)})
        complete(bench)
        say({"done": operation})
    bench.facts |= facts.of(bench.place, sorted(bench.facts | bench.unsure))
    for name in ("put", "append", *OPERATIONS[operation].after, operation):
        assert step(bench, name, say) is None
    say({"seen": seen(bench)})


def needs_opening(place: Path) -> bool:
    """Whether the disk refused the page that makes a write count: all users must close then."""
    try:
        vox.ContentStore(place).refs([])
    except IoError as error:
        return "close the archive and open it again" in str(error)
    return False


def seen(bench: Bench) -> Facts:
    """What an archive says, and what is wrong with it."""
    report = verify_path(bench.place)
    findings = [str(finding) for finding in report.findings]
    return {
        "findings": findings,
        "facts": facts.of(bench.place, sorted(bench.facts | bench.unsure)),
    }


def read_on(say: Say, disk: str, until: str) -> None:
    """Reads an archive that others write, until there is a file `until`. Says how often it did.

    Windows only grow, what stood in them stays, and every item has its bytes.
    """
    known: dict[str, list[str]] = {}
    pick = random.Random()
    rounds = 0
    with vox.open(Path(disk) / "archive") as archive:
        ended = False
        while not ended:
            ended = Path(until).exists()  # a last look when all is written
            now = facts.of_windows(archive).items()
            for name, items in ((n, items) for n, items in now if n.startswith("window ")):
                contents = [item.split(" ")[0] for item in items]
                before = known.get(name, [])
                assert contents[: len(before)] == before, f"{name} was rewritten"
                known[name] = contents
            for name in pick.sample(sorted(known), min(3, len(known))):
                rows = archive.window(name[7:]).items(0, 5, trimmed="show", hashes=True)
                for row in rows.to_pylist():
                    assert blake3(archive.read(row["item"])).digest() == row["content_hash"]
            rounds += 1
    say({"looked": rounds, "windows": len(known)})


def in_threads(say: Say, jobs: list[tuple[str, dict[str, Any]]], until: str) -> None:
    """Does several jobs at once in threads of this process: those that read go on until those that
    write are done. Says what each has said."""
    said: list[list[Any]] = [[] for _ in jobs]
    with ThreadPoolExecutor(len(jobs)) as pool:
        running = [
            pool.submit(globals()[name], told.append, **arguments)
            for (name, arguments), told in zip(jobs, said, strict=True)
        ]
        for (name, _), job in zip(jobs, running, strict=True):
            if name == "work":
                job.exception()
        Path(until).touch()
        for job in running:
            job.result()
    say(said)


def some_calls(say: Say, folder: str, recorded: str) -> None:
    """Writes, syncs and renames some files below `folder`, for tests of what is made of it."""
    make(folder, Trouble(record=recorded))
    inside = Path(folder) / "in folder"
    inside.mkdir()
    for name in ("synced", "not synced", "draft"):
        (inside / name).touch()
    each = os.open(Path(folder) / "synced by each write", os.O_CREAT | os.O_WRONLY | os.O_DSYNC)
    os.write(each, b"one ")
    os.pwrite(each, b"two", 4)
    file = os.open(inside / "synced", os.O_WRONLY)
    os.write(file, b"synced but this")
    os.ftruncate(file, 6)
    os.fsync(file)
    os.pwrite(file, b" and more", 6)
    (inside / "not synced").write_bytes(b"not")
    draft = os.open(inside / "draft", os.O_WRONLY)
    os.write(draft, b"new")
    os.fdatasync(draft)
    (inside / "draft").rename(inside / "named")
    for place in (inside, folder):
        entries = os.open(place, os.O_RDONLY)
        os.fsync(entries)
    (inside / "named").rename(inside / "renamed")
    unknown = os.open(inside / "of no entry", os.O_CREAT | os.O_WRONLY)
    os.write(unknown, b"synced, but not its folder")
    os.fsync(unknown)
    say("done")
