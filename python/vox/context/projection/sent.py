"""What a model was sent of a window: what the next projection leaves as it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Sent:
    """Plain values, that whoever keeps what was sent can keep beside it."""

    model: str
    """`ModelProfile.model_id`."""
    seen: int
    """How many items the window had."""
    ordinals: npt.NDArray[np.uint64]
    """Those that were shown, in their order …"""
    fates: npt.NDArray[np.uint8]
    """… each with its fate …"""
    tokens: npt.NDArray[np.uint32]
    """… and what it cost, with the stub before it."""
    limits: npt.NDArray[np.uint32]
    """Tokens that the shorter form of each might have; 0 for one that isn't summarized."""
    used: int
    """What all cost, stubs and frames included."""
    marks: bytes
    """A hash of what users had said of those items: pins, fates, what was trimmed."""
