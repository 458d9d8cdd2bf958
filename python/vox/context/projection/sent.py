"""What a model was sent of a window: what the next projection leaves as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
import numpy as np
import numpy.typing as npt

from vox.context.projection.fate import Fate
from vox.errors import InvalidArgumentError


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Sent:
    """Columns with a row for each item that was shown, in their order. `as_values` makes what can
    be kept as JSON."""

    model: str
    """`ModelProfile.model_id`."""
    seen: int
    """How many items the window had."""
    ordinals: npt.NDArray[np.uint64]
    fates: npt.NDArray[np.uint8]
    tokens: npt.NDArray[np.uint32]
    """What each cost, with the stub before it."""
    limits: npt.NDArray[np.uint32]
    """Tokens that the shorter form of each might have; 0 for one that isn't summarized."""
    used: int
    """What all cost, stubs and frames included."""
    marks: bytes
    """A hash of what users had said of the items: pins, fates, what was trimmed."""

    def as_values(self) -> dict[str, Any]:
        """The same as plain values."""
        return {
            "model": self.model,
            "seen": self.seen,
            "ordinals": self.ordinals.tolist(),
            "fates": self.fates.tolist(),
            "tokens": self.tokens.tolist(),
            "limits": self.limits.tolist(),
            "used": self.used,
            "marks": self.marks.hex(),
        }

    @classmethod
    def of_values(cls, values: Mapping[str, Any]) -> Sent:
        """What `as_values` gave. Raises `InvalidArgumentError` for what can't be that."""
        try:
            read = msgspec.convert(values, _Values)
            marks = bytes.fromhex(read.marks)
        except (msgspec.ValidationError, ValueError) as error:
            raise InvalidArgumentError(f"no record of what was sent: {error}") from error
        lengths = {len(read.ordinals), len(read.fates), len(read.tokens), len(read.limits)}
        if len(lengths) != 1 or len(set(read.ordinals)) != len(read.ordinals):
            raise InvalidArgumentError(
                "no record of what was sent: columns differ in length, or an item is there twice"
            )
        return cls(
            model=read.model,
            seen=read.seen,
            ordinals=np.array(read.ordinals, dtype=np.uint64),
            fates=np.array(read.fates, dtype=np.uint8),
            tokens=np.array(read.tokens, dtype=np.uint32),
            limits=np.array(read.limits, dtype=np.uint32),
            used=read.used,
            marks=marks,
        )


_Count = Annotated[int, msgspec.Meta(ge=0, le=(1 << 32) - 1)]
_Ordinal = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
_Kept = Annotated[int, msgspec.Meta(ge=1, le=len(Fate) - 1)]


class _Values(msgspec.Struct, frozen=True):
    model: str
    seen: _Ordinal
    ordinals: list[_Ordinal]
    fates: list[_Kept]
    tokens: list[_Count]
    limits: list[_Count]
    used: _Ordinal
    marks: str
