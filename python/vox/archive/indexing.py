"""The search index: derived, kept beside the archive, and made again whenever it is gone."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from vox import _native
from vox.errors import VoxError

Standing: TypeAlias = Literal["current", "busy", "newer"]
"""It covers what was there when it was asked for; another process writes it at this moment; a newer
vox made it, so it was left as it is."""


class IndexReport(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the search index."""

    standing: Standing
    anew: bool
    """Whether it was built anew."""
    added: int
    """Items that were added."""
    unreadable: int
    """Items that it doesn't have as their bytes are damaged."""


def update(archive: _native.Archive, *, anew: bool) -> IndexReport:
    """See `vox.archive.Archive.update_index` and `reindex`."""
    return msgspec.convert(_native.update_index(archive, anew), IndexReport)


def has_index(archive: _native.Archive) -> bool:
    """Whether there is a search index, of whatever kind."""
    return (Path(archive.path) / "search").is_dir()


def keep_up(archive: _native.Archive) -> None:
    """Lets the index follow what was just done. What can't be written now, the next import, update
    or search that has much to read makes up for; hits are right meanwhile."""
    with suppress(VoxError):
        update(archive, anew=False)
