"""What later items of a window refer to, and the bytes of many items."""

from __future__ import annotations

import ast
import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import msgspec
import numpy
import pytest
from blake3 import blake3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import vox
from tests import corpus
from vox import _native
from vox.archive import Archive, NewItem
from vox.errors import InvalidArgumentError, NotFoundError
from vox.sources.base import ItemKind, Role

POOL = [
    "lib/parse.rs",
    "test_it_holds",
    "E0308",
    "fooBar",
    "c789a04",
    "Chunk::parse_whole",
    "CVE-2021-44228",
    "os.path.join",
    "größen_änderung",
    "4829371",
]
ALSO = {"lib/parse.rs": {"parse.rs"}, "Chunk::parse_whole": {"parse_whole"}}
FILLERS = ["the", "and/or", "12:30", "well-known", "2026-01-01T10:20:30Z", "(see)", "\n", "\\n"]


def message(text: str | bytes) -> NewItem:
    return NewItem(content=text, role=Role.USER, kind=ItemKind.MESSAGE)


def call(arguments: str, tool: str = "Read") -> NewItem:
    kind = ItemKind.TOOL_CALL
    return NewItem(content=arguments, role=Role.ASSISTANT, kind=kind, name=tool)


def result(text: str, tool: str = "Read") -> NewItem:
    return NewItem(content=text, role=Role.TOOL, kind=ItemKind.TOOL_RESULT, name=tool)


class Found:
    """Relations as lists."""

    def __init__(self, archive: Archive, window: str | int = "a") -> None:
        found = _native.relations(archive._native, archive.window(window).number)
        self.mentions = numpy.frombuffer(found.mentions, numpy.uint32).tolist()
        self.touched = numpy.frombuffer(found.touched, numpy.int32).tolist()
        self.paths = found.paths
        self.known, self.kept = found.known, found.kept
        assert len(found) == len(self.mentions) == len(self.touched)

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, Found)
        mine = (self.mentions, self.touched, self.paths)
        return mine == (other.mentions, other.touched, other.paths)

    __hash__ = None  # type: ignore[assignment]


