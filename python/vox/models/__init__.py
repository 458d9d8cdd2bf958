"""Models: what is known of each that decides what fits it."""

from vox.models.model_profile import Caching, Locality, ModelProfile, Prices, ReasoningTier

__all__ = ["Caching", "Locality", "ModelProfile", "Prices", "ReasoningTier"]
