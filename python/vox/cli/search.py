"""`vox search`: what was ever said."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vox.cli import people
from vox.cli.hits import COLUMNS, HitLines, cells, facet_rows, hit_rows, print_hits
from vox.cli.items import KINDS, ROLES
from vox.cli.options import Text, archive_option, json_option, jsonl_option, open_to_read
from vox.cli.output import Column, answer, note, remark, rows_as_lines, table
from vox.cli.references import LANES, print_references, without
from vox.cli.show import show
from vox.errors import InvalidArgumentError, NotFoundError, PartialError

if TYPE_CHECKING:
    from vox.archive import Archive, SearchAnswer

FACETS = (Column("field", style="magenta"), Column("value", flexible=True), Column("hits", "right"))


@click.command()
@click.argument("words", metavar="QUERY", nargs=-1, type=Text())
@click.option("-F", "--literal", is_flag=True, help="QUERY is a text as it stands, in any place.")
@click.option("-E", "--regex", is_flag=True, help="QUERY is a regular expression.")
@click.option("--role", "roles", type=click.Choice(ROLES), multiple=True, help="As role:ROLE.")
@click.option("--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="As kind:KIND.")
@click.option("--tool", "tools", type=Text(), multiple=True, help="As tool:NAME.")
@click.option("--in", "windows", type=Text(), multiple=True, help="As in:WINDOW.")
@click.option("--since", type=Text(), help="As since:TIME, such as 7d or 2026-01-31.")
@click.option("--before", type=Text(), help="As before:TIME.")
@click.option("--repo", "repos", type=Text(), multiple=True, help="As repo:NAME.")
@click.option("--all", "everywhere", is_flag=True, help="Not only of the repository you are in.")
@click.option("--subagents", "sub_agents", is_flag=True, help="Also what sub-agents said.")
@click.option(
    "--sort",
    "order",
    type=click.Choice(["relevance", "newest", "oldest"]),
    default="relevance",
    show_default=True,
    help="What comes first.",
)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 10_000),
    default=20,
    show_default=True,
    help="Show this many.",
)
@click.option("--cursor", type=Text(), help="Go on behind the hits of an answer that gave this.")
@click.option("--facets", is_flag=True, help="Count hits by repository, agent, role, kind, month.")
@click.option("-o", "--open", "opened", type=click.IntRange(1), help="Show the hit of this number.")
@click.option(
    "-C", "--context", "around", type=click.IntRange(0, 1000), help="As lines, so many around."
)
@click.option("--timeout", type=click.FloatRange(min=0), help="Read texts for so many seconds.")
@click.option("--no-index", is_flag=True, help="Read the texts, whatever the index says.")
@click.option("--reveal", is_flag=True, help="Also show what looks like a secret.")
@click.option("-m", "--model", type=Text(), help="QUERY is a question; references for this model.")
@click.option("--budget", type=click.IntRange(min=0), help="Of so many of its tokens at most.")
@click.option("--lane", "lanes", type=click.Choice(LANES), multiple=True, help="Found by this.")
@json_option
@jsonl_option
@archive_option
@click.pass_context
def search(
    ctx: click.Context,
    /,
    words: tuple[str, ...],
    everywhere: bool,
    facets: bool,
    opened: int | None,
    around: int | None,
    as_json: bool,
    as_lines: bool,
    path: Path | None,
    sub_agents: bool,
    order: Any,
    limit: int,
    cursor: str | None,
    timeout: float | None,
    no_index: bool,
    reveal: bool,
    model: str | None,
    budget: int | None,
    lanes: tuple[str, ...],
    **asked: Any,
) -> None:
    """Find what was ever said.

    Words of the QUERY must all occur, in any place; `"a phrase"`, `begin*`, `/expression/`,
    `literal:"as it is"`. OR, NOT, parentheses. Filters hold for the whole query: role:tool
    kind:message tool:Bash model:M repo:R agent:A in:WINDOW tag:T title:T tier:hot since:7d
    before:2026-01-31 is:pinned, with a minus for none of these, with commas for one of several. Put
    all of it in single quotes, and -- before it if it begins with a minus.

    In a folder of which the archive knows conversations only those are searched, unless --all or
    the query says where.

    With --model the QUERY is a question in plain words, none of which must occur. The answer is
    references that take at most --budget tokens of the model: found by words (text), by files and
    symbols that tools touched (structural), by meaning (semantic, for programs that attach a
    service of embeddings).
    """
    archive = open_to_read(path)
    scope = [] if everywhere or asked["repos"] else archive.repos_here(Path.cwd())
    if model is not None:
        hits_only = {"-F": asked.pop("literal"), "-E": asked.pop("regex"), "--cursor": cursor}
        hits_only |= {"--facets": facets, "-o": opened, "--no-index": no_index}
        hits_only |= {"-C": around is not None}
        without({**hits_only, "--timeout": timeout is not None, "--reveal": reveal})
        retrieved = archive.retrieve(
            " ".join(words),
            model,
            budget,
            lanes=lanes or None,
            limit=limit,
            where=_query("", literal=False, regex=False, **asked),
            repo=scope,
            sub_agents=sub_agents,
        )
        print_references(archive, retrieved, scope, as_json=as_json, as_lines=as_lines)
        return
    if budget is not None or lanes:
        raise InvalidArgumentError("--budget and --lane need --model: tokens of which model?")
    query = _query(" ".join(words), **asked)
    found = archive.search(
        query,
        repo=scope,
        sub_agents=sub_agents,
        order=order,
        limit=max(limit, opened or 0),
        cursor=cursor,
        seconds=timeout,
        index=not no_index,
        reveal=reveal,
    )
    scope = scope if found.scoped else []
    if opened:
        _open(ctx, found, opened, path, reveal=reveal)
        return
    lines = None if around is None else found.lines((hit.item for hit in found.hits), around)
    if as_json:
        rows = hit_rows(found.hits, lines)
        answer("vox.search.v1", _fields(found, rows, query, scope, facets=facets))
    elif as_lines:
        rows_as_lines(hit_rows(found.hits, lines))
    else:
        _print(archive, found, lines, facets=facets, reveal=reveal)
        for line in _about(found, index=not no_index):
            remark(line)
        _say_where(found, scope, facets=facets)
    if found.state in ("partial", "stale"):
        ctx.exit(PartialError.exit_status)


def _query(
    text: str,
    *,
    literal: bool,
    regex: bool,
    roles: Sequence[str],
    kinds: Sequence[str],
    tools: Sequence[str],
    windows: Sequence[str],
    repos: Sequence[str],
    since: str | None,
    before: str | None,
) -> str:
    """What was asked in words and options, in the language of queries."""
    if literal and regex:
        raise InvalidArgumentError("-F and -E exclude each other")
    parts = [text]
    if literal or regex:
        if not text:
            raise InvalidArgumentError(
                f"{'-F' if literal else '-E'} needs a QUERY that isn't empty"
            )
        parts = [f"{'literal' if literal else 'regex'}:{_quoted(text)}"]
    several = {"role": roles, "kind": kinds, "tool": tools, "in": windows, "repo": repos}
    said = [(name, value) for name, values in several.items() for value in values]
    times = {"since": since, "before": before}
    said += [(name, value) for name, value in times.items() if value is not None]
    for name, value in said:
        if not value:
            raise InvalidArgumentError(f"--{name} needs a value that isn't empty")
        parts.append(f"{name}:{_quoted(value)}")
    return " ".join(filter(None, parts))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _open(
    ctx: click.Context, found: SearchAnswer, number: int, path: Path | None, *, reveal: bool
) -> None:
    place = number - 1 - found.start
    if not 0 <= place < len(found.hits):
        raise NotFoundError(f"there is no hit {number} here; there are {len(found.hits)}")
    hit = found.hits[place]
    # With nothing left out, positions are ordinals.
    whole = {"trimmed": "show", "records": True, "reveal": reveal}
    ctx.invoke(show, window=hit.window_id, start=hit.ordinal, path=path, **whole)


def _fields(
    found: SearchAnswer,
    rows: Iterable[dict[str, Any]],
    query: str,
    scope: list[str],
    *,
    facets: bool,
) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "query": query,
        "repos": scope,
        "state": found.state,
        "why": found.why,
        "searched": found.searched,
        "of": found.of,
        "behind": found.behind,
        "start": found.start,
        "total": len(found),
        "hits": list(rows),
        "cursor": found.cursor,
    }
    return {**fields, "facets": found.facets()} if facets else fields


def _print(
    archive: Archive,
    found: SearchAnswer,
    lines: HitLines | None,
    *,
    facets: bool,
    reveal: bool,
) -> None:
    if facets:
        table(FACETS, facet_rows(found.facets()))
    elif lines is not None or sys.stdout.isatty():
        print_hits(archive, found, lines, reveal=reveal)
    else:
        table(COLUMNS, (cells(archive, hit, reveal=reveal) for hit in found.hits))


def _say_where(found: SearchAnswer, scope: list[str], *, facets: bool) -> None:
    if scope:
        note(f"of {', '.join(scope)}; --all searches everywhere")
    if found.cursor and not facets:
        last = found.start + len(found.hits)
        places = f"hits {found.start + 1}-{last} of {people.number(len(found))}"
        note(f"{places}; next: --cursor {found.cursor}")
    elif not len(found):
        remark("no hits here; --all searches everywhere" if scope else "no hits")


def _about(found: SearchAnswer, *, index: bool) -> Iterator[str]:
    """What the user should know of how far it was searched; `index`: with it, if there is one."""
    if found.state == "not_indexed" and index:
        yield f"{found.why}: texts were read instead; `vox archive reindex` makes an index"
    elif found.state == "partial":
        of = people.number(found.of or 0)
        yield f"not all: {people.number(found.searched or 0)} of {of} items were searched"
    elif found.state == "stale":
        yield f"not all: the newest {people.number(found.behind or 0, 'item')} were left out"