def looked_for(items: Sequence[set[str]]) -> list[int]:
    """The mentions of items with these names, by looking at all of them before each."""
    mentions = [0] * len(items)
    for item, names in enumerate(items):
        mentioned = set()
        for name in names:
            having = [at for at in range(item) if name in items[at]]
            if having and len(having) <= max(16, item // 32):
                mentioned |= {having[0], having[-1]}
        for at in mentioned:
            mentions[at] += 1
    return mentions


def caches(archive: Archive) -> list[Path]:
    return sorted((archive.path / "relations").glob("*"))


texts = st.lists(st.sampled_from(POOL + FILLERS), max_size=7)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(items=st.lists(texts, min_size=1, max_size=60), cuts=st.lists(st.integers(1, 59)))
def test_mentions_are_those_that_looking_at_all_items_finds_however_the_window_grew(
    tmp_path_factory: pytest.TempPathFactory, items: list[list[str]], cuts: list[int]
) -> None:
    names: list[set[str]] = [set() for _ in items]
    for of_item, words in zip(names, items, strict=True):
        for word in set(words) & set(POOL):
            of_item |= {word} | ALSO.get(word, set())
    with vox.open(tmp_path_factory.mktemp("archives") / "archive") as archive:
        edges = [0, *sorted({cut for cut in cuts if cut < len(items)}), len(items)]
        for first, end in itertools.pairwise(edges):
            archive.append("a", [message(" ".join(words)) for words in items[first:end]])
            found = Found(archive)
            assert (found.known, found.kept) == (first, True)
            assert found.mentions == looked_for(names[:end])


@pytest.fixture
def filled(archive: Archive) -> Archive:
    """An archive with a window that calls tools."""
    archive.append(
        "a",
        [
            message("please look at lib/parse.rs"),
            call('{"file_path": "/repo/lib/parse.rs"}'),
            result("fn test_it_holds() {}"),
            call('{"command": "cargo test"}', "Bash"),
            result("test_it_holds failed with E0308", "Bash"),
            call('{"command": "sed -n 1,9p ./lib/mend.rs"}', "Bash"),
            call('{"file_path": "/repo/lib/parse.rs", "new_string": "E0308"}', "Edit"),
            result("", "Bash"),
            result("done", "Edit"),
        ],
    )
    return archive


def test_items_are_mentioned_and_calls_and_results_are_about_a_file(filled: Archive) -> None:
    found = Found(filled)
    assert found.mentions == [2, 1, 1, 0, 1, 0, 0, 0, 0]
    assert found.touched == [-1, 0, 0, -1, -1, 1, 0, 1, 0]
    assert found.paths == ["/repo/lib/parse.rs", "lib/mend.rs"]


def test_a_result_is_about_the_file_of_the_call_with_its_id(archive: Archive) -> None:
    def with_id(item: NewItem, call_id: str) -> NewItem:
        return msgspec.structs.replace(item, call_id=call_id)

    first = [
        with_id(call('{"file_path": "a.rs"}'), "one"),
        with_id(call('{"file_path": "b.rs"}'), "two"),
    ]
    archive.append("a", first)
    assert Found(archive).touched == [0, 1]
    archive.append("a", [with_id(result("of b"), "two"), with_id(result("of a"), "one")])
    assert Found(archive).touched == [0, 1, 1, 0]
    archive.append("a", [with_id(result("of none"), "three"), result("without")])
    assert Found(archive).touched == [0, 1, 1, 0, -1, -1]


def test_an_empty_window_has_none_and_a_window_must_be_there(archive: Archive) -> None:
    archive.append("a", [])
    assert Found(archive).mentions == []
    with pytest.raises(NotFoundError, match="window number 7"):
        _native.relations(archive._native, 7)


def test_what_is_no_text_or_a_record_or_very_long_mentions_nothing(archive: Archive) -> None:
    items = [
        message("test_it_holds"),
        NewItem(content=b"test_it_holds \xff", role=Role.USER, kind=ItemKind.ATTACHMENT),
        NewItem(content="test_it_holds", role=Role.USER, kind=ItemKind.RECORD),
        message("test_it_holds " * 100_000),
        message(b"\xff test_it_holds"),
    ]
    archive.append("a", items)
    assert Found(archive).mentions == [1, 0, 0, 0, 0]


def test_a_fork_begins_with_the_relations_of_its_window(filled: Archive) -> None:
    window = filled.window("a")
    whole = Found(filled)
    fork = Found(filled, window.fork(5).number)
    assert fork.touched == whole.touched[:6]
    assert fork.paths == whole.paths
    assert Found(filled) == whole


def test_what_was_found_is_known_to_whoever_opens_it_also_for_reading(filled: Archive) -> None:
    first = Found(filled)
    assert (first.known, first.kept) == (0, True)
    with vox.open(filled.path, read_only=True) as other:
        again = Found(other)
        assert again == first
        assert (again.known, again.kept) == (9, True)


def test_an_archive_that_is_only_read_answers_and_keeps_nothing(filled: Archive) -> None:
    with vox.open(filled.path, read_only=True) as other:
        found = Found(other)
        assert (found.known, found.kept) == (0, False)
    assert caches(filled) == []
    assert Found(filled) == found


def test_finding_out_is_no_transaction_of_the_archive(filled: Archive) -> None:
    data = next(filled.path.glob("db/*/data.mdb"))
    before = data.read_bytes()
    Found(filled)
    assert data.read_bytes() == before


def test_a_file_that_is_damaged_cut_or_foreign_is_made_anew(
    filled: Archive, new_archive: Callable[[], Archive]
) -> None:
    wanted = Found(filled)
    (file,) = caches(filled)
    whole = file.read_bytes()
    other = new_archive()
    other.append("a", [message("another_thing"), message("another_thing")])
    Found(other)
    (foreign,) = caches(other)
    for bytes_ in (
        b"",
        b"voxrelat",
        whole[:-1],
        whole + b"\0",
        whole[:200] + bytes([whole[200] ^ 1]) + whole[201:],
        foreign.read_bytes(),
    ):
        file.write_bytes(bytes_)
        found = Found(filled)
        assert (found, found.known, found.kept) == (wanted, 0, True)
        assert file.read_bytes()[:8] == b"voxrelat"
        assert Found(filled).known == 9


def test_what_stands_in_the_place_of_a_file_or_the_folder_is_in_nobodys_way(
    filled: Archive,
) -> None:
    wanted = Found(filled)
    (file,) = caches(filled)
    file.unlink()
    file.mkdir()
    assert (Found(filled), Found(filled).kept) == (wanted, False)
    file.rmdir()
    os.mkfifo(file)
    assert Found(filled) == wanted
    shutil.rmtree(file.parent)
    file.parent.write_text("in the way")
    assert (Found(filled), Found(filled).kept) == (wanted, False)


def test_an_archive_that_was_put_back_to_an_older_copy_doesnt_believe_what_was_kept(
    filled: Archive, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(filled.path, copy)
    filled.append("a", [message("E0308 once_more")])
    Found(filled)
    shutil.copytree(filled.path / "relations", copy / "relations")
    with vox.open(copy) as older:
        older.append("a", [message("nothing"), message("once_more")])
        found = Found(older)
        assert (found.known, len(found.mentions), found.mentions[4]) == (0, 11, 1)


def names_hash(name: str) -> bytes:
    return blake3(name.encode()).digest()[:8]


def test_purging_leaves_no_hash_of_a_name_of_what_is_gone(archive: Archive) -> None:
    texts = ["secret_plan here", "the secret_plan and open_plan", "open_plan", "open_plan"]
    archive.append("a", [message(text) for text in texts])
    archive.append("b", [message("other_plan"), message("other_plan")])
    before = Found(archive)
    assert before.mentions == [1, 2, 1, 0]
    Found(archive, "b")
    held = b"".join(file.read_bytes() for file in caches(archive))
    assert names_hash("secret_plan") in held
    window = archive.window("a")
    window.trim([range(2)])
    assert Found(archive) == before
    archive.purge([window], now=True, dry_run=True)
    assert len(caches(archive)) == 2
    archive.purge([window], now=True, dry_run=False)
    assert caches(archive) == []
    after = Found(archive)
    assert (after.mentions, after.known) == ([0, 0, 1, 0], 0)
    assert Found(archive).known == 4
    held = b"".join(file.read_bytes() for file in caches(archive))
    assert names_hash("secret_plan") not in held
    assert names_hash("open_plan") in held


def test_what_was_kept_before_a_purge_is_not_believed_after_it(filled: Archive) -> None:
    before = Found(filled)
    (file,) = caches(filled)
    kept = file.read_bytes()
    window = filled.window("a")
    window.trim([0])
    filled.purge([window], now=True, dry_run=False)
    file.write_bytes(kept)
    after = Found(filled)
    assert (after.known, after.mentions[0], before.mentions[0]) == (0, 0, 2)
    assert names_hash("lib/parse.rs") in file.read_bytes()


def test_collecting_removes_drafts_that_were_left(filled: Archive) -> None:
    Found(filled)
    (file,) = caches(filled)
    draft = file.with_suffix(".draft")
    draft.write_bytes(b"left")
    filled.gc(dry_run=False)
    assert caches(filled) == [file]


FINDER = """
import sys, numpy, vox
from vox import _native
with vox.open(sys.argv[1]) as archive:
    for line in sys.stdin:
        window = archive.window("a").number
        found = _native.relations(archive._native, window)
        print(numpy.frombuffer(found.mentions, numpy.uint32).tolist(), flush=True)
"""


def test_processes_that_find_out_while_another_appends_are_all_right(archive: Archive) -> None:
    rng = Random(5)
    archive.append("a", [message("start")])
    command = [sys.executable, "-c", FINDER, str(archive.path)]
    finders = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    names: list[set[str]] = [set()]
    for _ in range(12):
        more = [{rng.choice(POOL[1:5]) for _ in range(3)} for _ in range(9)]
        for finder in finders:
            assert finder.stdin
            print(file=finder.stdin, flush=True)
        archive.append("a", [message(" ".join(some)) for some in more])
        names += more
        for finder in finders:
            assert finder.stdout
            mentions = ast.literal_eval(finder.stdout.readline())
            assert mentions == looked_for(names[: len(mentions)])
        assert Found(archive).mentions == looked_for(names)
    for finder in finders:
        finder.communicate()
        assert finder.returncode == 0


@pytest.mark.parametrize("tool", corpus.TOOLS)
def test_real_transcripts_are_known_the_second_time_and_begin_as_their_forks(
    tool: str, archive: Archive
) -> None:
    archive.ingest([tool], root=corpus.EXAMPLES / corpus.TOOLS[tool])
    about = mentioned = 0
    for number in range(len(archive.windows())):
        window = archive.window(number)
        first, again = Found(archive, number), Found(archive, number)
        assert first == again
        assert again.known == len(first.mentions)
        rows = window.items(0, 10_000, trimmed="show", records=True).to_pylist()
        for row, touched, mentions in zip(rows, first.touched, first.mentions, strict=True):
            assert touched == -1 or row["kind"] in {"tool_call", "tool_result"}
            about += touched != -1
            mentioned += mentions > 0
        for at in {len(rows) // 3, len(rows) - 1} & set(range(1, len(rows))):
            fork = Found(archive, window.fork(at).number)
            assert fork.touched == first.touched[: at + 1]
    assert about > 10
    assert mentioned > 10


def test_many_items_are_read_in_the_order_asked_for(archive: Archive) -> None:
    archive.append("a", [message(f"text {n}") for n in range(300)])
    items = archive.window("a").items(0, 300).column("item")
    wanted = [archive.read(item) for item in items]
    native = archive._native
    assert _native.read_many(native, items) == wanted
    backwards = [*items[::-7], items[3], items[3]]
    some = [archive.read(item) for item in backwards]
    column = numpy.array(backwards, numpy.uint64)
    for given_as in (backwards, column, column.tobytes(), memoryview(column)):
        assert _native.read_many(native, given_as) == some
    assert _native.read_many(native, []) == _native.read_many(native, b"") == []


def test_of_many_items_a_purged_one_is_none_and_one_that_isnt_there_an_error(
    filled: Archive,
) -> None:
    items = filled.window("a").items(0, 9).column("item")
    window = filled.window("a")
    window.trim([1])
    filled.purge([window], now=True, dry_run=False)
    read = _native.read_many(filled._native, items)
    assert read[1] is None
    assert read[7] == b""
    with pytest.raises(NotFoundError, match="no item"):
        _native.read_many(filled._native, [items[0], 2**63])
    with pytest.raises(InvalidArgumentError, match="7 bytes"):
        _native.read_many(filled._native, b"1234567")
    for wrong in ([-1], ["x"], 7, [1.5], [2**64]):
        with pytest.raises((TypeError, OverflowError)):
            _native.read_many(filled._native, wrong)
