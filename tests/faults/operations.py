"""What is done to an archive in these tests, one entry for each operation.

An operation is a generator. Before each step it yields what will be true of the archive after the
step; when it is asked to go on, it takes the step.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import msgspec
from blake3 import blake3

import vox
from tests.archive import journal
from tests.faults import older
from tests.faults.facts import OLD_FORMAT, Facts, state
from vox import _native
from vox.archive import migrate
from vox.archive.append import NewItem
from vox.archive.chat import Message
from vox.archive.session_events import Created, TurnAdded, TurnItem
from vox.errors import VoxError
from vox.sources.base import ItemKind, Role

ERRORS = {kind.code: kind for kind in VoxError.__subclasses__()}


class Bench:
    """What an operation works on: an archive, a folder with journals, and what is true of both."""

    def __init__(self, place: Path, inputs: Path, seed: int, facts: Facts, who: str = "") -> None:
        """Names and windows begin with `who`: others may work at the same archive."""
        self.who = who
        self.place = place
        self.inputs = inputs
        self.pick = random.Random(seed)
        self.facts = facts
        self.unsure: Facts = {}
        """What an operation was to make true that ended with an error."""

    @cached_property
    def archive(self) -> vox.Archive:
        return vox.open(self.place)

    @cached_property
    def store(self) -> vox.ContentStore:
        return vox.ContentStore(self.place)

    def close(self) -> None:
        """Lets go of the archive; it is opened again when it is needed."""
        if "archive" in self.__dict__:
            self.archive.close()
            del self.archive
        self.__dict__.pop("store", None)

    def beside(self, name: str) -> Path:
        """The folder that a fact `copy …` or `old …` is about."""
        return self.place.parent / name.split(" ")[1]

    def windows(self) -> list[str]:
        """The keys of the windows that have items, but for those that are there to be purged."""
        facts = self.facts.items()
        keys = [name[7:] for name, fact in facts if name.startswith("window ") and fact]
        return [key for key in keys if not key.startswith(f"{self.who}gone")]

    def text(self) -> str:
        """What an item says; some say the same."""
        pick = self.pick
        number = pick.randrange(1 << 30)
        return pick.choice([f"item {number}", f"{number} " * pick.randrange(200), "yes", "äö" * 40])


Steps: TypeAlias = Iterator[Facts]


def put(bench: Bench) -> Steps:
    """Puts blobs into the content store: small ones, and some that fill segments."""
    pick = bench.pick
    sizes = pick.choices(
        [1 if bench.who else 0, 30, 3000, 30_000, 100_000], [1, 9, 9, 2, 1], k=pick.randrange(1, 12)
    )
    items = [random.Random(pick.random()).randbytes(size) for size in sizes]
    facts: Facts = {}
    for item in items:
        name = f"hold {blake3(item).hexdigest()}"
        facts[name] = (facts.get(name) or bench.facts.get(name) or 0) + 1
    yield facts
    bench.store.put_many(items)


def release(bench: Bench) -> Steps:
    """Gives back a hold on a blob."""
    held = [name for name, fact in bench.facts.items() if name.startswith("hold ") and fact]
    if held:
        name = bench.pick.choice(held)
        yield {name: bench.facts[name] - 1}
        bench.store.release_many([bytes.fromhex(name[5:])])


def name(bench: Bench) -> Steps:
    """Gives a name to a blob that is held."""
    held = [name for name, fact in bench.facts.items() if name.startswith("hold ") and fact]
    if held:
        key = bench.pick.choice(held)[5:]
        name = f"{bench.who}n{bench.pick.randrange(3)}"
        yield {f"name {name}": key}
        bench.store.set_name(name, bytes.fromhex(key))


def append(bench: Bench) -> Steps:
    """Appends items to a window."""
    pick = bench.pick
    key = f"{bench.who}w{pick.randrange(4)}"
    texts = [bench.text() for _ in range(pick.choice([1, 1, 5, 100]))]
    window = f"window {key}"
    added = [state(blake3(text.encode()).digest()) for text in texts]
    yield {window: [*bench.facts.get(window, []), *added]}
    items = [NewItem(content=text, role=Role.USER, kind=ItemKind.MESSAGE) for text in texts]
    bench.archive.append(key, items)


def take_in(bench: Bench) -> Steps:
    """Lets some journals grow, and imports them all."""
    pick = bench.pick
    for unsaid in bench.inputs.glob("*.more"):
        unsaid.unlink()
    facts: Facts = {}
    for number in pick.sample(range(6), pick.choice([1, 1, 2, 5])):
        texts = [bench.text() for _ in range(pick.choice([1, 8, 60, 700]))]
        name = f"{bench.who}{number}"
        window = f"window {journal.key(name)}"
        added = [state(blake3(text.encode()).digest()) for text in texts]
        facts[window] = [*bench.facts.get(window, []), *added]
        lines = [journal.Entry(window=name, text=text, at=at) for at, text in enumerate(texts)]
        file = bench.inputs / f"{name}.journal"
        size = file.stat().st_size if file.exists() else 0
        journal.write(bench.inputs / f"{name}-{size}.more", lines)
    yield facts
    import_all(bench)


def import_all(bench: Bench) -> None:
    """Puts what was told of to the ends of the journals, and imports them all."""
    for more in bench.inputs.glob("*.more"):
        name, size = more.stem.split("-")
        with (bench.inputs / f"{name}.journal").open("ab") as file:
            file.truncate(int(size))  # a kill may have come in between
            file.write(more.read_bytes())
        more.unlink()
    report = bench.archive.ingest([journal.JournalSource()], root=bench.inputs)
    for problem in report.problems:
        raise ERRORS[problem.reason](problem.message)


def stretch(bench: Bench) -> tuple[str, range, list[str]] | None:
    """Some of the items of a window: its key, their ordinals, and what is said of all its items."""
    windows = bench.windows()
    if not windows:
        return None
    key = bench.pick.choice(windows)
    items = bench.facts[f"window {key}"]
    first = bench.pick.randrange(len(items))
    count = bench.pick.randrange(1, min(len(items) - first, 40) + 1)
    return key, range(first, first + count), items


def trim(bench: Bench) -> Steps:
    """Trims a stretch of a window, or shows it again."""
    if chosen := stretch(bench):
        key, ordinals, items = chosen
        trims = bench.pick.random() < 0.7
        now = [
            marked(item, trimmed=trims)
            if at in ordinals and not (trims and " pinned" in item)
            else item
            for at, item in enumerate(items)
        ]
        yield {f"window {key}": now}
        window = bench.archive.window(key)
        window.trim([ordinals]) if trims else window.restore([ordinals])


def pin(bench: Bench) -> Steps:
    """Pins a stretch of a window, or lets go of it."""
    if chosen := stretch(bench):
        key, ordinals, items = chosen
        pins = bench.pick.random() < 0.7
        now = [
            marked(item, pinned=pins) if at in ordinals else item for at, item in enumerate(items)
        ]
        yield {f"window {key}": now}
        window = bench.archive.window(key)
        window.pin_items([ordinals]) if pins else window.unpin_items([ordinals])


def marked(item: str, *, trimmed: bool | None = None, pinned: bool | None = None) -> str:
    """What is said of an item, with another mark."""
    content, *marks = item.split(" ")
    was = {"trimmed": "trimmed" in marks, "pinned": "pinned" in marks}
    now = was | {k: v for k, v in (("trimmed", trimmed), ("pinned", pinned)) if v is not None}
    return " ".join([content, *(mark for mark, holds in now.items() if holds)])


def commit(bench: Bench) -> Steps:
    """Commits a set of items of a window, in place of the one before it."""
    if chosen := stretch(bench):
        key, ordinals, _ = chosen
        document = msgspec.json.encode({"items": list(ordinals), "says": bench.text()})
        yield {f"context {key}": blake3(document).hexdigest()}
        native = bench.archive._native
        seen = _native.outline(native, bench.archive.window(key).number)
        _native.commit_context(
            native,
            seen.window,
            document,
            [(ordinal, place) for place, ordinal in enumerate(ordinals)],
            expected_chain=seen.chain,
            previous=seen.committed_hash,
        )


def decide(bench: Bench) -> Steps:
    """Sets fates of a stretch of a window, or takes them back."""
    if chosen := stretch(bench):
        key, ordinals, items = chosen
        fate = bench.pick.choice([None, 0, 1, 2, 3])
        now = list(bench.facts.get(f"fates {key}") or "-" * len(items))
        now += "-" * (len(items) - len(now))
        now[ordinals.start : ordinals.stop] = ["-" if fate is None else str(fate)] * len(ordinals)
        yield {f"fates {key}": "".join(now).rstrip("-") or None}
        native, number = bench.archive._native, bench.archive.window(key).number
        _native.set_fates(native, number, [(ordinals.start, len(ordinals), fate)])


def route(bench: Bench) -> Steps:
    """Binds a window to a model, or lets it go."""
    windows = bench.windows()
    if windows:
        key = bench.pick.choice(windows)
        model = bench.pick.choice([None, "model-1", "model-2"])
        yield {f"route {key}": model}
        _native.set_route(bench.archive._native, bench.archive.window(key).number, model)


def delete(bench: Bench) -> Steps:
    """Deletes a window, or takes that back."""
    windows = bench.windows()
    if windows:
        key = bench.pick.choice(windows)
        deletes = not bench.facts.get(f"deleted {key}", False)
        yield {f"deleted {key}": deletes}
        window = bench.archive.window(key)
        window.delete() if deletes else window.undelete()


def rename(bench: Bench) -> Steps:
    """Gives a window a title and a tag."""
    windows = bench.windows()
    if windows:
        key = bench.pick.choice(windows)
        title = f"title {bench.pick.randrange(1000)}"
        yield {f"title {key}": title}
        bench.archive.window(key).rename(title)


def fork(bench: Bench) -> Steps:
    """Makes a window that begins as another does."""
    if chosen := stretch(bench):
        key, ordinals, items = chosen
        new = f"{bench.who}fork{bench.pick.randrange(1 << 30)}"
        title = bench.facts.get(f"title {key}")
        fates = (bench.facts.get(f"fates {key}") or "")[: ordinals.stop].rstrip("-")
        yield {
            f"window {new}": items[: ordinals.stop],
            f"title {new}": title,
            f"fates {new}": fates or None,
            f"route {new}": bench.facts.get(f"route {key}"),
        }
        bench.archive.window(key).fork(ordinals.stop - 1, key=new)


def merge(bench: Bench) -> Steps:
    """Makes a window of stretches of others."""
    parts = [stretch(bench) for _ in range(bench.pick.randrange(1, 4))]
    chosen = [part for part in parts if part]
    if chosen:
        new = f"{bench.who}merge{bench.pick.randrange(1 << 30)}"
        found = [items[at] for _, ordinals, items in chosen for at in ordinals]
        contents = [item.split(" ")[0] for item in found]
        routes = {bench.facts.get(f"route {key}") for key, _, _ in chosen}
        route = routes.pop() if len(routes) == 1 else None
        yield {f"window {new}": contents, f"title {new}": "merged", f"route {new}": route}
        parts_of = [(key, [ordinals]) for key, ordinals, _ in chosen]
        bench.archive.merge(parts_of, key=new, title="merged")


def make_ready_to_purge(bench: Bench) -> Steps:
    """Makes a window of its own, and trims some of it."""
    key = f"{bench.who}gone{bench.pick.randrange(1 << 30)}"
    texts = [f"{key} {number} " * number for number in range(1, bench.pick.randrange(3, 60))]
    items = [state(blake3(text.encode()).digest()) for text in texts]
    yield {f"window {key}": items}
    new = [NewItem(content=text, role=Role.USER, kind=ItemKind.MESSAGE) for text in texts]
    bench.archive.append(key, new)
    first = bench.pick.randrange(len(items))
    yield {f"window {key}": items[:first] + [marked(item, trimmed=True) for item in items[first:]]}
    bench.archive.window(key).trim([range(first, len(items))])


def purge(bench: Bench, *, erase: bool = False) -> Steps:
    """Purges what was trimmed of such a window; with `erase` from all files."""
    for name, items in bench.facts.items():
        if name.startswith(f"window {bench.who}gone") and items[-1].endswith(" trimmed"):
            purged = [item + " purged" * item.endswith(" trimmed") for item in items]
            yield {name: purged}
            purge_now(bench, name, erase=erase)
            break


def purge_now(bench: Bench, name: str, *, erase: bool) -> None:
    bench.archive.purge([name[7:]], trimmed=True, now=True, erase=erase, dry_run=False)


def purge_again(bench: Bench) -> None:
    for name in bench.unsure:
        purge_now(bench, name, erase=False)


def erase(bench: Bench) -> Steps:
    """Purges, collects and compacts."""
    yield from purge(bench, erase=True)


def erase_again(bench: Bench) -> None:
    for name in bench.unsure:
        purge_now(bench, name, erase=True)


def collect(bench: Bench) -> Steps:
    """Collects what nothing uses."""
    yield {}
    collect_now(bench)


def collect_now(bench: Bench) -> None:
    bench.archive.gc(now=True)


def session(bench: Bench) -> Steps:
    """Appends an event to the session of an agent, which begins with another."""
    pick = bench.pick
    name = f"{bench.who}s{pick.randrange(3)}"
    window = f"window vox-session:{name}"
    if window not in bench.facts:
        yield {window: []}
        bench.archive.sessions.append(Created(session=name))
    texts = [bench.text() for _ in range(pick.randrange(1, 8))]
    added = [state(blake3(text.encode()).digest()) for text in texts]
    yield {window: [*bench.facts.get(window, []), *added]}
    items = [TurnItem(content=text) for text in texts]
    bench.archive.sessions.append(TurnAdded(session=name, role="assistant", items=items))


def chat(bench: Bench) -> Steps:
    """Appends messages to a conversation."""
    pick = bench.pick
    name = f"{bench.who}c{pick.randrange(3)}"
    window = f"window vox-chat:{name}"
    if bench.facts.get(f"deleted vox-chat:{name}"):
        return
    if window not in bench.facts:
        yield {window: []}
        bench.archive.chat.create(id=name)
    texts = [bench.text() for _ in range(pick.randrange(1, 8))]
    added = [state(blake3(text.encode()).digest()) for text in texts]
    yield {window: [*bench.facts.get(window, []), *added]}
    messages = [Message(role="user", content=text) for text in texts]
    bench.archive.chat.append(name, *messages)


def compact(bench: Bench) -> Steps:
    """Writes the archive anew."""
    yield {}
    bench.archive.compact()


OF_WINDOWS = ("window ", "title ", "deleted ", "context ", "fates ", "route ")
COPIES = 2
"""How many backups are made of an archive, and how many old ones come: they stay beside it."""


def backup(bench: Bench) -> Steps:
    """Copies the archive to a folder beside it."""
    beside = f"copy {bench.who}copy"
    number = sum(name.startswith(beside) for name in bench.facts)
    if number < COPIES:
        name = f"{beside}{number}"
        facts = bench.facts.items()
        yield {
            name: {about: fact for about, fact in facts if about.startswith(OF_WINDOWS) and fact}
        }
        bench.archive.backup(bench.beside(name))


def backup_again(bench: Bench) -> None:
    for name in bench.unsure:
        if not bench.beside(name).exists():
            bench.archive.backup(bench.beside(name))


def bring_old(bench: Bench) -> Steps:
    """Puts an archive of format 1 beside the other."""
    beside = f"old {bench.who}old"
    number = sum(name.startswith(beside) for name in bench.facts)
    if number < COPIES:
        name = f"{beside}{number}"
        older.unpack(bench.beside(name))
        yield {name: OLD_FORMAT}


def migrate_old(bench: Bench) -> Steps:
    """Brings an archive of format 1 to the format of today."""
    for name, fact in bench.facts.items():
        if fact == OLD_FORMAT:
            yield {name: older.windows()}
            migrate(bench.beside(name))
            break


def migrate_again(bench: Bench) -> None:
    for name in bench.unsure:
        migrate(bench.beside(name))


def count(bench: Bench) -> Steps:
    """Counts the tokens of windows, which changes nothing of the archive."""
    keys = bench.windows()
    if keys:
        yield {}
        assert wrong_counts(bench.archive, bench.pick.sample(keys, min(3, len(keys)))) == []


def wrong_counts(archive: vox.Archive, keys: Iterable[str]) -> list[str]:
    """The windows whose tokens, with what was kept of them, aren't those of their bytes."""
    wrong = []
    for key in keys:
        counted = archive.window(key).count_tokens(MODEL, records=True, trimmed="show")
        purged = set(counted.purged.tolist())
        items = enumerate(counted.items.tolist())
        texts = [b"" if at in purged else archive.read(item) for at, item in items]
        if counted.tokens.tolist() != vox.count_tokens(texts, MODEL).tolist():
            wrong.append(key)
    return wrong


