"""Lists of windows, trees, and finding one window."""

from __future__ import annotations

import uuid
from collections import defaultdict
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

import vox
from tests.archive import journal
from tests.archive.journal import Entry, Opening
from vox.errors import InvalidArgumentError, NotFoundError

REPOS = [None, "github.com/ada/engine", "/home/ada/größe", "github.com/ada/engine2"]
KINDS = ["chat", "task", "agent", "a2a", "archived"]
WINDOWS = 60


def openings() -> list[Opening | Entry]:
    """Windows of all kinds and repositories; some have no items, some the same time."""
    lines: list[Opening | Entry] = []
    for number in range(WINDOWS):
        name = f"w{number}"
        lines.append(
            Opening(
                window=name,
                kind=KINDS[number % 5],
                repo=REPOS[number % 4],
                title=f"Title {number}" if number % 3 else None,
                created_at=1000 * (number * 7 % 40),
            )
        )
        if number % 6:
            times = [1000 * (number * 7 % 40) + 10, 1000 * (number * 11 % 50)]
            lines += [Entry(window=name, text=f"{number} at {at}", at=at) for at in times]
    return lines


def expected() -> list[dict[str, Any]]:
    """The windows of `openings`, the latest changed first."""
    rows: dict[str, dict[str, Any]] = {}
    times: defaultdict[str, list[int]] = defaultdict(list)
    for line in openings():
        if isinstance(line, Opening):
            assert line.created_at is not None
            rows[line.window] = {
                "window": len(rows),
                "key": journal.key(line.window),
                "title": line.title,
                "kind": line.kind,
                "repo": line.repo,
                "opened": line.created_at,
                "bytes": 0,
            }
        else:
            times[line.window].append(line.at)
            rows[line.window]["bytes"] += len(line.bytes)
    for name, row in rows.items():
        row["items"] = len(times[name])
        row["updated_at"] = max(times[name], default=row["opened"])
        row["created_at"] = min(row.pop("opened"), *times[name][:1] or [row["updated_at"]])
    return sorted(rows.values(), key=lambda row: (-row["updated_at"], row["window"]))


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> vox.Archive:
    folder = tmp_path_factory.mktemp("windows")
    journal.write(folder / "in" / "a.journal", openings())
    archive = vox.open(folder / "archive")
    journal.ingest(archive, folder / "in")
    return archive


# Lists.


def test_every_window_is_listed_with_what_is_known_of_it(archive: vox.Archive) -> None:
    rows = archive.windows(count=1000).to_pylist()
    wanted = expected()
    assert [{name: row[name] for name in wanted[0]} for row in rows] == wanted
    for row in rows:
        assert row["source"] == "journal"
        assert row["tier"] == "hot"
        assert (row["parent"], row["root"]) == (None, row["id"])
        assert (row["deleted_at"], row["revision"], row["pinned"]) == (None, 0, False)


filters = st.fixed_dictionaries(
    {},
    optional={
        "repo": st.sampled_from([repo for repo in REPOS if repo] + ["elsewhere"]),
        "kind": st.sampled_from(KINDS),
        "tier": st.sampled_from(["hot", "warm", "cold", "frozen"]),
        "since": st.integers(-1, 51).map(lambda second: second * 1000),
        "until": st.integers(-1, 51).map(lambda second: second * 1000),
    },
)


def shown(row: dict[str, Any], wanted: dict[str, Any]) -> bool:
    return (
        wanted.get("repo") in (None, row["repo"])
        and wanted.get("kind") in (None, row["kind"])
        and wanted.get("tier", "hot") == "hot"
        and wanted.get("since", row["updated_at"]) <= row["updated_at"]
        and row["updated_at"] < wanted.get("until", row["updated_at"] + 1)
    )


@given(wanted=filters, start=st.integers(0, WINDOWS + 5), number=st.integers(0, WINDOWS + 5))
def test_a_page_of_a_filtered_list_is_a_slice_of_all(
    archive: vox.Archive, wanted: dict[str, Any], start: int, number: int
) -> None:
    every = [row["key"] for row in expected() if shown(row, wanted)]
    page = archive.windows(**wanted, start=start, count=number).column("key")
    assert page == every[start : start + number]
    assert archive.count_windows(**wanted) == len(every)


@pytest.mark.parametrize("name", ["kind", "tier"])
def test_a_filter_that_is_no_value_of_its_list_names_the_values(
    archive: vox.Archive, name: str
) -> None:
    with pytest.raises(InvalidArgumentError, match="lukewarm") as raised:
        archive.windows(**{name: "lukewarm"})
    assert {"kind": "chat", "tier": "frozen"}[name] in str(raised.value)


def test_places_and_counts_at_the_ends_are_no_error(archive: vox.Archive) -> None:
    assert len(archive.windows(start=2**63, count=2**63)) == 0
    assert len(archive.windows(start=WINDOWS - 1, count=2**64 - 1)) == 1
    assert len(archive.windows(count=0)) == 0


def test_an_empty_archive_has_the_same_columns(archive: vox.Archive, tmp_path: Path) -> None:
    with vox.open(tmp_path / "empty") as empty:
        assert len(empty.windows()) == 0
        assert empty.windows().names == archive.windows().names


