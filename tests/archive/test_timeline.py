"""Items of all windows by time, against a plain sort."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vox
from tests.archive import journal
from tests.archive.journal import NAMES, Entry, Opening
from vox.archive import NewItem
from vox.sources.base import ItemKind, Role

EVERYTHING: dict[str, Any] = {"records": True}
REPOS = {"long": "engine", "short": "bridge", "branch": "engine", "lone": None}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> vox.Archive:
    """Windows that overlap in time, one of them a branch that shares the beginning of another."""
    folder = tmp_path_factory.mktemp("timeline")
    lines: list[Opening | Entry] = []
    for seed, (name, repo) in enumerate(REPOS.items()):
        parent = "long" if name == "branch" else None
        shares = 300 if parent else 0
        lines.append(Opening(window=name, repo=repo, parent=parent, shares=shares))
        lines += journal.entries(name, {"long": 900, "short": 40}.get(name, 250), seed)
    archive = vox.open(folder / "archive")
    journal.write(folder / "in" / "a.journal", lines)
    journal.ingest(archive, folder / "in")
    return archive


@pytest.fixture(scope="module")
def every(archive: vox.Archive) -> list[dict[str, Any]]:
    """All items of all windows, each once, sorted by time and then by id; read window by window."""
    found: dict[int, dict[str, Any]] = {}
    for listed in archive.windows(count=100).to_pylist():
        window = archive.window(listed["window"])
        for row in window.items(0, 5000, trimmed="show", records=True).to_pylist():
            mine = {name: row[name] for name in row if name in COLUMNS}
            owner = found.setdefault(row["item"], {**mine, "windows": [], "repo": listed["repo"]})
            owner["windows"].append(listed["window"])
    rows = sorted(found.values(), key=lambda row: (row["created_at"], row["item"]))
    assert len(rows) == 900 + 40 + 250 + 250
    return rows


COLUMNS = [
    "item",
    "role",
    "kind",
    "created_at",
    "byte_len",
    "token_estimate",
    "name",
    "call",
    "fidelity",
    "redacted",
    "side",
    "purged",
    "preview",
]


def shown(wanted: dict[str, Any]) -> Callable[[dict[str, Any]], bool]:
    def shows(row: dict[str, Any]) -> bool:
        roles, kinds, names = (wanted.get(what, ()) for what in ("roles", "kinds", "names"))
        return (
            (not roles or row["role"] in roles)
            and (row["kind"] in kinds if kinds else "records" in wanted or row["kind"] != "record")
            and (not names or row["name"] in names)
            and row["created_at"] >= wanted.get("since", -(2**63))
            and row["created_at"] < wanted.get("until", 2**63)
            and wanted.get("repo") in (None, row["repo"])
        )

    return shows


times = st.one_of(
    st.sampled_from(sorted({entry.at for entry in journal.entries("long", 900, seed=0)})),
    st.integers(-3, 1000).map(lambda second: 1_700_000_000_000 + 1000 * second + second % 2),
    st.sampled_from([1_700_000_000_005, 0, -(2**63), 2**63 - 1]),
)
filters = st.fixed_dictionaries(
    {},
    optional={
        "roles": st.sets(st.sampled_from([role.name.lower() for role in Role]), min_size=1),
        "kinds": st.sets(st.sampled_from([kind.name.lower() for kind in ItemKind]), min_size=2),
        "names": st.sets(st.sampled_from(NAMES), min_size=1),
        "since": times,
        "until": times,
        "repo": st.sampled_from(["engine", "bridge", "nowhere"]),
        "records": st.just(True),
    },
)


@given(wanted=filters, start=st.integers(0, 1500), count=st.integers(0, 400), time=times)
def test_any_page_and_position_is_that_of_a_plain_sort(
    archive: vox.Archive,
    every: list[dict[str, Any]],
    wanted: dict[str, Any],
    start: int,
    count: int,
    time: int,
) -> None:
    rows = list(filter(shown(wanted), every))
    start %= len(rows) + 2
    page = archive.timeline(start, count, **wanted)
    assert page.column("item") == [row["item"] for row in rows[start : start + count]]
    assert archive.count_timeline(**wanted) == len(rows)
    before = sum(row["created_at"] < time for row in rows)
    assert archive.timeline_position(time, **wanted) == before


def test_rows_say_of_an_item_what_its_window_says(
    archive: vox.Archive, every: list[dict[str, Any]]
) -> None:
    page = archive.timeline(0, 5000, **EVERYTHING)
    assert page.names == ["window", *COLUMNS]
    for row, wanted in zip(page.to_pylist(), every, strict=True):
        assert row["window"] == min(wanted["windows"]), "the window that had it first"
        assert {name: row[name] for name in COLUMNS} == {name: wanted[name] for name in COLUMNS}


def test_hashes_are_those_of_the_window(archive: vox.Archive) -> None:
    page = archive.timeline(100, 200, hashes=True, preview=False)
    wanted: dict[int, tuple[bytes, bytes]] = {}
    for name in REPOS:
        window = archive.window(journal.key(name))
        items = window.items(0, 5000, hashes=True, trimmed="show", records=True)
        hashes = zip(items.column("content_hash"), items.column("chain_hash"), strict=True)
        wanted |= zip(items.column("item"), hashes, strict=True)
    got = zip(page.column("content_hash"), page.column("chain_hash"), strict=True)
    assert list(got) == [wanted[item] for item in page.column("item")]


def test_a_timeline_shows_what_was_imported_since(tmp_path: Path) -> None:
    with vox.open(tmp_path / "archive") as archive:
        assert len(archive.timeline()) == 0
        assert archive.timeline_position(0) == 0
        for at in (5, 1, 9, 1):
            journal.write(tmp_path / "in" / "a.journal", [Entry(window=f"w{at}", text="x", at=at)])
            journal.ingest(archive, tmp_path / "in")
        assert archive.timeline().column("created_at") == [1, 1, 5, 9]
        assert [archive.timeline_position(at) for at in (0, 1, 2, 5, 6, 9, 10)] == [
            *[0, 0, 2, 2, 3, 3, 4]
        ]


def test_threads_may_ask_for_different_timelines_at_once(
    archive: vox.Archive, every: list[dict[str, Any]]
) -> None:
    asked = [{"roles": [role.name.lower()]} for role in Role] * 8

    def items(wanted: dict[str, Any]) -> list[int]:
        return archive.timeline(0, 5000, **wanted).column("item")

    with ThreadPoolExecutor(8) as pool:
        for wanted, got in zip(asked, pool.map(items, asked), strict=True):
            assert got == [row["item"] for row in filter(shown(wanted), every)]


def test_a_fork_stays_on_the_timeline_when_its_origin_is_deleted(tmp_path: Path) -> None:
    texts = [b"one", b"two", b"three"]
    archive = vox.open(tmp_path / "archive")
    archive.append(
        "example:origin",
        [NewItem(role=Role.USER, kind=ItemKind.MESSAGE, content=text) for text in texts],
    )
    origin = archive.window("example:origin")
    fork = origin.fork(1)
    origin.delete()

    page = archive.timeline(0, 10).to_pylist()
    assert [bytes(archive.read(row["item"])) for row in page] == texts[:2]
    assert {row["window"] for row in page} == {fork.number}

    origin.undelete()
    assert archive.count_timeline() == 3
