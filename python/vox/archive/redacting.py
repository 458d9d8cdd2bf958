"""Windows without the secrets of others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from vox.archive.append import NewItem
from vox.archive.secrets import masked_text
from vox.errors import ConflictError, InvalidArgumentError, NotFoundError
from vox.sources.base import ItemKind, Role, WindowDraft

if TYPE_CHECKING:
    from vox.archive.archive import Archive
    from vox.archive.window import Window

PAGE = 1_000
"""Items that are looked at together. Judgement."""
BATCH_BYTES = 16 << 20
"""Bytes that are written in one transaction; one item may be longer. Judgement."""

PURGED = "[purged]"
"""What stands in a redacted window for an item of which nothing is left."""


class RedactReport(msgspec.Struct, frozen=True, kw_only=True):
    """A window without the secrets of another."""

    window: str
    """Its id."""
    number: int
    items: int
    redacted: int
    """Items that were changed."""
    secrets: int
    """How many were masked in them."""


def redact(archive: Archive, window: Window, key: str | None) -> RedactReport:
    """Makes a window without the secrets of `window`; see `Archive.redact`."""
    key = key or f"vox-redacted:{window.id}"
    if _is_taken(archive, key):
        raise ConflictError(f"there is a window {key!r}; name another key, or delete that one")
    count = sum(
        len(archive.find_secrets(row["item"])) for row in _rows(window) if not row["purged"]
    )
    if not count:
        raise InvalidArgumentError(f"no item of window {window.id} holds a secret")
    title = None
    if window.title is not None:
        title = f"{masked_text(window.title)} (redacted)"
    draft = WindowDraft(
        key=key,
        kind=window.info["kind"],
        title=title,
        repo=window.info["repo"],
        agent=window.info["agent"],
        model_route=window.info["model_route"],
        parent=window.key,
        link="derived_from",
    )
    redacted = 0
    trimmed: list[int] = []
    batch: list[NewItem] = []
    size = 0
    for row in _rows(window):
        item = _variant(archive, row)
        redacted += item.redacted
        if row["trimmed_at"] is not None:
            trimmed.append(row["ordinal"])
        batch.append(item)
        size += len(item.content)
        if size >= BATCH_BYTES:
            archive.append(draft, batch)
            batch, size = [], 0
    archive.append(draft, batch)
    made = archive.window(key)
    if trimmed:
        made.trim(trimmed)
    return RedactReport(
        window=made.id, number=made.number, items=len(made), redacted=redacted, secrets=count
    )


def _is_taken(archive: Archive, key: str) -> bool:
    try:
        return archive.window(key).key == key
    except NotFoundError:
        return False


def _rows(window: Window) -> Iterator[dict[str, Any]]:
    """Every item, so that places are ordinals."""
    for start in range(0, len(window), PAGE):
        page = window.items(start, PAGE, preview=False, records=True, trimmed="show")
        yield from page.to_pylist()


def _variant(archive: Archive, row: dict[str, Any]) -> NewItem:
    purged = row["purged"]
    content: bytes | str = PURGED if purged else archive.masked(row["item"])
    redacted = purged or bool(archive.find_secrets(row["item"]))
    return NewItem(
        role=Role[row["role"].upper()],
        kind=ItemKind[row["kind"].upper()],
        content=content,
        created_at=row["created_at"],
        name=row["name"],
        call=row["call"],
        side=row["side"],
        redacted=redacted,
        token_estimate=None if redacted else row["token_estimate"],
    )
