"""What stands before a cut, as a projection takes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count

import vox
from tests.context.projection.quality.cuts import PROFILE, Cut
from vox.archive import projecting
from vox.context.projection import Projection, ProjectionSettings
from vox.context.projection.project import project
from vox.models import ModelProfile

_NUMBERS = count()


@dataclass(frozen=True, slots=True)
class Material:
    """It never changes: a search projects it with many settings."""

    read: projecting.Material
    profile: ModelProfile

    @staticmethod
    def of(archive: vox.Archive, cut: Cut) -> Material:
        """Read from a window of its own that ends at the cut, so that nothing of what comes later
        is known to it."""
        # With a key of its own, its id, which stubs name, is the same in each run.
        key = f"{cut.session.key} up to {cut.at}, {next(_NUMBERS)}"
        window = cut.session.window.fork(cut.at - 1, key=key)
        return Material(projecting.material_of(archive._native, window.number, PROFILE), PROFILE)

    def without_tools(self) -> Material:
        """The same for a model that can't call tools, to which nothing is on demand."""
        return Material(self.read, replace(self.profile, tool_capable=False))

    def project(self, budget: int, settings: ProjectionSettings) -> Projection:
        """A first projection, with no query."""
        return project(
            self.read.outline,
            self.read.counted,
            self.read.texts,
            self.profile,
            budget,
            related=self.read.related,
            settings=settings,
        )
