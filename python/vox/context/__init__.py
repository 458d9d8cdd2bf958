"""What a model is given of an archive: what fits it, and what is worth its room."""

from vox.context.profile import ModelProfile

__all__ = ["ModelProfile"]
