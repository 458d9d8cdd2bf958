"""What looks like a secret is masked where it is shown, kept as it is, and found again."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import vox
from vox import _native
from vox.archive import Archive, import_jsonl
from vox.archive.append import NewItem
from vox.errors import ConflictError, InvalidArgumentError, WrongVersionError
from vox.sources.base import ItemKind, Role, WindowDraft

TOKEN = "gh" + "p_" + "a8Kd0qLmZ3vTnR5yWb7XcP1eUoIs9Gf2HjVk"
MASK = "[secret:github-token]"
TEXTS = ["hello", f"use {TOKEN} please", "x" * 100 + f" {TOKEN}", "bye"]


def items(*texts: str) -> list[NewItem]:
    return [
        NewItem(role=Role.USER, kind=ItemKind.MESSAGE, content=text, created_at=place)
        for place, text in enumerate(texts)
    ]


@pytest.fixture
def leaky(archive: Archive) -> Archive:
    """An archive with a window `w`, two of whose items hold a token."""
    archive.append(WindowDraft(key="w", title=f"rotate {TOKEN}"), items(*TEXTS))
    return archive


def ids(archive: Archive, window: str = "w") -> list[int]:
    return [int(item) for item in archive.window(window).items().column("item")]


def test_a_text_is_masked_and_says_where() -> None:
    text = f"é {TOKEN}!"
    assert _native.mask_secrets(text).decode() == f"é {MASK}!"
    start = len("é ".encode())
    assert _native.find_secrets(text) == [(start, start + len(TOKEN), "github-token")]


def test_masking_is_the_same_before_and_after_the_scan(leaky: Archive) -> None:
    def answers() -> list[object]:
        found = [(leaky.find_secrets(item), leaky.masked(item)) for item in ids(leaky)]
        return [found, leaky.masked_previews(ids(leaky))]

    before = answers()
    scan = leaky.scan_secrets()
    assert (scan.contents, scan.with_secrets) == (4, 2)
    assert answers() == before
    assert [leaky.masked(item).decode() for item in ids(leaky)] == [
        text.replace(TOKEN, MASK) for text in TEXTS
    ]
    # What was scanned isn't scanned again; what is new is.
    assert leaky.scan_secrets().contents == 0
    leaky.append("w", items("more", f"and {TOKEN} again"))
    scan = leaky.scan_secrets()
    assert (scan.contents, scan.with_secrets) == (2, 1)


def test_a_preview_that_ends_within_a_secret_shows_nothing_of_it(leaky: Archive) -> None:
    plain = leaky.window("w").items().to_pylist()[2]["preview"]
    assert TOKEN[:8] in plain
    assert TOKEN not in plain
    for _ in range(2):
        none, _, masked, last = leaky.masked_previews(ids(leaky))
        assert none is last is None
        assert masked is not None
        assert TOKEN[:5] not in masked
        leaky.scan_secrets()


def test_stored_bytes_stay_as_they_are(leaky: Archive) -> None:
    leaky.scan_secrets()
    leaky.redact("w")
    assert [bytes(leaky.read(item)).decode() for item in ids(leaky)] == TEXTS
    assert leaky.verify().ok


def test_a_redacted_window_has_the_variant_of_each_item_at_its_place(leaky: Archive) -> None:
    leaky.window("w").trim([3])
    report = leaky.redact("w")
    assert (report.items, report.redacted, report.secrets) == (4, 2, 2)
    made = leaky.window(report.window)
    rows = made.items(trimmed="show").to_pylist()
    assert [bytes(leaky.read(row["item"])).decode() for row in rows] == [
        text.replace(TOKEN, MASK) for text in TEXTS
    ]
    assert [row["redacted"] for row in rows] == [False, True, True, False]
    assert [row["created_at"] for row in rows] == [0, 1, 2, 3]
    assert [row["trimmed_at"] is not None for row in rows] == [False, False, False, True]
    assert [(link, window.key) for link, window, _ in made.links()] == [("derived_from", "w")]
    assert made.title == f"rotate {MASK} (redacted)"
    assert leaky.verify().ok
    with pytest.raises(ConflictError):
        leaky.redact("w")
    with pytest.raises(InvalidArgumentError, match="no item"):
        leaky.redact(report.window)


def test_a_masked_export_has_no_secret_and_makes_no_archive(leaky: Archive, tmp_path: Path) -> None:
    leaky.window("w").rename(f"now {TOKEN}")
    out = io.BytesIO()
    leaky.export_jsonl(out, mask=True)
    assert TOKEN[:8].encode() not in out.getvalue()
    assert json.loads(out.getvalue().splitlines()[0])["schema"] == "vox.export.masked.v1"
    with pytest.raises(WrongVersionError, match="masked"):
        import_jsonl(io.BytesIO(out.getvalue()), tmp_path / "again")
    assert not (tmp_path / "again").exists()
    plain = io.BytesIO()
    leaky.export_jsonl(plain)
    assert TOKEN.encode() in plain.getvalue()


def test_what_is_kept_goes_with_the_generation_and_comes_back(leaky: Archive) -> None:
    leaky.scan_secrets()
    leaky.compact()
    assert leaky.masked(ids(leaky)[1]).decode() == f"use {MASK} please"
    assert leaky.scan_secrets().with_secrets == 2
    assert leaky.verify().ok


def test_another_process_reads_what_was_scanned(leaky: Archive, tmp_path: Path) -> None:
    with vox.open(leaky.path, read_only=True) as other:
        leaky.scan_secrets()
        assert other.masked(ids(other)[1]).decode() == f"use {MASK} please"
    with vox.open(leaky.path, read_only=True) as later:
        assert later.masked(ids(later)[1]).decode() == f"use {MASK} please"


def test_a_backup_and_an_export_answer_the_same(
    leaky: Archive, tmp_path: Path, new_archive: Callable[[], Archive]
) -> None:
    leaky.scan_secrets()
    leaky.backup(tmp_path / "backup")
    out = io.BytesIO()
    leaky.export_jsonl(out)
    import_jsonl(io.BytesIO(out.getvalue()), tmp_path / "imported")
    for path in (tmp_path / "backup", tmp_path / "imported"):
        with vox.open(path) as other:
            assert other.masked(ids(other)[1]).decode() == f"use {MASK} please"
            other.scan_secrets()
            assert other.masked(ids(other)[1]).decode() == f"use {MASK} please"
            assert other.verify().ok


def test_snippets_show_secrets_only_where_they_are_asked_for(leaky: Archive) -> None:
    for query in ("please", TOKEN):
        for _ in range(2):
            hits = leaky.search(query).hits
            assert hits
            for hit in hits:
                assert hit.snippet is not None
                assert MASK in hit.snippet.text
                assert TOKEN[:8] not in hit.snippet.text
            leaky.scan_secrets()
        revealed = leaky.search(query, reveal=True).hits
        assert all(hit.snippet and TOKEN in hit.snippet.text for hit in revealed)
