"""Finding what an archive has to say to a question, for a model with a budget."""

from vox.context.retrieval.lanes import Candidate, Found, Lane
from vox.context.retrieval.reference import Description, Reference
from vox.context.retrieval.router import LaneReport, RetrievalRouter, Retrieved, Shelf
from vox.context.retrieval.settings import RetrievalSettings

__all__ = [
    "Candidate",
    "Description",
    "Found",
    "Lane",
    "LaneReport",
    "Reference",
    "RetrievalRouter",
    "RetrievalSettings",
    "Retrieved",
    "Shelf",
]
