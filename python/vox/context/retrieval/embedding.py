"""Vectors of texts, from a service that its user brings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
"""One vector a row."""

Contents = npt.NDArray[np.uint64]
"""Numbers of contents: the first eight bytes of their hashes, little-endian."""

PIECE = 600
"""Characters of a piece: a longer text has a vector for each. Judgement: a paragraph or two, which
small models were made for."""

PIECES = 8
"""Pieces of a text that get vectors. Judgement: what a long output is about stands at its start."""


class EmbeddingService(Protocol):
    """Turns texts into vectors; texts of like meaning get vectors of like direction. vox ships none
    and asks no network: whoever has one attaches it."""

    @property
    def name(self) -> str:
        """Model and version: vectors of different names are never compared."""

    @property
    def dimensions(self) -> int:
        """How long a vector is."""

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """A vector for each text, as rows of a matrix."""


def pieces(text: str) -> list[str]:
    """The parts of a text that get vectors; none of a text of spaces."""
    cut = (text[at : at + PIECE] for at in range(0, min(len(text), PIECE * PIECES), PIECE))
    return [piece for piece in cut if piece and not piece.isspace()]


def directions(service: EmbeddingService, texts: Sequence[str]) -> Vectors:
    """The vectors of texts, each of length 1, or 0 where a service gives no direction. Raises
    `ValueError` if the service gives something else than a row of its length for each text."""
    if not texts:
        return np.zeros((0, service.dimensions), np.float32)
    vectors = np.asarray(service.embed(texts), dtype=np.float32)
    wanted = (len(texts), service.dimensions)
    if vectors.shape != wanted:
        raise ValueError(f"{service.name} gave vectors of shape {vectors.shape}, not {wanted}")
    vectors = np.nan_to_num(vectors, copy=True, nan=0.0, posinf=0.0, neginf=0.0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return unit
