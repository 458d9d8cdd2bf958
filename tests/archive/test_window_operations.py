"""What users do to windows and their items, through Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import vox
from tests.archive import contents, journal
from vox.archive import Archive, NewItem
from vox.errors import ConflictError, InvalidArgumentError, NotFoundError
from vox.sources.base import ItemKind, Role

COUNT = 700
ENTRIES = {name: list(journal.entries(name, COUNT, seed=seed)) for seed, name in enumerate("ab")}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Two windows, and a third that shares the beginning of the first."""
    folder = tmp_path_factory.mktemp("windows")
    for name, entries in ENTRIES.items():
        opening = journal.Opening(window=name, repo=f"/repo/{name}")
        journal.write(folder / "in" / f"{name}.journal", [opening, *entries])
    archive = vox.open(folder / "archive")
    journal.ingest(archive, folder / "in")
    archive.window("journal:a").fork(299, key="journal:c")
    return archive


def matching(name: str, wanted: dict[str, Any]) -> list[int]:
    """The ordinals that a filter lets through, by the entries alone."""

    def fits(entry: journal.Entry) -> bool:
        kinds = wanted.get("kinds")
        shown = entry.kind.name.lower() in kinds if kinds else entry.kind.name != "RECORD"
        roles, names = wanted.get("roles"), wanted.get("names")
        return (
            shown
            and (not roles or entry.role.name.lower() in roles)
            and (not names or entry.name in names)
            and entry.at >= wanted.get("since", entry.at)
            and entry.at < wanted.get("until", entry.at + 1)
        )

    entries = ENTRIES["a"][:300] if name == "c" else ENTRIES[name]
    return [ordinal for ordinal, entry in enumerate(entries) if fits(entry)]


OWN = NewItem(role=Role.USER, kind=ItemKind.MESSAGE, content="own")

some_filters = st.fixed_dictionaries(
    {},
    optional={
        "roles": st.lists(st.sampled_from(["user", "tool"]), min_size=1, max_size=2),
        "kinds": st.lists(
            st.sampled_from(["message", "tool_result", "record"]), min_size=1, max_size=2
        ),
        "names": st.just(["Bash"]),
        "since": st.integers(1_700_000_000_000, 1_700_000_700_000),
        "until": st.integers(1_700_000_000_000, 1_700_000_700_000),
    },
).filter(bool)


def trimmed(archive: Archive, name: str) -> list[int]:
    rows = contents.items(archive.window(f"journal:{name}"), hashes=False)
    return [row["ordinal"] for row in rows if row["trimmed_at"] is not None]


