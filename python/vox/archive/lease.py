"""A lease: while it stands nothing is collected."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from vox import _native
from vox.errors import VoxError

RENEWED_AFTER = 60.0
"""Seconds. Judgement: an hour without a sign ends a lease of a process that can't be looked at."""


class Lease:
    """Taken when it is first needed, and renewed while it is."""

    def __init__(self, archive: _native.Archive) -> None:
        self._archive = archive
        self._number: int | None = None
        self._renewed = 0.0

    def need(self) -> None:
        """Says that it is needed now. Raises what a write raises."""
        now = time.monotonic()
        if self._number is None:
            self._number = self._archive.begin_lease("import")
        elif now - self._renewed < RENEWED_AFTER:
            return
        else:
            self._archive.renew_lease(self._number)
        self._renewed = now

    def end(self) -> None:
        """Gives it back. One that can't be is cleared by a collection after the process."""
        if self._number is not None:
            with suppress(VoxError):
                self._archive.end_lease(self._number)
            self._number = None


@contextmanager
def leased(archive: _native.Archive, *, needed: bool) -> Iterator[Lease | None]:
    """A lease for as long as the block runs; none unless it is needed."""
    if not needed:
        yield None
        return
    lease = Lease(archive)
    try:
        yield lease
    finally:
        lease.end()
