"""Committed sets: what of a window reaches a model, and the only way to there.

A `ContextDraft` is changed with `edit`, `commit` freezes it, and `render` makes messages of that.
"""

from vox.context.committed.body import Body
from vox.context.committed.committed_set import CommittedSet, commit, committed_before
from vox.context.committed.document import SCHEMA
from vox.context.committed.draft import ContextDraft
from vox.context.committed.entry import Entry, LeftOut
from vox.context.committed.meter import Meter
from vox.context.committed.render import Rendered, measure, render

__all__ = [
    "SCHEMA",
    "Body",
    "CommittedSet",
    "ContextDraft",
    "Entry",
    "LeftOut",
    "Meter",
    "Rendered",
    "commit",
    "committed_before",
    "measure",
    "render",
]
