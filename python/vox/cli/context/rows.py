"""Items of a projection with what they are and how what is shown of them begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vox.cli.items import item_text

if TYPE_CHECKING:
    from vox.archive import Archive, Window
    from vox.context.projection import Projected

GAP = 64
"""Items that are read for nothing rather than asking once more. Judgement."""
STRETCH = 2_000
"""Items that are asked for at once."""
BEGINNING = 200
"""Characters of a form that are shown."""


def item_rows(
    archive: Archive, window: Window, entries: Sequence[Projected], *, reveal: bool
) -> list[dict[str, Any]]:
    """A row for each of `entries`: what it is, its fate, and how what the model is shown of it
    begins; of what is left out, how it begins itself. Secrets are masked unless to `reveal`."""
    about = about_items(window, sorted({entry.ordinal for entry in entries}))
    masked = dict[int, str | None]()
    if not reveal:
        items = list({entry.item for entry in entries})
        masked = dict(zip(items, archive.masked_previews(items), strict=True))
    return [_row(entry, about[entry.ordinal], masked.get(entry.item)) for entry in entries]


def _row(entry: Projected, about: dict[str, Any], masked: str | None) -> dict[str, Any]:
    # A form may hold a part of a secret, which nothing would know any more: of an item with
    # secrets only its own beginning is shown.
    if masked is not None:
        text = masked
    elif entry.form is not None:
        text = entry.form[:BEGINNING]
    else:
        text = about["preview"]
    return {
        "item": item_text(entry.item),
        "ordinal": entry.ordinal,
        "role": about["role"],
        "kind": about["kind"],
        "name": about["name"],
        "created_at": about["created_at"],
        "byte_len": about["byte_len"],
        "fate": str(entry.fate),
        "tokens": entry.tokens,
        "counted": entry.kind_of_count,
        "reason": entry.reason,
        "claimant": str(entry.claimant),
        "pair": entry.pair,
        "purged": about["purged"],
        "begins": text,
    }


def about_items(window: Window, ordinals: Sequence[int]) -> dict[int, dict[str, Any]]:
    """What the archive says of items, by ordinal; those that stand near each other in one go."""
    found = dict[int, dict[str, Any]]()
    wanted = set(ordinals)
    start = 0
    while start < len(ordinals):
        end = start + 1
        first = ordinals[start]
        while (
            end < len(ordinals)
            and ordinals[end] - ordinals[end - 1] <= GAP
            and ordinals[end] - first < STRETCH
        ):
            end += 1
        many = ordinals[end - 1] - first + 1
        # With nothing filtered out, positions are ordinals.
        for row in window.items(first, many, records=True, trimmed="show").to_pylist():
            if row["ordinal"] in wanted:
                found[row["ordinal"]] = row
        start = end
    return found