@settings(max_examples=settings().max_examples // 2)
@given(wanted=some_filters, windows=st.sets(st.sampled_from("abc")))
def test_a_filter_trims_and_restores_exactly_what_a_list_of_the_items_says(
    archive: Archive, wanted: dict[str, Any], windows: set[str]
) -> None:
    named = [f"journal:{name}" for name in windows] or None
    expected = {name: matching(name, wanted) for name in (windows or set("abc"))}
    before = contents.contents(archive)
    foreseen = archive.trim(named, dry_run=True, **wanted)
    assert contents.contents(archive) == before
    done = archive.trim(named, **wanted)
    try:
        assert done.items == foreseen.items == sum(map(len, expected.values()))
        assert (done.windows, done.dry_run, foreseen.dry_run) == (foreseen.windows, False, True)
        for name in "abc":
            assert trimmed(archive, name) == expected.get(name, [])
        for row in done.windows:
            items = contents.items(archive.window(row.window), hashes=False)
            gone = [item for item in items if item["trimmed_at"] is not None]
            assert row.bytes == sum(item["byte_len"] for item in gone)
            assert row.tokens == sum(item["token_estimate"] for item in gone)
        assert archive.trim(named, **wanted).items == 0, "it is done"
    finally:
        restored = archive.restore(named, **wanted)
    assert restored.items == done.items
    assert contents.contents(archive) == before


def test_ordinals_ranges_and_filters_choose_within_a_window(archive: Archive) -> None:
    window = archive.window("journal:b")
    report = window.trim([3, range(10, 20), range(40, 30, -5)])
    assert report.items == 13
    assert trimmed(archive, "b") == [3, *range(10, 20), 35, 40]
    assert window.info["trimmed"] == 13, "the object sees what was done through it"
    assert window.restore([range(12, 15), 36]).items == 3
    assert window.restore().items == 10
    tools = set(matching("b", {"kinds": ["tool_call"]}))
    window.trim([range(100)], kinds=["tool_call"])
    assert trimmed(archive, "b") == sorted(tools & set(range(100)))
    window.restore()
    with pytest.raises(InvalidArgumentError, match="has 700 items"):
        window.trim([COUNT])
    with pytest.raises(InvalidArgumentError, match="from 0"):
        window.trim([-1])


def test_an_item_is_marked_in_all_windows_that_show_it_or_in_those_that_are_named(
    archive: Archive,
) -> None:
    item = contents.items(archive.window("journal:a"))[7]["item"]
    everywhere = archive.trim(items=[item])
    assert len(everywhere.windows) == 2
    assert trimmed(archive, "a") == trimmed(archive, "c") == [7]
    assert archive.restore(["journal:a"], items=[item]).items == 1
    assert (trimmed(archive, "a"), trimmed(archive, "c")) == ([], [7])
    archive.restore(items=[item])
    with pytest.raises(NotFoundError):
        archive.trim(["journal:b"], items=[item])
    with pytest.raises(InvalidArgumentError, match="say which items"):
        archive.trim()
    with pytest.raises(InvalidArgumentError, match="repo and tags"):
        archive.trim(["journal:b"], repo="/repo/b")


def test_repositories_and_tags_choose_windows(archive: Archive) -> None:
    archive.window("journal:b").tag("old")
    ids = {name: archive.window(f"journal:{name}").id for name in "abc"}
    by_repo = archive.trim(repo="/repo/a", dry_run=True)
    assert {row.window for row in by_repo.windows} == {ids["a"], ids["c"]}
    by_tag = archive.trim(tags=["old"], dry_run=True)
    assert [(row.window, row.items) for row in by_tag.windows] == [(ids["b"], COUNT)]
    assert archive.trim(tags=["never"], dry_run=True).windows == []
    assert [row["id"] for row in archive.windows(tags=["old"]).to_pylist()] == [ids["b"]]
    archive.window("journal:b").untag("old")


def test_a_fork_looks_the_same_and_goes_its_own_way(tmp_path: Path) -> None:
    journal.write(tmp_path / "in" / "a.journal", ENTRIES["a"][:50])
    archive = vox.open(tmp_path / "archive")
    journal.ingest(archive, tmp_path / "in")
    origin = archive.window("journal:a")
    origin.trim([range(5, 8), 40])
    origin.pin_items([2])
    origin.rename("Origin")
    before = archive.stats()
    fork = origin.fork(29, key="my:fork")
    assert archive.stats()["blobs"] == before["blobs"]
    assert archive.stats()["items"] == before["items"], "no row is copied"
    assert contents.items(fork) == contents.items(archive.window("journal:a"))[:30]
    assert (fork.title, fork.info["trimmed"], fork.info["link"]) == ("Origin", 3, "forked_from")
    assert [(link, to.id, place) for link, to, place in fork.links()] == [
        ("forked_from", origin.id, 30)
    ]
    archive.append("my:fork", [OWN])
    fork.restore()
    assert len(archive.window("my:fork")) == 31
    assert archive.window("journal:a").info["trimmed"] == 4
    assert len(archive.window("journal:a")) == 50
    with pytest.raises(ConflictError, match="my:fork"):
        origin.fork(3, key="my:fork")
    with pytest.raises(InvalidArgumentError, match="50 items"):
        origin.fork(50)
    assert archive.verify().ok


def test_merged_items_are_those_that_were_picked_in_the_order_given(archive: Archive) -> None:
    report = archive.merge(
        [("journal:b", [range(600, 650), 3]), ("journal:a", [5]), ("journal:b", [4])],
        title="Picked",
        key="picked",
    )
    window = archive.window(report.window)
    picked = [ENTRIES["b"][3], *ENTRIES["b"][600:650], ENTRIES["a"][5], ENTRIES["b"][4]]
    assert report.items == len(window) == len(picked)
    rows = contents.items(window)
    assert [bytes(archive.read(row["item"])) for row in rows] == [entry.bytes for entry in picked]
    for row, entry in zip(rows, picked, strict=True):
        facts = journal.row(entry)
        assert {name: row[name] for name in facts} == facts
    origins = {archive.window("journal:a").id, archive.window("journal:b").id}
    assert {to.id for link, to, _ in window.links()} == origins
    again = archive.merge([("journal:b", [4])])
    assert again.window != report.window
    with pytest.raises(InvalidArgumentError, match="no items"):
        archive.merge([("journal:b", [])])
    assert archive.verify().ok
    archive.delete([report.window, again.window])


def test_a_deleted_window_goes_on_taking_what_its_source_says(tmp_path: Path) -> None:
    journal.write(tmp_path / "in" / "a.journal", ENTRIES["a"][:5])
    archive = vox.open(tmp_path / "archive")
    journal.ingest(archive, tmp_path / "in")
    window = archive.window("journal:a")
    window.delete()
    assert archive.count_windows() == archive.count_timeline(records=True) == 0
    journal.write(tmp_path / "in" / "a.journal", ENTRIES["a"][5:9])
    journal.ingest(archive, tmp_path / "in")
    assert archive.count_windows() == 0
    assert archive.count_windows(deleted=True) == 1
    window.undelete()
    assert len(archive.window("journal:a")) == 9
    assert archive.count_windows() == 1
    assert archive.count_windows(deleted=True) == 0
    assert archive.verify().ok


def test_a_user_s_title_outlives_imports_and_can_be_given_back(tmp_path: Path) -> None:
    def says(title: str) -> None:
        journal.write(tmp_path / "in" / "a.journal", [journal.Opening(window="a", title=title)])
        journal.ingest(archive, tmp_path / "in")

    archive = vox.open(tmp_path / "archive")
    says("first")
    window = archive.window("journal:a")
    window.rename("mine")
    says("second")
    assert archive.window("journal:a").title == "mine"
    window.rename(None)
    assert archive.window("journal:a").title == window.title == "second"
    says("third")
    assert archive.window("journal:a").title == "third"
