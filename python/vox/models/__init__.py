"""Models: what is known of each that decides what fits it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from vox.models.model_profile import Caching, Locality, ModelProfile, Prices, ReasoningTier

if TYPE_CHECKING:
    from vox.config import Settings

__all__ = ["Caching", "Locality", "ModelProfile", "Prices", "ReasoningTier", "profile"]


def profile(name: str | os.PathLike[str], *, settings: Settings | None = None) -> ModelProfile:
    """What is known of a model, by its name or the path of its file; see
    `vox.models.lookup.profile`."""
    # Here, not above: a profile that is written out needs no catalogue.
    from vox.models import lookup

    return lookup.profile(name, settings=settings)
