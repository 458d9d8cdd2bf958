"""The lane that goes by meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from vox.context.retrieval.embedding import Contents, EmbeddingService, Vectors, directions
from vox.context.retrieval.lanes import Candidate, Found

Holding = Callable[[Sequence[int], int], Sequence[Candidate]]
"""For numbers of contents, the nearest first, and a count: at most so many items in scope that hold
one of them, in the same order."""


class Nearest(Protocol):
    """Vectors of an archive's contents."""

    def nearest(self, direction: npt.NDArray[np.float32], /) -> tuple[Contents, Vectors]:
        """All contents, the nearest to `direction` first, and the cosine of each."""


BATCH = 256
"""Contents that are looked up at once. Judgement: more than lanes are asked for."""


class SemanticLane:
    """Finds what is like a question, by vectors of a service that is attached.

    `without` says how many items came since all had vectors; they may not be found, and a note
    says so.
    """

    name = "semantic"
    by_meaning = True

    def __init__(
        self,
        service: EmbeddingService | None,
        store: Nearest | None,
        holding: Holding,
        without: Callable[[], int],
    ) -> None:
        self._service = service
        self._store = store
        self._holding = holding
        self._without = without

    def find(self, question: str, count: int) -> Found:
        """The items that are nearest to the question."""
        if self._service is None or self._store is None:
            return Found([], note="skipped: no embedding service is attached")
        (direction,) = directions(self._service, [question])
        contents, cosines = self._store.nearest(direction)
        near = dict(zip(contents.tolist(), cosines.tolist(), strict=True))
        candidates: list[Candidate] = []
        for at in range(0, len(contents), BATCH):
            batch = contents[at : at + BATCH].tolist()
            candidates.extend(self._holding(batch, count - len(candidates)))
            if len(candidates) >= count:
                break
        scored = [
            Candidate(
                item=one.item,
                content=one.content,
                score=near.get(number_of(one.content), 0.0),
                role=one.role,
                kind=one.kind,
                at=one.at,
            )
            for one in candidates
        ]
        without = self._without()
        note = f"{without} items have no vectors yet: `archive.embed`" if without else None
        return Found(scored, note=note)


def number_of(content: str) -> int:
    """The number of a content by its hash in hexadecimal digits."""
    return int.from_bytes(bytes.fromhex(content[:16]), "little")
