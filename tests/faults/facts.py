"""What is known of an archive: facts by name, told by whoever changed it and read from it again.

`window <key>`: its items, each as its content hash in hex and what is said of it.
`title <key>` and `deleted <key>`: what users said of a window.
`context <key>`: the hash of the committed set of a window. `route <key>`: the model it is bound to.
`fates <key>`: a character for each item up to the last whose fate was set, `-` where it wasn't.
`hold <hash>`: how many holds a blob has. `name <name>`: the hash that it stands for.
`copy <folder>`: the windows of a backup beside the archive; None as long as there is none.
`old <folder>`: the windows of an archive beside it that was of format 1, or that it is still.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from blake3 import blake3

import vox
from vox import _native
from vox.errors import WrongVersionError

Facts: TypeAlias = dict[str, Any]

OLD_FORMAT = "format 1"
"""What is said of an archive that waits to be migrated."""


class Change(msgspec.Struct, frozen=True):
    """What an operation is about to make true."""

    operation: str
    facts: Facts
    piecewise: bool = False
    """Whether it may be true of some items of a window and not yet of others."""


class Told(msgspec.Struct):
    """What a process said of its work, until it ended."""

    facts: Facts
    """What was acknowledged."""
    under_way: Change | None = None
    """What was not."""
    error: dict[str, str] | None = None
    """The error with which it ended by itself."""
    acknowledged: int = 0

    def hear(self, line: Any) -> None:
        """Takes one line of the process."""
        if "begin" in line:
            self.under_way = msgspec.convert(line["begin"], Change)
        elif "done" in line:
            assert self.under_way
            self.facts = {**self.facts, **self.under_way.facts}
            self.under_way = None
            self.acknowledged += 1
        elif "error" in line:
            self.error = line
        else:
            raise AssertionError(line.get("fault", line))

    def wrong(self, actual: Facts) -> list[str]:
        """What an archive says that it must not say after this."""
        change = self.under_way or Change("nothing", {})
        found = []
        for name in sorted(self.facts.keys() | change.facts.keys() | actual.keys()):
            before = self.facts.get(name, _nothing(name))
            after = change.facts.get(name, before)
            now = actual.get(name, _nothing(name))
            if now not in (before, after) and not (
                change.piecewise and _some_of_each(now, before, after)
            ):
                found.append(
                    f"{name} is {_short(now, before)}, not {_short(before, now)}, nor "
                    f"{_short(after, now)} as {change.operation} would make it"
                )
        return found


def _nothing(name: str) -> Any:
    return {"window": [], "hold": 0, "deleted": False}.get(name.split(" ")[0])


def _some_of_each(now: Any, before: Any, after: Any) -> bool:
    return (
        isinstance(now, list)
        and len(now) == len(before) == len(after)
        and all(n in (b, a) for n, b, a in zip(now, before, after, strict=True))
    )


def _short(value: Any, other: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    same = 0
    for one, two in zip(value, other or [], strict=False):
        if one != two:
            break
        same += 1
    return f"{len(value)} items (from {same} on: {value[same : same + 2]})"


def of(place: Path, names: list[str]) -> Facts:
    """The facts of the archive at `place`: its windows, and of the rest those with these names."""
    holds = [name for name in names if name.startswith("hold ")]
    keys = [bytes.fromhex(name[5:]) for name in holds]
    with vox.open(place) as archive:
        facts = of_windows(archive)
        store = vox.ContentStore(place)
        counts = store.refs(keys)
        facts |= {n: c[1] if c else 0 for n, c in zip(holds, counts, strict=True)}
        for name in names:
            if name.startswith("name "):
                key = store.resolve(name[5:])
                facts[name] = blake3(store.get(key)).hexdigest() if key else None
            if name.startswith(("copy ", "old ")):
                facts[name] = of_another(place.parent / name.split(" ")[1])
    return facts


def of_windows(archive: vox.Archive) -> Facts:
    """The facts of all windows."""
    facts: Facts = {}
    for deleted in (False, True):
        windows = archive.windows(count=100_000, deleted=deleted)
        columns = (windows.column(name) for name in ("window", "key", "title"))
        for number, key, title in zip(*columns, strict=True):
            facts[f"window {key}"] = of_items(archive.window(number))
            facts |= {f"{about} {key}": fact for about, fact in of_context(archive, number).items()}
            if deleted:
                facts[f"deleted {key}"] = True
            if title:
                facts[f"title {key}"] = title
    return facts


def of_context(archive: vox.Archive, number: int) -> Facts:
    """What of a window is to reach a model."""
    outline = _native.outline(archive._native, number)
    facts: Facts = {}
    if outline.committed_hash:
        found = _native.committed_context(archive._native, number)
        assert found is not None
        assert found[0] == outline.committed_hash
        facts["context"] = blake3(found[1]).hexdigest()
    fates = "".join("-" if fate == 255 else str(fate) for fate in outline.fates).rstrip("-")
    if fates:
        facts["fates"] = fates
    if outline.model_route:
        facts["route"] = outline.model_route
    return facts


def of_items(window: vox.Window) -> list[str]:
    """What is said of each item of a window."""
    items = window.items(0, 100_000, trimmed="show", records=True, hashes=True, preview=False)
    names = ("content_hash", "trimmed_at", "pinned", "purged")
    columns = (items.column(name) for name in names)
    return [
        state(content, trimmed=trimmed is not None, pinned=pinned, purged=purged)
        for content, trimmed, pinned, purged in zip(*columns, strict=True)
    ]


def state(
    content: bytes, *, trimmed: bool = False, pinned: bool = False, purged: bool = False
) -> str:
    """What is said of one item."""
    return content.hex() + " trimmed" * trimmed + " pinned" * pinned + " purged" * purged


def of_another(place: Path) -> Facts | str | None:
    """The windows of another archive, which must be sound; None if there is none."""
    if not place.exists():
        return None
    try:
        with vox.open(place, create=False) as archive:
            report = archive.verify()
            assert report.ok, (place, report.findings)
            return {name: fact for name, fact in of_windows(archive).items() if fact}
    except WrongVersionError:
        return OLD_FORMAT
