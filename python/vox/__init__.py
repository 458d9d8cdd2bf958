"""vox: one archive for everything your coding agents ever said."""

from typing import TYPE_CHECKING, Any

from vox._native import ContentStore, __version__, hash_many
from vox.errors import VoxError

if TYPE_CHECKING:
    from vox.archive import Archive, Window, open  # noqa: A004
    from vox.packing import UNAVAILABLE, Packing, pack
    from vox.tokens import count_tokens, fits

__all__ = [
    "UNAVAILABLE",
    "Archive",
    "ContentStore",
    "Packing",
    "VoxError",
    "Window",
    "__version__",
    "count_tokens",
    "fits",
    "hash_many",
    "open",
    "pack",
]


def __getattr__(name: str) -> Any:
    # The archive brings in the adapters; a service that only hashes or stores needn't load them.
    if name in {"Archive", "Window", "open"}:
        from vox import archive

        return getattr(archive, name)
    if name in {"count_tokens", "fits"}:
        from vox import tokens

        return getattr(tokens, name)
    if name in {"UNAVAILABLE", "Packing", "pack"}:
        from vox import packing

        return getattr(packing, name)
    raise AttributeError(f"module 'vox' has no attribute {name!r}")
