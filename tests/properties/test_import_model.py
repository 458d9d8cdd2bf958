"""Imports against a dict: windows that grow, branch, are replayed and rewritten, item by item."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, TypeAlias

from blake3 import blake3
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import vox
from tests.archive import journal
from tests.archive.journal import Entry, Opening
from vox.sources.base import ItemKind, Role

REPOSITORY = Path(__file__).parents[2]
NAMES = ["a", "b", "c", "d"]

# Imports the journals below a folder whenever a line comes, and answers how many items it added.
IMPORTER = """
import sys, vox
from pathlib import Path
from tests.archive import journal
place, folder = map(Path, sys.argv[1:])
with vox.open(place) as archive:
    for _ in sys.stdin:
        print(journal.ingest(archive, folder).added, flush=True)
"""

Said: TypeAlias = tuple[Role, ItemKind, bool, str]

said = st.tuples(
    st.sampled_from([Role.USER, Role.ASSISTANT]),
    st.sampled_from([ItemKind.MESSAGE, ItemKind.TOOL_RESULT, ItemKind.RECORD]),
    st.booleans(),
    st.sampled_from(["", "yes", "no", "Done.", "äöü", "long " * 500]),
)
beginnings = st.lists(st.tuples(said, st.integers(0, 2)), min_size=1, max_size=6)


def entry(window: str, item: Said, at: int) -> Entry:
    role, kind, side, text = item
    side = side or kind is ItemKind.RECORD
    return Entry(window=window, role=role, kind=kind, side=side, text=text, at=at)


def same(one: Entry, other: Entry) -> bool:
    return (one.role, one.kind, one.side, one.text) == (
        other.role,
        other.kind,
        other.side,
        other.text,
    )


class ImportModel(RuleBasedStateMachine):
    """`windows` has the revisions of each window, and of each its items."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="vox-model-"))
        (self.folder / "in").mkdir()
        self.files: dict[str, list[Opening | Entry]] = {}
        self.windows: dict[str, list[list[Entry]]] = {}
        # Whose shared items may have the times at which another window had them first.
        self.replaying: set[str] = set()
        self.trimmed: dict[tuple[str, int], set[int]] = {}
        self.importer: subprocess.Popen[str] | None = None
        self.archive: vox.Archive | None = None

    @initialize()
    def begin(self) -> None:
        self.archive = vox.open(self.folder / "archive")

    # What happens to files, and what it means.

    def write(self, name: str, lines: list[Opening | Entry]) -> None:
        """Makes the file of a window say `lines`."""
        file = self.folder / "in" / f"{name}.journal"
        old = self.files.get(name, [])
        if lines[: len(old)] == old:
            journal.write(file, lines[len(old) :])
        else:
            file.unlink()
            journal.write(file, lines)
        self.files[name] = lines

    def mean(self, name: str, at: int, entries: list[Entry]) -> None:
        """The window `name` has `entries` from place `at` on."""
        revisions = self.windows.setdefault(name, [[]])
        for place, new in enumerate(entries, at):
            items = revisions[-1]
            if place < len(items) and not same(items[place], new):
                revisions.append(items[:place])
                revisions[-1].append(new)
                # What was hidden of the beginning that they share stays hidden.
                hidden = self.trimmed.get((name, len(revisions) - 2), set())
                self.trimmed[name, len(revisions) - 1] = {n for n in hidden if n < place}
            elif place == len(items):
                items.append(new)
            else:
                assert place < len(items)

    def take(self) -> None:
        assert self.archive
        journal.ingest(self.archive, self.folder / "in")

    @rule(name=st.sampled_from(NAMES), items=beginnings)
    def grow(self, name: str, items: list[tuple[Said, int]]) -> None:
        lines = self.files.get(name, [Opening(window=name)])
        new = [entry(name, item, at) for item, at in items]
        self.mean(name, self.length(name), new)
        self.write(name, [*lines, *new])
        self.take()

    def length(self, name: str) -> int:
        """How many items the file of a window stands for."""
        lines = self.files.get(name, [])
        shared = sum(line.shares for line in lines if isinstance(line, Opening))
        return shared + sum(isinstance(line, Entry) for line in lines)

    @rule(name=st.sampled_from(NAMES), count=st.integers(300, 1100), seed=st.integers(0, 9))
    def grow_by_chunks(self, name: str, count: int, seed: int) -> None:
        if self.length(name) > 3000:
            return
        lines = self.files.get(name, [Opening(window=name)])
        new = list(journal.entries(name, count, seed))
        self.mean(name, self.length(name), new)
        self.write(name, [*lines, *new])
        self.take()

    @precondition(lambda self: self.windows and len(self.windows) < len(NAMES))
    @rule(data=st.data(), items=beginnings)
    def branch(self, data: st.DataObject, items: list[tuple[Said, int]]) -> None:
        """A sibling window shares a beginning, and goes on by itself."""
        parent = data.draw(st.sampled_from(sorted(self.windows)))
        name = next(name for name in NAMES if name not in self.windows)
        shares = data.draw(st.integers(0, len(self.windows[parent][-1])))
        opening = Opening(window=name, parent=parent, link="derived_from", shares=shares)
        new = [entry(name, item, at) for item, at in items]
        self.windows[name] = [self.windows[parent][-1][:shares]]
        if parent in self.replaying:
            self.replaying.add(name)
        self.mean(name, shares, new)
        self.write(name, [opening, *new])
        self.take()

    @precondition(lambda self: self.windows and len(self.windows) < len(NAMES))
    @rule(data=st.data(), items=beginnings, at=st.integers(5, 9))
    def replay(self, data: st.DataObject, items: list[tuple[Said, int]], at: int) -> None:
        """A fork writes the beginning of its parent out again, at another time."""
        parent = data.draw(st.sampled_from(sorted(self.windows)))
        name = next(name for name in NAMES if name not in self.windows)
        shares = data.draw(st.integers(0, len(self.windows[parent][-1])))
        opening = Opening(window=name, parent=parent, link="forked_from", replays=True)
        old = self.windows[parent][-1][:shares]
        again = [entry(name, (e.role, e.kind, e.side, e.text), at) for e in old]
        new = [entry(name, item, at) for item, at in items]
        self.replaying.add(name)
        self.mean(name, 0, again + new)
        self.write(name, [opening, *again, *new])
        self.take()

    @precondition(lambda self: self.files)
    @rule(data=st.data(), items=beginnings)
    def rewrite(self, data: st.DataObject, items: list[tuple[Said, int]]) -> None:
        """Some of the file's items are replaced, and all after them."""
        name = data.draw(st.sampled_from(sorted(self.files)))
        opening, *entries = self.files[name]
        assert isinstance(opening, Opening)
        kept = data.draw(st.integers(0, len(entries)))
        new = [*entries[:kept], *(entry(name, item, at) for item, at in items)]
        self.mean(name, opening.shares, [line for line in new if isinstance(line, Entry)])
        self.write(name, [opening, *new])
        self.take()

    # What changes nothing.

    @rule()
    def import_again(self) -> None:
        assert self.archive
        report = journal.ingest(self.archive, self.folder / "in")
        assert (report.added, report.windows, report.items) == (0, 0, 0)
        assert report.unchanged == len(self.files)

    @rule()
    def open_again(self) -> None:
        assert self.archive
        self.archive.close()
        self.archive = vox.open(self.folder / "archive", create=False)

    @rule(content=st.binary(max_size=20))
    def put(self, content: bytes) -> None:
        vox.ContentStore(self.folder / "archive").put(content)

    @rule(data=st.data(), at=st.integers(1, 9))
    def trim(self, data: st.DataObject, at: int) -> None:
        assert self.archive
        if not self.windows:
            return
        name = data.draw(st.sampled_from(sorted(self.windows)))
        items = len(self.windows[name][-1])
        first = data.draw(st.integers(0, items))
        count = data.draw(st.integers(0, items - first))
        value = data.draw(st.sampled_from([at, None]))
        window = self.archive.window(journal.key(name))
        self.archive._native.set_overlay(window.number, "trimmed", first, count, value)
        mine = self.trimmed.setdefault((name, len(self.windows[name]) - 1), set())
        span = range(first, first + count)
        mine.difference_update(span) if value is None else mine.update(span)

    @rule(name=st.sampled_from(NAMES), items=beginnings)
    def another_process_imports(self, name: str, items: list[tuple[Said, int]]) -> None:
        if self.importer is None:
            self.importer = subprocess.Popen(
                [sys.executable, "-c", IMPORTER, self.folder / "archive", self.folder / "in"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=REPOSITORY,
            )
        assert self.importer.stdin
        assert self.importer.stdout
        new = [entry(name, item, at) for item, at in items]
        lines = self.files.get(name, [Opening(window=name)])
        self.mean(name, self.length(name), new)
        self.write(name, [*lines, *new])
        print(file=self.importer.stdin, flush=True)
        assert int(self.importer.stdout.readline()) <= len(items)

    # What must hold.

    @invariant()
    def every_revision_of_every_window_has_its_items(self) -> None:
        if self.archive is None:
            return
        listed = self.archive.windows(count=1000).to_pylist()
        by_name = {(row["key"], row["revision"]): row["window"] for row in listed}
        assert len(by_name) == sum(len(revisions) for revisions in self.windows.values())
        for name, revisions in self.windows.items():
            for revision, entries in enumerate(revisions):
                window = self.archive.window(by_name[journal.key(name), revision])
                self.compare(window, entries, times=name not in self.replaying)
                trimmed = self.trimmed.get((name, revision), set())
                shown = window.items(0, 10_000, preview=False, records=True).column("ordinal")
                assert shown == [n for n in range(len(entries)) if n not in trimmed]
                assert window.info["trimmed"] == len(trimmed)

    def compare(self, window: vox.Window, entries: list[Entry], *, times: bool) -> None:
        everything: Any = {"trimmed": "show", "records": True}
        items = window.items(0, 10_000, hashes=True, **everything)
        assert items.column("role") == [entry.role.name.lower() for entry in entries]
        assert items.column("kind") == [entry.kind.name.lower() for entry in entries]
        assert items.column("side") == [entry.side or entry.kind == 7 for entry in entries]
        assert items.column("content_hash") == [blake3(e.bytes).digest() for e in entries]
        if times:
            assert items.column("created_at") == [entry.at for entry in entries]
        assert window.info["items"] == len(entries)
        assert window.info["bytes"] == sum(len(entry.bytes) for entry in entries)

    @rule()
    def verify(self) -> None:
        assert self.archive
        report = self.archive.verify()
        assert report.ok, report.findings

    def teardown(self) -> None:
        if self.importer is not None:
            with self.importer:
                assert self.importer.stdin
                self.importer.stdin.close()
            assert self.importer.returncode == 0
        if self.archive is not None:
            self.verify()
            self.archive.close()
        shutil.rmtree(self.folder, ignore_errors=True)


TestImportModel = ImportModel.TestCase
TestImportModel.settings = settings(
    max_examples=settings().max_examples // 5, stateful_step_count=20
)
