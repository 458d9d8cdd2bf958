"""What becomes of an item in front of a model."""

from __future__ import annotations

from enum import IntEnum

from vox.errors import InvalidArgumentError


class Fate(IntEnum):
    """What a model is shown of an item. Numbers as stored; `str` gives the name that answers and
    options use."""

    DROPPED = 0
    """Nothing but a share in a stub that says how much is left out."""
    INCLUDED = 1
    """All of it."""
    SUMMARIZED = 2
    """A shorter form: its beginning and its end."""
    ON_DEMAND = 3
    """What it is and the handle that opens it."""

    def __str__(self) -> str:
        return self.name.lower()

    @classmethod
    def named(cls, name: str) -> Fate:
        """The fate of that name. Raises `InvalidArgumentError`."""
        for fate in cls:
            if str(fate) == name:
                return fate
        raise InvalidArgumentError(f"there is no fate {name!r}; there are {', '.join(FATES)}")


FATES = tuple(str(fate) for fate in Fate)
"""All of their names, by their numbers."""
