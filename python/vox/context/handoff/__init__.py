"""Handing a task to a sub-agent: a child window with a seed, and what it may pull."""

from vox.context.handoff.envelope import SCHEMA, Envelope, Grant, Pulls, SeedItem
from vox.context.handoff.pulls import PullBudget
from vox.context.handoff.seed import Candidate, Seed, seed_of
from vox.context.handoff.settings import HandoffSettings

__all__ = [
    "SCHEMA",
    "Candidate",
    "Envelope",
    "Grant",
    "HandoffSettings",
    "PullBudget",
    "Pulls",
    "Seed",
    "SeedItem",
    "seed_of",
]
