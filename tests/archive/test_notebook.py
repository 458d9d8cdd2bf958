"""What a notebook shows of an archive, a window and columns; texts of others stay texts."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import vox
from tests.archive import journal
from tests.archive.journal import Entry, Opening

HOSTILE = "<script>alert('1')</script><img src=x onerror=\"alert(2)\"> & &lt;b&gt; ]]>"
ALLOWED = {"p", "b", "table", "thead", "tbody", "tr", "th", "td"}


class Page(HTMLParser):
    """Collects the texts of a page, and holds that its elements are those of vox and balanced."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.open: list[str] = []
        self.rows = 0
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[Any]) -> None:
        assert tag in ALLOWED
        assert attrs == []
        self.open.append(tag)
        self.rows += tag == "tr"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


@pytest.fixture
def archive(tmp_path: Path) -> vox.Archive:
    folder = tmp_path / "in"
    journal.write(
        folder / "a.journal",
        [
            Opening(window="a", title=HOSTILE, repo=HOSTILE),
            Entry(window="a", text=HOSTILE, name=HOSTILE, at=1),
            *(Entry(window="a", text=f"more {number}", at=2) for number in range(30)),
            Opening(window=f"<i>{HOSTILE}"),
        ],
    )
    archive = vox.open(tmp_path / "archive")
    journal.ingest(archive, folder)
    return archive


def test_an_archive_says_where_it_is_and_how_much_is_in_it(
    archive: vox.Archive, tmp_path: Path
) -> None:
    assert repr(archive) == f"Archive('{tmp_path / 'archive'}', 2 windows)"


def test_an_archive_that_was_closed_still_has_a_name(archive: vox.Archive) -> None:
    archive.close()
    assert repr(archive) == "Archive(closed)"


def test_a_window_says_its_title_or_key(archive: vox.Archive) -> None:
    window = archive.window("journal:a")
    assert repr(window) == f"Window({window.id[:8]} {HOSTILE!r}, 31 items)"
    untitled = archive.window(f"journal:<i>{HOSTILE}")
    assert repr(untitled) == f"Window({untitled.id[:8]} {untitled.key!r}, 0 items)"


def test_columns_say_their_names_and_rows(archive: vox.Archive) -> None:
    columns = archive.window("journal:a").items(preview=False)
    assert repr(columns) == f"Columns(31 rows: {', '.join(columns.names)})"


def test_hostile_texts_are_shown_as_they_are(archive: vox.Archive) -> None:
    window = archive.window("journal:a")
    untitled = archive.window(f"journal:<i>{HOSTILE}")
    shown = {
        "archive": archive,
        "windows": archive.windows(),
        "window": window,
        "untitled": untitled,
        "items": window.items(),
    }
    for what, value in shown.items():
        html = value._repr_html_()
        page = Page(html)
        assert any(HOSTILE in text for text in page.texts), what
        assert "<script" not in html
        assert "<img" not in html


def test_the_place_of_an_archive_may_be_hostile_too(tmp_path: Path) -> None:
    with vox.open(tmp_path / "<b onclick=x>&amp;") as archive:
        page = Page(archive._repr_html_())
        assert any("<b onclick=x>&amp;" in text for text in page.texts)


def test_a_table_shows_twenty_rows_and_how_many_there_are_more(archive: vox.Archive) -> None:
    items = archive.window("journal:a").items()
    page = Page(items._repr_html_())
    assert page.rows == 1 + 20
    assert page.texts[-1] == "and 11 more rows"
    few = Page(archive.window("journal:a").items(0, 3)._repr_html_())
    assert few.rows == 1 + 3
    assert "more rows" not in few.texts[-1]
    cells = items.to_pylist()[0]
    assert [text for text in page.texts if text in items.names] == items.names
    assert str(cells["byte_len"]) in page.texts


def test_an_empty_table_has_its_head(tmp_path: Path) -> None:
    with vox.open(tmp_path / "empty") as archive:
        page = Page(archive.windows()._repr_html_())
        assert page.rows == 1
        assert page.texts == archive.windows().names
        assert "0 windows" in "".join(Page(archive._repr_html_()).texts)