MODEL = "gpt-4o"
"""For whom tokens are counted: one whose tokenizer comes with vox."""


class Operation(msgspec.Struct, frozen=True):
    """One thing that is done to an archive."""

    steps: Callable[[Bench], Steps]
    after: tuple[str, ...] = ("put", "append")
    """What gives it something to work on."""
    again: Callable[[Bench], object] | None = None
    """Completes it after it was cut off, however far it had come."""
    piecewise: bool = False
    """Whether a cut-off one may hold for some items of a window and not for others."""


READY = ("make ready to purge",)

OPERATIONS = {
    "put": Operation(put),
    "release": Operation(release),
    "name": Operation(name),
    "append": Operation(append),
    "import": Operation(take_in, again=import_all),
    "trim": Operation(trim),
    "pin": Operation(pin),
    "commit": Operation(commit),
    "decide": Operation(decide),
    "route": Operation(route),
    "delete": Operation(delete),
    "rename": Operation(rename),
    "fork": Operation(fork),
    "merge": Operation(merge),
    "session": Operation(session),
    "chat": Operation(chat),
    "purge": Operation(purge, after=READY, again=purge_again, piecewise=True),
    "erase": Operation(erase, after=READY, again=erase_again, piecewise=True),
    "gc": Operation(collect, after=("put", "release", "release"), again=collect_now),
    "compact": Operation(compact, again=lambda bench: bench.archive.compact()),
    "backup": Operation(backup, again=backup_again),
    "migrate": Operation(migrate_old, after=("bring old",), again=migrate_again),
}
"""What is tested."""

ALL = {
    **OPERATIONS,
    "make ready to purge": Operation(make_ready_to_purge),
    "bring old": Operation(bring_old),
    "count": Operation(count),
}
"""With what only makes ready for another, or changes nothing."""
