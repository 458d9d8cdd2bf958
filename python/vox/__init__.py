"""vox: one archive for everything your coding agents ever said."""

from vox._native import __version__
from vox.errors import VoxError

__all__ = ["VoxError", "__version__"]
