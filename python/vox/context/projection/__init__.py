"""Projections: a fate for every item of a window, for one model, within a budget."""

from vox.context.projection.fate import FATES, Fate
from vox.context.projection.material import Counted, Outline, Related, Texts
from vox.context.projection.projection import Columns, Entries, Projected, Projection, State, Stub
from vox.context.projection.sent import Sent
from vox.context.projection.settings import ProjectionSettings

__all__ = [
    "FATES",
    "Columns",
    "Counted",
    "Entries",
    "Fate",
    "Outline",
    "Projected",
    "Projection",
    "ProjectionSettings",
    "Related",
    "Sent",
    "State",
    "Stub",
    "Texts",
]
