"""Numbers of the core as arrays of numpy, which is loaded when the first is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Counts: TypeAlias = NDArray[numpy.uint32]
    """One number of tokens for each item, in their order."""


def counts(numbers: bytearray) -> Counts:
    """An array over `numbers`, not a copy."""
    import numpy

    return numpy.frombuffer(numbers, dtype=numpy.uint32)
