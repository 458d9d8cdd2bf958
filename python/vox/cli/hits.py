"""How hits of a search look: as rows for programs, and as people read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from vox.cli import people, plain
from vox.cli.items import ROLE_STYLES, item_text, what_of
from vox.cli.output import Cell, Column, terminal
from vox.cli.plain import one_line
from vox.cli.windows import ID_PREFIX, name_of

if TYPE_CHECKING:
    from rich.text import Text

    from vox.archive import Archive, Facets, SearchAnswer, SearchHit
    from vox.archive.search import Line

HitLines: TypeAlias = "Sequence[list[Line] | None]"
"""For each hit lines of its text; None of what has no text."""

COLUMNS = (
    Column("item", style="cyan"),
    Column("place"),
    Column("time"),
    Column("what"),
    Column("title"),
    Column("text", flexible=True),
)
MARK = "bold red"
"""What was looked for, as grep shows it."""
INDENT = 4


def hit_rows(hits: Sequence[SearchHit], lines: HitLines | None) -> Iterator[dict[str, Any]]:
    """Hits as JSON has them: items and windows as people write them."""
    import msgspec

    from vox.archive.search import as_row

    for place, hit in enumerate(hits):
        row = as_row(hit)
        row["item"] = item_text(hit.item)
        row["window"] = row.pop("window_id")
        if lines is not None:
            row["lines"] = msgspec.to_builtins(lines[place])
        yield row


def cells(archive: Archive, hit: SearchHit, *, reveal: bool) -> tuple[Cell, ...]:
    """A hit as a row of a table."""
    return (
        item_text(hit.item),
        f"{hit.window_id[:ID_PREFIX]}@{hit.ordinal}",
        people.moment(hit.created_at),
        what_of(hit.role, hit.kind, hit.name),
        _title(archive, hit, reveal=reveal),
        hit.snippet.text if hit.snippet else hit.preview,
    )


def facet_rows(facets: Facets) -> Iterator[tuple[str, str, str]]:
    """Facets as rows of a table."""
    for field in ("repo", "agent", "role", "kind", "month"):
        for value, count in getattr(facets, field):
            yield field, value or "(none)", people.number(count)


def print_hits(
    archive: Archive, found: SearchAnswer, lines: HitLines | None, *, reveal: bool
) -> None:
    """Print hits to a terminal: a line that says where each stands, and its text below, or these
    lines of it."""
    from rich.padding import Padding

    console = terminal()
    for number, hit in enumerate(found.hits, found.start + 1):
        console.print(
            _heading(archive, hit, number, reveal=reveal), no_wrap=True, overflow="ellipsis"
        )
        shown = None if lines is None else lines[number - found.start - 1]
        text = _text(hit) if shown is None else _lines(shown)
        console.print(Padding(text, (0, 0, 0, INDENT)))


def _heading(archive: Archive, hit: SearchHit, number: int, *, reveal: bool) -> Text:
    from rich.text import Text

    others = f", in {people.number(hit.windows, 'window')}" if hit.windows > 1 else ""
    return Text.assemble(
        (f"{number:<{INDENT - 1}} ", "dim"),
        (f"{hit.window_id[:ID_PREFIX]}@{hit.ordinal}", "cyan"),
        "  ",
        (people.moment(hit.created_at), "dim"),
        "  ",
        (one_line(what_of(hit.role, hit.kind, hit.name)), ROLE_STYLES.get(hit.role, "")),
        (others, "dim"),
        "  ",
        (one_line(_title(archive, hit, reveal=reveal)), "bold"),
        (f"  {one_line(hit.repo)}" if hit.repo else "", "green"),
    )


def _text(hit: SearchHit) -> Text:
    from rich.text import Text

    if hit.snippet is None:
        return Text(one_line(hit.preview), style="dim")
    snippet = hit.snippet
    # Made safe, each character is still one character, so the marks hold.
    text = Text(one_line(snippet.text))
    for start, end in snippet.marks:
        text.stylize(MARK, start, end)
    return Text.assemble("… " if snippet.before else "", text, " …" if snippet.after else "")


def _lines(lines: Sequence[Line]) -> Text:
    """Lines with their numbers, as grep shows them: a colon behind that of one with a mark."""
    from rich.text import Text

    room = len(str(lines[-1].number))
    shown = Text()
    for line in lines:
        # Made safe, each character is still one character, so the marks hold.
        text = Text(plain.lines(line.text))
        for start, end in line.marks:
            text.stylize(MARK, start, end)
        text.expand_tabs(4)
        number = f"{line.number:>{room}}{':' if line.marks else '-'} "
        before, after = ("… " if line.before else ""), (" …" if line.after else "")
        shown.append_text(Text.assemble((number, "dim"), before, text, after, "\n"))
    shown.right_crop(1)
    return shown


def _title(archive: Archive, hit: SearchHit, *, reveal: bool) -> str:
    return hit.title or name_of(archive, archive.window(hit.window).info, reveal=reveal)
