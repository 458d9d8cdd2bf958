"""The core of vox. `vox` and its packages are the public names; this module has no promises."""

from typing import Final

__version__: Final[str]

def error_codes() -> list[str]:
    """The codes that errors of the core carry."""
