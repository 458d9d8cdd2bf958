"""Preparing and committing batches behind the thread that reads them.

Batches are committed in the order in which they were added, as many at once as are ready: the
archive is the same however the threads run, and many small files share a commit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self, TypeAlias

from vox import _native
from vox.errors import VoxError
from vox.sources.base import FileSource

Work: TypeAlias = tuple[FileSource, Path]
"""A file and who reads it."""

BYTES_UNDER_WAY = 16 << 20
"""Source bytes that may wait for their commit. Judgement: bounds memory to a few times this."""
BATCHES_PER_COMMIT = 256
"""Judgement: keeps a commit short."""
PREPARING_THREADS = 2
"""One takes over an adapter's drafts under the GIL while the other compresses. Judgement."""


class Failed(NamedTuple):
    """A file whose batch could not be written."""

    work: Work
    error: VoxError


class _Batch(NamedTuple):
    work: Work
    size: int
    prepared: Future[_native.Prepared]


class Pipeline:
    """Used by one thread. A batch that fails takes the later ones of its file along."""

    def __init__(self, archive: _native.Archive) -> None:
        self._archive = archive
        self._prepare = ThreadPoolExecutor(PREPARING_THREADS, thread_name_prefix="vox-prepare")
        self._commit = ThreadPoolExecutor(1, thread_name_prefix="vox-commit")
        self._waiting: deque[_Batch] = deque()
        self._committing: tuple[list[_Batch], Future[list[dict[str, int] | VoxError]]] | None = None
        self._under_way = 0
        self.failed: list[Failed] = []
        """One for each file that failed, with its first error."""

    def add(
        self, work: Work, task: Callable[[], _native.Prepared], size: int
    ) -> list[dict[str, int]]:
        """Lets `task` prepare a batch of `size` source bytes, and gives what earlier ones came
        to. Waits while too much is under way."""
        self._waiting.append(_Batch(work, size, self._prepare.submit(task)))
        self._under_way += size
        done = self._step(wait=False)
        while self._under_way > BYTES_UNDER_WAY and len(self._waiting) > 1:
            done += self._step(wait=True)
        return done

    def finish(self) -> list[dict[str, int]]:
        """Waits for all that was added, and gives what it came to."""
        done: list[dict[str, int]] = []
        while self._waiting or self._committing:
            done += self._step(wait=True)
        return done

    def _step(self, *, wait: bool) -> list[dict[str, int]]:
        """Takes the results of a commit and starts the next. With `wait` something has moved on
        return."""
        done: list[dict[str, int]] = []
        if self._committing:
            batches, future = self._committing
            if not wait and not future.done():
                return done
            self._committing = None
            for batch, result in zip(batches, future.result(), strict=True):
                self._under_way -= batch.size
                if isinstance(result, VoxError):
                    self._fail(batch.work, result)
                else:
                    done.append(result)
        ready: list[_Batch] = []
        prepared: list[_native.Prepared] = []
        while self._waiting and len(ready) < BATCHES_PER_COMMIT:
            head = self._waiting[0]
            if not head.prepared.done() and (ready or not wait):
                break
            self._waiting.popleft()
            if any(failed.work == head.work for failed in self.failed):
                self._under_way -= head.size
                continue
            try:
                prepared.append(head.prepared.result())
                ready.append(head)
            except VoxError as error:
                self._under_way -= head.size
                self._fail(head.work, error)
        if ready:
            self._committing = (ready, self._commit.submit(self._archive.commit, prepared))
        return done

    def _fail(self, work: Work, error: VoxError) -> None:
        if all(failed.work != work for failed in self.failed):
            self.failed.append(Failed(work, error))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._prepare.shutdown(cancel_futures=kind is not None)
        self._commit.shutdown()
