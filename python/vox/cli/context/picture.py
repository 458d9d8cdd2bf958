"""A projection as a page: one file that needs no other, no script, and says nothing unescaped."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vox.cli import people
from vox.cli.context.fates import WORDS, claimant_word
from vox.cli.context.style import STYLE
from vox.cli.context.words import tokens_text, what_a_count_is
from vox.cli.items import PURGED, what_of
from vox.cli.plain import one_line

if TYPE_CHECKING:
    from vox.cli.context.digest import Digest
    from vox.context.projection import Projection

# A page that was told to fetch or run something would be refused by the browser.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def draw(
    path: Path,
    title: str,
    found: Projection,
    digest: Digest,
    rows: Sequence[Mapping[str, Any]],
    start: int,
    total: int,
) -> None:
    """Write the page to `path`, readable by its owner alone, as what it shows is in the archive."""
    page = "\n".join(_page(title, found, digest, rows, start, total)) + "\n"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(page.encode())


def _text(text: str) -> str:
    return escape(one_line(text))


def _page(
    title: str,
    found: Projection,
    digest: Digest,
    rows: Sequence[Mapping[str, Any]],
    start: int,
    total: int,
) -> Iterator[str]:
    model = _text(found.profile.model_id)
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="color-scheme" content="light dark">'
    yield f"<title>{_text(title)} for {model}</title>"
    yield f"<style>{STYLE}</style>\n</head>\n<body>"
    yield f"<h1>{_text(title)}</h1>"
    yield f"<p>What <strong>{model}</strong> is given of window <code>{_text(found.window)}</code>."
    yield f"{people.number(digest.aside, 'item')} that are no part of the conversation: left aside."
    yield f"Tokens are {_text(what_a_count_is(found.kind_of_count))}.</p>"
    yield from (f"<p class=note>{_text(note)}</p>" for note in found.notes)
    yield from _meter(found)
    yield from _bars(digest)
    yield from _reasons(digest)
    yield from _squares(rows)
    yield from _table(rows)
    if start or start + len(rows) < total:
        shown = f"{people.number(len(rows))} of {people.number(total, 'item')}, from {start} on"
        yield f"<p class=note>{shown}; the rest isn't in this page.</p>"
    yield "</body>\n</html>"


def _meter(found: Projection) -> Iterator[str]:
    used = tokens_text(found.used, found.kind_of_count)
    yield f"<h2>{used} of {people.number(found.budget, 'token')}</h2>"
    whole = max(found.budget, found.used, 1)
    parts = {str(one): tokens for one, tokens in found.by_claimant.items() if tokens}
    parts |= {"framing": found.framing, "free": max(0, found.budget - found.used)}
    yield "<div class=bar>"
    for name, tokens in parts.items():
        if tokens:
            yield f'<i class="{name}" style="width:{100 * tokens / whole:.4f}%"></i>'
    yield "</div>\n<ul class=legend>"
    for name, tokens in parts.items():
        if tokens:
            word = f"{claimant_word(name)} {people.number(tokens)}"
            yield f'<li><i class="{name}"></i>{word}</li>'
    yield "</ul>"


def _bars(digest: Digest) -> Iterator[str]:
    yield "<h2>Items, by whose they are</h2>\n<table class=bars>"
    most = max((share.items for share in digest.shares), default=0)
    for share in digest.shares:
        if not share.items:
            continue
        name, count = claimant_word(share.claimant), people.number(share.items)
        width = 100 * share.items / most
        yield f"<tr><th>{name}</th><td>"
        yield f'<div class=bar style="width:{width:.4f}%">'
        for fate in WORDS:
            if share.fates[fate]:
                part = 100 * share.fates[fate] / share.items
                said = f"{people.number(share.fates[fate])} {WORDS[fate]}"
                yield f'<i class="{fate}" style="width:{part:.4f}%" title="{said}"></i>'
        yield f"</div></td><td class=number>{count}</td></tr>"
    yield "</table>\n<ul class=legend>"
    for fate, word in WORDS.items():
        yield f'<li><i class="{fate}"></i>{word} {people.number(digest.fates[fate])}</li>'
    yield "</ul>"


def _reasons(digest: Digest) -> Iterator[str]:
    yield "<h2>Why</h2>\n<table>"
    yield (
        "<tr><th>fate</th><th class=number>items</th><th class=number>tokens</th>"
        "<th>because</th></tr>"
    )
    for why in digest.whys:
        yield (
            f'<tr><td><i class="{why.fate}"></i>{WORDS[why.fate]}</td>'
            f"<td class=number>{people.number(why.items)}</td>"
            f"<td class=number>{people.number(why.tokens)}</td><td>{_text(why.reason)}</td></tr>"
        )
    yield "</table>"


def _squares(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A square for each item, in order; each leads to its row."""
    yield "<h2>Items, in their order</h2>\n<div class=squares>"
    for row in rows:
        said = f"{row['ordinal']}: {_what(row)}, {WORDS[row['fate']]}, {row['reason']}"
        yield (f'<a class="{row["fate"]}" href="#i{row["ordinal"]}" title="{_text(said)}"></a>')
    yield "</div>"


def _table(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "<table>"
    yield (
        "<tr><th class=number>#</th><th>item</th><th>time</th><th>what</th><th>fate</th>"
        "<th class=number>tokens</th><th>why</th><th>begins</th></tr>"
    )
    for row in rows:
        begins = PURGED if row["purged"] else row["begins"]
        yield (
            f'<tr id="i{row["ordinal"]}"><td class=number>{row["ordinal"]}</td>'
            f"<td><code>{row['item']}</code></td><td>{people.moment(row['created_at'])}</td>"
            f'<td class="{_text(row["role"])}">{_text(_what(row))}</td>'
            f'<td><i class="{row["fate"]}"></i>{WORDS[row["fate"]]}</td>'
            f"<td class=number>{tokens_text(row['tokens'], row['counted'])}</td>"
            f"<td>{_text(row['reason'])}</td><td class=begins>{_text(begins)}</td></tr>"
        )
    yield "</table>"


def _what(row: Mapping[str, Any]) -> str:
    return what_of(row["role"], row["kind"], row["name"])
