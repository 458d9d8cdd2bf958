"""One ranking from those of several lanes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vox.context.retrieval.lanes import Candidate, Found
from vox.context.retrieval.settings import RetrievalSettings

_DAY = 86_400_000
"""Milliseconds."""


@dataclass(slots=True)
class Fused:
    """A content that lanes found."""

    candidate: Candidate
    """The copy that was found best."""
    score: float = 0.0
    ranks: dict[str, int] = field(default_factory=dict)
    """By the lanes that found it: the best rank of any copy, 1 is the first."""


def fuse(
    found: Mapping[str, Found], by_meaning: set[str], settings: RetrievalSettings, now: int
) -> list[Fused]:
    """The contents of all lanes' candidates, the best first; `now` is UTC milliseconds.

    The score is that of reciprocal rank fusion, weighed by lane, times the priors of role, kind and
    age. Copies of one content count once in each lane, by the best of them. Among equals the newer
    comes first, then the lower number.
    """
    meaning = weight_of_meaning(found, settings)
    by_content: dict[str, Fused] = {}
    for name, lane in found.items():
        weight = settings.lane_weights.get(name, 1.0) * (meaning if name in by_meaning else 1.0)
        if weight <= 0:
            continue
        seen: set[str] = set()
        for candidate in lane.candidates:
            if candidate.content in seen:
                continue
            seen.add(candidate.content)
            rank = len(seen)
            fused = by_content.setdefault(candidate.content, Fused(candidate))
            fused.score += weight / (settings.rank_offset + rank)
            fused.ranks[name] = rank
    for fused in by_content.values():
        fused.score *= prior(fused.candidate, settings, now)
    return sorted(
        by_content.values(),
        key=lambda fused: (-fused.score, -fused.candidate.at, fused.candidate.item),
    )


def weight_of_meaning(found: Mapping[str, Found], settings: RetrievalSettings) -> float:
    """What lanes that go by meaning count: 1 if no lane found the question's words, 0 if one found
    nearly all of them, evenly between."""
    covered = max((lane.covered for lane in found.values() if lane.covered is not None), default=0)
    width = settings.covered_to - settings.covered_from
    if width <= 0:
        return float(covered < settings.covered_to)
    return min(1.0, max(0.0, (settings.covered_to - covered) / width))


def prior(candidate: Candidate, settings: RetrievalSettings, now: int) -> float:
    """The factor by which what an item is, and how old it is, changes its score."""
    age = max(0, now - candidate.at) / _DAY
    recent: float = settings.recency * 0.5 ** (age / settings.half_life_days)
    of_kind = settings.kind_priors.get(candidate.kind, 1.0)
    of_role = settings.role_priors.get(candidate.role, 1.0)
    return of_kind * of_role * (1 + recent)
