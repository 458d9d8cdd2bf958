"""Searching from Python: hits, pages that stay as they are, scopes, and what is refused."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

import vox
from vox import _native
from vox.archive import Archive, NewItem, SearchAnswer, SearchHit
from vox.errors import InvalidArgumentError, NotFoundError, ReadOnlyError
from vox.sources.base import ItemKind, Role, WindowDraft

DAY = 86_400_000
START = 1_767_225_600_000  # 2026-01-01


def say(archive: Archive, key: str, *texts: str, day: int = 0, **draft: Any) -> None:
    """Appends one message of the user for each text, a second apart."""
    window = WindowDraft(key=key, **draft)
    items = [
        NewItem(
            role=Role.USER,
            kind=ItemKind.MESSAGE,
            content=text,
            created_at=START + day * DAY + i * 1000,
        )
        for i, text in enumerate(texts)
    ]
    archive.append(window, items)


@pytest.fixture
def talks(archive: Archive) -> Archive:
    """Two repositories, of which one has a sub-agent."""
    say(
        archive,
        "engine",
        "the disk is full",
        "größe: the 漢字 disk",
        title="Engine",
        repo="/engine",
    )
    say(archive, "wing", "no disk here", day=40, title="Wing", repo="/wing", agent="codex")
    say(archive, "helper", "disk helper", day=50, repo="/wing", parent="wing", link="spawned_by")
    return archive


def texts(archive: Archive, hits: list[SearchHit]) -> list[str]:
    return [bytes(archive.read(hit.item)).decode() for hit in hits]


def marked(hit: SearchHit) -> list[str]:
    assert hit.snippet is not None
    return [hit.snippet.text[start:end] for start, end in hit.snippet.marks]


def test_a_hit_says_what_it_is_and_where_it_stands(talks: Archive) -> None:
    (hit,) = talks.search("GRÖSSE OR größe").hits
    window = talks.window("engine")
    assert (hit.window, hit.window_id, hit.ordinal) == (window.number, window.id, 1)
    assert (hit.title, hit.repo, hit.sub_agent, hit.deleted) == ("Engine", "/engine", False, False)
    assert (hit.role, hit.kind, hit.created_at) == ("user", "message", START + 1000)
    assert hit.item == window.items().column("item")[1]
    assert hit.preview == "größe: the 漢字 disk"
    assert hit.windows == 1


def test_marks_of_a_snippet_are_counted_in_characters(talks: Archive) -> None:
    (hit,) = talks.search("größe 漢字 disk").hits
    assert marked(hit) == ["größe", "漢字", "disk"]


def test_an_answer_has_no_snippets_if_none_are_wanted(talks: Archive) -> None:
    assert [hit.snippet for hit in talks.search("disk", snippet=None).hits] == [None] * 3


def test_hits_come_in_the_order_that_was_asked_for(talks: Archive) -> None:
    newest = talks.search("disk", order="newest").hits
    assert texts(talks, newest) == ["no disk here", "größe: the 漢字 disk", "the disk is full"]
    oldest = talks.search("disk", order="oldest").hits
    assert texts(talks, oldest) == texts(talks, newest)[::-1]
    by_relevance = talks.search("disk").hits
    assert sorted(texts(talks, by_relevance)) == sorted(texts(talks, newest))


def test_a_scope_leaves_out_other_repositories_and_sub_agents(talks: Archive) -> None:
    assert len(talks.search("disk", repo="/wing")) == 1
    assert len(talks.search("disk", repo=["/wing"], sub_agents=True)) == 2
    assert len(talks.search("disk", repo=["/wing", "/engine"])) == 3
    assert len(talks.search("disk repo:engine", repo="/wing")) == 2
    assert len(talks.search("disk is:subagent")) == 1


@pytest.mark.parametrize(
    ("query", "repo", "scoped"),
    [
        ("disk", "/wing", True),
        ("disk -repo:engine", "/wing", True),
        ("disk", None, False),
        ("disk repo:engine", "/wing", False),
        ("disk in:engine", "/wing", False),
    ],
)
def test_an_answer_says_whether_it_is_confined_to_the_scope(
    talks: Archive, query: str, repo: str | None, scoped: bool
) -> None:
    assert talks.search(query, repo=repo).scoped == scoped


def test_a_content_that_several_windows_hold_is_one_hit_each_and_says_so(talks: Archive) -> None:
    say(talks, "echo", "as you said:", "the disk is full")
    assert [hit.windows for hit in talks.search("full").hits] == [2, 2]


def test_a_fork_shares_its_hits_with_its_origin(talks: Archive) -> None:
    talks.window("engine").fork(1)
    hits = talks.search("disk full").hits
    assert [(hit.window, hit.windows) for hit in hits] == [(talks.window("engine").number, 2)]


def test_facets_count_all_hits(talks: Archive) -> None:
    facets = talks.search("disk", limit=1, sub_agents=True).facets()
    assert facets.repo == [("/engine", 2), ("/wing", 2)]
    assert facets.role == [("user", 4)]
    assert facets.kind == [("message", 4)]
    assert facets.month == [("2026-02", 2), ("2026-01", 2)]
    assert dict(facets.agent)["codex"] == 1


def pages(archive: Archive, query: str, limit: int, **wanted: Any) -> list[SearchAnswer]:
    """All pages of an answer, each asked for with the cursor of the one before."""
    answers = [archive.search(query, limit=limit, **wanted)]
    while answers[-1].cursor is not None:
        answers.append(archive.search(query, limit=limit, cursor=answers[-1].cursor, **wanted))
    return answers


@pytest.mark.parametrize("order", ["relevance", "newest", "oldest"])
@pytest.mark.parametrize("limit", [1, 3, 7, 20])
def test_pages_together_are_all_hits_in_their_order(
    archive: Archive, order: str, limit: int
) -> None:
    for day in range(7):
        say(archive, f"w{day % 3}", *(f"word {'word ' * i}and {i}" for i in range(3)), day=-day)
    whole = archive.search("word", limit=100, order=cast(Any, order)).hits
    assert len(whole) == 21
    parts = pages(archive, "word", limit, order=order)
    assert [hit.item for part in parts for hit in part.hits] == [hit.item for hit in whole]
    assert [len(part.hits) for part in parts[:-1]] == [limit] * (len(parts) - 1)


class Uncounted:
    """An answer of the core that fails if it is asked how many hits there are."""

    def __init__(self, native: _native.Answered) -> None:
        self.native = native

    def __getattr__(self, name: str) -> Any:
        return getattr(self.native, name)

    def __len__(self) -> int:
        raise AssertionError("all hits were counted")


@pytest.mark.parametrize("limit", [0, 1, 2, 3])
def test_a_page_is_found_without_counting_all_hits(
    talks: Archive, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    find = _native.search
    monkeypatch.setattr(_native, "search", lambda *asked: Uncounted(find(*asked)))
    answer = talks.search("disk", limit=limit)
    assert len(answer.hits) == limit
    assert (answer.cursor is not None) == (limit in (1, 2))


@pytest.mark.parametrize("order", ["relevance", "newest", "oldest"])
def test_what_comes_later_shifts_no_page(archive: Archive, order: str) -> None:
    say(archive, "w", *(f"word {i}" for i in range(6)))
    before = [hit.item for hit in archive.search("word", order=cast(Any, order)).hits]
    first = archive.search("word", limit=2, order=cast(Any, order))
    say(archive, "w", "word word word", "word", day=9)
    say(archive, "v", "word", day=-9)
    rest = archive.search("word", cursor=first.cursor, order=cast(Any, order))
    assert [hit.item for hit in first.hits + rest.hits] == before
    assert len(archive.search("word")) == 9


def test_what_goes_shifts_no_page(archive: Archive) -> None:
    say(archive, "w", *(f"word {i}" for i in range(6)))
    say(archive, "newest", "word", day=1)
    first = archive.search("word", limit=3, order="newest")
    archive.delete(["newest"])
    rest = archive.search("word", limit=9, order="newest", cursor=first.cursor)
    assert texts(archive, rest.hits) == ["word 3", "word 2", "word 1", "word 0"]


def test_relative_times_of_later_pages_are_those_of_the_first(archive: Archive) -> None:
    say(archive, "w", "word 1", "word 2")
    first = archive.search("word before:0d", limit=1, order="oldest")
    assert first.cursor is not None
    rest = archive.search("word before:0d", cursor=first.cursor, order="oldest")
    assert texts(archive, first.hits + rest.hits) == ["word 1", "word 2"]


def test_a_cursor_of_another_search_is_refused(talks: Archive) -> None:
    cursor = talks.search("disk", limit=1).cursor
    assert cursor is not None
    with pytest.raises(InvalidArgumentError, match="another search"):
        talks.search("disk full", cursor=cursor)
    with pytest.raises(InvalidArgumentError, match="another search"):
        talks.search("disk", order="newest", cursor=cursor)
    with pytest.raises(InvalidArgumentError, match="another search"):
        talks.search("disk", repo="/wing", cursor=cursor)


@pytest.mark.parametrize("cursor", ["", "?", "é", "AAAA", "k" * 1000])
def test_what_is_no_cursor_is_refused(talks: Archive, cursor: str) -> None:
    with pytest.raises(InvalidArgumentError, match="no cursor"):
        talks.search("disk", cursor=cursor)


def test_a_query_that_is_none_is_refused_with_its_column(talks: Archive) -> None:
    with pytest.raises(InvalidArgumentError, match="column 6 of the query"):
        talks.search('disk "full')
    with pytest.raises(NotFoundError):
        talks.search("disk in:deadbeef")
    with pytest.raises(InvalidArgumentError, match="order="):
        talks.search("disk", order=cast(Any, "random"))
    with pytest.raises(InvalidArgumentError, match="limit=-1"):
        talks.search("disk", limit=-1)
    with pytest.raises(InvalidArgumentError, match="seconds"):
        talks.search("disk", seconds=-1)


def test_an_answer_stays_at_the_state_it_was_made_from(talks: Archive) -> None:
    answer = talks.search("disk")
    say(talks, "engine", "another disk")
    assert len(answer) == 3
    assert len(answer.page(0, 10)) == 3
    assert answer.page(3, 10) == []


def test_without_a_query_every_item_is_a_hit(talks: Archive) -> None:
    assert len(talks.search("")) == 3
    assert len(talks.search("before:2026-01-15T00:00Z")) == 2


def test_without_the_index_the_hits_are_the_same(talks: Archive) -> None:
    answer = talks.search("disk", index=False)
    assert answer.state == "not_indexed"
    assert answer.why
    assert [hit.score for hit in answer.hits] == [None] * 3
    assert texts(talks, answer.hits) == texts(talks, talks.search("disk", order="newest").hits)


def test_a_folder_is_known_by_its_path_its_root_what_is_below_and_its_remote(
    archive: Archive, tmp_path: Path
) -> None:
    root = tmp_path / "thing"
    inside = root / "src" / "deep"
    inside.mkdir(parents=True)
    for arguments in (["init", "-q"], ["remote", "add", "origin", "git@host:me/thing.git"]):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    assert archive.repos_here(inside) == []
    other = str(root / "src" / "other")
    for name in (str(root), "git@host:me/thing.git", str(tmp_path), other, f"{root}-other"):
        say(archive, name, "hello", repo=name)
    assert archive.repos_here(inside) == [str(root), "git@host:me/thing.git", other]
    assert archive.repos_here(root) == [str(root), "git@host:me/thing.git", other]
    assert archive.repos_here(tmp_path) == [str(tmp_path)]
    assert archive.repos_here(tmp_path / "elsewhere") == []


def test_a_worktree_is_of_the_repository_that_it_belongs_to(
    archive: Archive, tmp_path: Path
) -> None:
    root, tree = tmp_path / "thing", tmp_path / "tree"
    root.mkdir()
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for arguments in (
        ["init", "-q"],
        ["remote", "add", "origin", "git@host:me/thing.git"],
        ["commit", "-q", "--allow-empty", "-m", "first"],
        ["worktree", "add", "-q", "--detach", str(tree)],
    ):
        subprocess.run([*git, *arguments], cwd=root, check=True)
    say(archive, "w", "hello", repo="git@host:me/thing.git")
    assert archive.repos_here(tree) == ["git@host:me/thing.git"]


def test_an_index_that_is_brought_up_to_date_answers_the_same_and_scores(talks: Archive) -> None:
    before = talks.search("disk", order="newest")
    assert before.state == "not_indexed"
    report = talks.update_index()
    assert (report.standing, report.anew, report.added) == ("current", True, 4)
    after = talks.search("disk", order="newest")
    assert after.state == "complete"
    assert [hit.item for hit in after.hits] == [hit.item for hit in before.hits]
    assert all(hit.score is not None for hit in talks.search("disk").hits)
    say(talks, "engine", "one more disk", day=1)
    tail = talks.search("disk")
    assert (tail.state, len(tail)) == ("complete", 4)
    assert talks.update_index().added == 1
    assert talks.reindex().added == 5
    assert len(talks.search("disk")) == 4


def test_pages_stay_as_they_are_while_the_index_catches_up(archive: Archive) -> None:
    say(archive, "w", *(f"word {'word ' * (i % 3)}{i}" for i in range(9)))
    archive.update_index()
    before = [hit.item for hit in archive.search("word").hits]
    first = archive.search("word", limit=4)
    say(archive, "w", "word word", "word", day=9)
    archive.update_index()
    rest = archive.search("word", cursor=first.cursor)
    assert [hit.item for hit in first.hits + rest.hits] == before


def test_pages_go_on_where_the_index_breaks_under_an_answer(archive: Archive) -> None:
    say(archive, "w", *(f"{'word ' * (1 + i % 7)}{i}" for i in range(300)))
    archive.update_index()
    answer = archive.search("word", limit=10)
    for postings in (archive.path / "search").rglob("*.idx"):
        with postings.open("r+b") as file:
            file.write(b"\xff" * postings.stat().st_size)
    hits = answer.page(0, 50) + answer.page(50, 100) + answer.page(150, 1000)
    assert len({hit.item for hit in hits}) == len(hits) == len(answer) == 300
    assert [hit.score is None for hit in hits] == [False] * 100 + [True] * 200
    assert [hit.item for hit in hits[100:]] == sorted(
        (hit.item for hit in hits[100:]), reverse=True
    )


def test_an_index_that_may_not_be_built_says_what_to_do(talks: Archive) -> None:
    with (
        vox.open(talks.path, read_only=True) as reading,
        pytest.raises(ReadOnlyError, match="open it for writing"),
    ):
        reading.reindex()


@pytest.mark.parametrize("wanted", [{"query": "a\ud800"}, {"query": "a", "repo": "/\udfff"}])
def test_what_is_no_text_is_refused(talks: Archive, wanted: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="surrogate"):
        talks.search(**wanted)


def test_an_empty_archive_needs_no_index(archive: Archive) -> None:
    assert archive.search("disk").state == "complete"


def test_a_pipe_in_place_of_the_index_is_replaced(talks: Archive) -> None:
    (talks.path / "search").mkdir()
    os.mkfifo(talks.path / "search" / "CURRENT")
    assert talks.search("disk").state == "not_indexed"
    talks.reindex()
    assert talks.search("disk").state == "complete"


def indexed_documents(archive: Archive) -> int:
    """How many documents the files of the index hold, those marked as deleted too."""
    (meta,) = (archive.path / "search").glob("words-*/meta.json")
    return sum(segment["max_doc"] for segment in json.loads(meta.read_bytes())["segments"])


def test_what_is_purged_leaves_the_index_at_once(talks: Archive) -> None:
    talks.update_index()
    assert indexed_documents(talks) == 4
    talks.delete(["helper"])
    talks.purge(["helper"], deleted=True, now=True, dry_run=False)
    assert indexed_documents(talks) == 3
    assert len(talks.search("disk", sub_agents=True)) == 3


def test_a_compacted_archive_keeps_an_index_if_it_had_one(talks: Archive) -> None:
    talks.compact()
    assert talks.search("disk").state == "not_indexed"
    talks.update_index()
    talks.compact()
    assert talks.search("disk").state == "complete"
