"""How much of what was needed was kept."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tests.context.projection.quality.cuts import Cut
from tests.context.projection.quality.methods import Kept


@dataclass
class Share:
    """Needed names, over any number of cuts."""

    cuts: int = 0
    needed: int = 0
    included: int = 0
    """With a source that is included."""
    on_demand: int = 0
    """Only with a source that is on demand."""
    shown: int = 0
    """Neither, but what stands for a summarized source has the name."""

    def add(self, cut: Cut, kept: Kept) -> None:
        """Counts one cut."""
        self.cuts += 1
        for name, places in cut.sources.items():
            self.needed += 1
            if any(place in kept.included for place in places):
                self.included += 1
            elif any(place in kept.on_demand for place in places):
                self.on_demand += 1
            elif any(name in kept.shown.get(place, "") for place in places):
                self.shown += 1

    @property
    def at_hand(self) -> float:
        """The share with a source that is included or on demand."""
        return (self.included + self.on_demand) / max(1, self.needed)

    @property
    def seen(self) -> float:
        """The share at hand, or in what stands for a summarized source."""
        return (self.included + self.on_demand + self.shown) / max(1, self.needed)

    @property
    def in_full(self) -> float:
        """The share with a source that is included."""
        return self.included / max(1, self.needed)

    def row(self) -> dict[str, Any]:
        """The counts, and the shares."""
        shares = {"at_hand": round(self.at_hand, 4), "in_full": round(self.in_full, 4)}
        return {**asdict(self), **shares}
