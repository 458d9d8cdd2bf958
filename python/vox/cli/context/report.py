"""A projection as programs read it, and its summary as people do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from vox.cli import people
from vox.cli.context.fates import WORDS, bar, claimant_word, legend
from vox.cli.output import Column, table, terminal

if TYPE_CHECKING:
    from vox.cli.context.digest import Digest
    from vox.context.projection import Projection

BAR = 60
"""Cells of a bar at most."""


def fields_of(found: Projection, digest: Digest) -> dict[str, Any]:
    """A projection without its items."""
    return {
        "model": found.profile.model_id,
        "inherited_from": found.profile.inherited_from,
        "budget": found.budget,
        "used": found.used,
        "framing": found.framing,
        "counted": found.kind_of_count,
        "by_claimant": {str(one): tokens for one, tokens in found.by_claimant.items()},
        "fates": digest.fates,
        "claimants": digest.shares,
        "reasons": digest.whys,
        "aside": digest.aside,
        "stubs": found.stubs,
        "state": found.state,
        "frozen": found.frozen,
        "prefix_kept_tokens": found.prefix_kept_tokens,
        "value": found.value,
        "bound": found.bound,
        "gap": found.gap,
        "chain": found.chain.hex(),
        "notes": list(found.notes),
    }


def claimants_table(digest: Digest, found: Projection) -> None:
    """Print tokens and fates by claimant; in a terminal."""
    columns = [
        Column("whose"),
        Column("tokens", "right"),
        *(Column(word, "right") for word in WORDS.values()),
    ]
    table(columns, _claimant_rows(digest, found))


def _claimant_rows(digest: Digest, found: Projection) -> Iterator[Sequence[str]]:
    for share in digest.shares:
        yield [
            claimant_word(share.claimant),
            people.number(share.tokens),
            *(people.number(share.fates[fate]) for fate in WORDS),
        ]
    if found.framing:
        yield ["framing", people.number(found.framing), *("" for _ in WORDS)]


def bars(digest: Digest) -> None:
    """Print the items of each claimant by their fates, as bars as long as there are items; in a
    terminal."""
    shares = [share for share in digest.shares if share.items]
    if not shares:
        return
    console = terminal()
    names = max(len(claimant_word(share.claimant)) for share in shares)
    counts = max(len(people.number(share.items)) for share in shares)
    room = min(BAR, console.width - names - counts - 4)
    if room < len(WORDS):
        return
    most = max(share.items for share in shares)
    for share in shares:
        # As long as it has items, but never too short for the fates that occur.
        least = sum(1 for count in share.fates.values() if count)
        line = bar(share.fates, max(least, round(room * share.items / most)))
        name = f"{claimant_word(share.claimant):<{names}}  "
        console.print(name, line, f"  {people.number(share.items)}", sep="", end="\n")
    console.print(legend())
    click.echo()
