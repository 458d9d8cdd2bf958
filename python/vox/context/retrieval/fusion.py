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
    covered = most_covered(found)
    meaning = weight_of_meaning(covered, settings)
    by_content: dict[str, Fused] = {}
    for name, lane in found.items():
        weight = settings.lane_weights.get(name, 1.0) * (meaning if name in by_meaning else 1.0)
        if lane.named is not None:
            weight *= weight_of_names(lane.named, covered, settings)
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


def most_covered(found: Mapping[str, Found]) -> float:
    """How much of the question's words the best of any lane hold."""
    return max((lane.covered for lane in found.values() if lane.covered is not None), default=0.0)


def weight_of_meaning(covered: float, settings: RetrievalSettings) -> float:
    """What lanes that go by meaning count: 1 if no lane found the question's words, 0 if one found
    nearly all of them, evenly between."""
    return 1.0 - _between(covered, settings.covered_from, settings.covered_to)


def weight_of_names(named: float, covered: float, settings: RetrievalSettings) -> float:
    """What a lane that goes by names counts: 1 if no lane found the question's words, else by how
    much of the question are names."""
    if covered <= settings.covered_from:
        return 1.0
    return _between(named, settings.named_from, settings.named_to)


def _between(value: float, low: float, high: float) -> float:
    """0 up to `low`, 1 from `high` on, evenly between."""
    if high <= low:
        return float(value >= high)
    return min(1.0, max(0.0, (value - low) / (high - low)))


def prior(candidate: Candidate, settings: RetrievalSettings, now: int) -> float:
    """The factor by which what an item is, and how old it is, changes its score."""
    age = max(0, now - candidate.at) / _DAY
    recent: float = settings.recency * 0.5 ** (age / settings.half_life_days)
    of_kind = settings.kind_priors.get(candidate.kind, 1.0)
    of_role = settings.role_priors.get(candidate.role, 1.0)
    return of_kind * of_role * (1 + recent)