def test_a_window_that_changes_comes_first(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    with vox.open(tmp_path / "archive") as archive:
        for at, name in enumerate("abc"):
            journal.write(folder / "x.journal", [Entry(window=name, text=name, at=at)])
        journal.ingest(archive, folder)
        assert archive.windows().column("key") == [f"journal:{name}" for name in "cba"]
        journal.write(folder / "x.journal", [Entry(window="a", text="more", at=99)])
        journal.ingest(archive, folder)
        assert archive.windows().column("key") == [f"journal:{name}" for name in "acb"]
        journal.write(folder / "x.journal", [Entry(window="a", text="late news", at=0)])
        journal.ingest(archive, folder)
        assert archive.windows().column("updated_at") == [99, 2, 1], "time doesn't run back"


# One window.


def id_of(key: str, revision: int = 0) -> uuid.UUID:
    named = key.encode() + b"\0" + revision.to_bytes(4, "little")
    return uuid.UUID(bytes=blake3(b"vox.window.v1\0" + named).digest()[:16])


def test_a_window_is_found_by_key_id_beginning_of_id_and_number(archive: vox.Archive) -> None:
    for row in archive.windows(count=1000).to_pylist():
        assert row["id"] == str(id_of(row["key"]))
        digits = row["id"].replace("-", "")
        names = [row["key"], row["id"], digits, row["id"][:13], digits[:15], row["window"]]
        for name in [*names, str(row["window"])]:
            window = archive.window(name)
            assert (window.number, window.id, window.key) == (row["window"], row["id"], row["key"])
            assert window.title == row["title"]
            assert len(window) == row["items"]
            assert window.info == row


@pytest.mark.parametrize(
    "name", ["", "nothing", "journal:", "0", "abc", "zzzz", "ffff" * 8, "ffff" * 9, "-", "ä" * 8]
)
def test_a_name_that_no_window_has_is_not_found(tmp_path: Path, name: str) -> None:
    with (
        vox.open(tmp_path / "empty") as empty,
        pytest.raises(NotFoundError, match="`vox ls` lists all"),
    ):
        empty.window(name)


@pytest.mark.parametrize("number", [WINDOWS, 2**31, 2**32, 2**64, -1])
def test_a_number_that_no_window_has_is_not_found(archive: vox.Archive, number: int) -> None:
    with pytest.raises(NotFoundError, match=f"there is no window number {number}"):
        archive.window(number)


def test_a_number_is_never_taken_for_the_beginning_of_an_id(tmp_path: Path) -> None:
    """An id whose first digits are decimal, as about one in six is."""
    name = next(f"n{i}" for i in count() if str(id_of(f"journal:n{i}"))[:8].isdigit())
    digits = str(id_of(f"journal:{name}"))[:8]
    journal.write(tmp_path / "in" / "a.journal", [Opening(window=name)])
    with vox.open(tmp_path / "archive") as archive:
        journal.ingest(archive, tmp_path / "in")
        assert archive.window(digits).number == 0
        with pytest.raises(NotFoundError, match=f"no window number {int(digits)}"):
            archive.window(int(digits))


def test_a_beginning_that_several_ids_have_asks_for_more(tmp_path: Path) -> None:
    seen: dict[str, str] = {}
    for i in count():
        beginning = id_of(f"journal:n{i}").hex[:5]
        if beginning in seen:
            names = [seen[beginning], f"n{i}"]
            break
        seen[beginning] = f"n{i}"
    journal.write(tmp_path / "in" / "a.journal", [Opening(window=name) for name in names])
    with vox.open(tmp_path / "archive") as archive:
        journal.ingest(archive, tmp_path / "in")
        for length in (4, 5):
            with pytest.raises(InvalidArgumentError, match="2 windows have ids that start with"):
                archive.window(beginning[:length])
        for name in names:
            digits = id_of(f"journal:{name}").hex
            assert archive.window(digits[:9]).key == f"journal:{name}"


# Trees.


def test_a_tree_shows_each_window_before_its_children(tmp_path: Path) -> None:
    below = {"root": None, "a": "root", "b": "root", "a1": "a", "a2": "a", "b1": "b", "alone": None}
    # Children come before their parents here: they wait for them.
    lines = [
        Opening(window=name, parent=parent, link="spawned_by" if parent else None)
        for name, parent in reversed(below.items())
    ]
    journal.write(tmp_path / "in" / "a.journal", lines)
    with vox.open(tmp_path / "archive") as archive:
        journal.ingest(archive, tmp_path / "in")
        for member in ["root", "a", "b1"]:
            rows = archive.window(f"journal:{member}").tree().to_pylist()
            names = [row["key"].removeprefix("journal:") for row in rows]
            assert sorted(names) == sorted(set(below) - {"alone"})
            ids = {row["key"].removeprefix("journal:"): row["id"] for row in rows}
            for place, row in enumerate(rows):
                parent = below[names[place]]
                assert row["parent"] == (ids[parent] if parent else None)
                assert row["root"] == ids["root"]
                assert parent is None or parent in names[:place]
            assert abs(names.index("a1") - names.index("a2")) == 1, "families stay together"
        assert archive.window("journal:alone").tree().column("key") == ["journal:alone"]
        assert archive.verify().ok
