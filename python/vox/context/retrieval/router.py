"""Questions to several lanes, and one answer within a budget."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from time import time
from typing import Protocol

from vox.context.retrieval.budget import pack
from vox.context.retrieval.fusion import fuse
from vox.context.retrieval.lanes import Found, Lane
from vox.context.retrieval.reference import Description, Fate, Reference
from vox.context.retrieval.settings import RetrievalSettings
from vox.errors import InvalidArgumentError
from vox.models import ModelProfile


class Shelf(Protocol):
    """Where items stand that lanes found."""

    def describe(self, items: Sequence[int], /) -> list[Description | None]:
        """What each item is; None for one that is no longer in scope."""

    def passages(self, question: str, items: Sequence[int], width: int, /) -> list[str | None]:
        """What of each item shows what it has to do with the question, about `width` bytes of it;
        None for one without a text. Secrets in it are masked."""


@dataclass(frozen=True, slots=True)
class LaneReport:
    """What a lane did."""

    name: str
    candidates: int
    note: str | None
    """What it couldn't do, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """What an archive has to say to a question: references within a budget, never contents."""

    question: str
    model: str
    references: list[Reference]
    """The best first."""
    budget: int
    tokens: int
    """What the texts of all references cost together: never above the budget."""
    counted: str
    """By what tokens were counted, as a sentence."""
    left_out: int
    """Candidates that had no room: a larger budget or another question shows them."""
    lanes: list[LaneReport]

    @property
    def text(self) -> str:
        """All references, as a model reads them."""
        return "".join(reference.text for reference in self.references)


class RetrievalRouter:
    """Asks lanes, fuses what they find, and cuts it to what a model has room for.

    A lane that fails is left out with a note, and so is one that isn't attached. Nothing is put
    into a model's window by it: it returns references, and what becomes of them is its caller's.
    """

    def __init__(
        self, lanes: Sequence[Lane], shelf: Shelf, settings: RetrievalSettings | None = None
    ) -> None:
        self._lanes = {lane.name: lane for lane in lanes}
        self._shelf = shelf
        self._settings = settings or RetrievalSettings()

    def retrieve(
        self,
        question: str,
        profile: ModelProfile,
        budget: int | None = None,
        *,
        lanes: Collection[str] | None = None,
        limit: int | None = None,
        now: int | None = None,
    ) -> Retrieved:
        """References for a question in plain words: at most `limit` of them, whose texts are
        together at most `budget` tokens for the model of `profile` (by default a small share of
        its window). `lanes` names those to ask, by default all; `now` is UTC milliseconds.

        Raises `InvalidArgumentError` for a budget below 0 or above the model's window, and for a
        lane that there isn't.
        """
        settings = self._settings
        budget = self._budget(profile, budget)
        most = settings.limit if limit is None else limit
        found, reports = self._ask(question, self._chosen(lanes))
        by_meaning = {name for name in found if self._lanes[name].by_meaning}
        moment = int(time() * 1000) if now is None else now
        fused = fuse(found, by_meaning, settings, moment)[: max(0, most)]
        described = self._shelf.describe([one.candidate.item for one in fused])
        ranked = [
            (one, about) for one, about in zip(fused, described, strict=True) if about is not None
        ]
        shown = self._passages(question, [about for _, about in ranked])

        def shows(about: Description, fate: Fate) -> str:
            return shown[fate].get(about.item) or ""

        packed = pack(ranked, budget, shows, profile.cap)
        return Retrieved(
            question=question,
            model=profile.model_id,
            references=packed.references,
            budget=budget,
            tokens=packed.tokens,
            counted=profile.counts_by,
            left_out=packed.left_out,
            lanes=reports,
        )

    def rank(
        self, question: str, *, lanes: Collection[str] | None = None, now: int | None = None
    ) -> list[int]:
        """The items that the lanes find, fused, the best first; copies of one content once."""
        return list(self.scores(question, lanes=lanes, now=now))

    def scores(
        self, question: str, *, lanes: Collection[str] | None = None, now: int | None = None
    ) -> dict[int, float]:
        """The same items, each with its score, which compares within this answer."""
        found, _ = self._ask(question, self._chosen(lanes))
        by_meaning = {name for name in found if self._lanes[name].by_meaning}
        moment = int(time() * 1000) if now is None else now
        fused = fuse(found, by_meaning, self._settings, moment)
        return {one.candidate.item: one.score for one in fused}

    def _chosen(self, names: Collection[str] | None) -> list[Lane]:
        if names is None:
            return list(self._lanes.values())
        for name in names:
            if name not in self._lanes:
                there = ", ".join(self._lanes)
                raise InvalidArgumentError(f"there is no lane {name!r}; there are {there}")
        return [lane for name, lane in self._lanes.items() if name in names]

    def _ask(
        self, question: str, lanes: Sequence[Lane]
    ) -> tuple[dict[str, Found], list[LaneReport]]:
        found: dict[str, Found] = {}
        reports = []
        for lane in lanes:
            try:
                answer = lane.find(question, self._settings.pool)
            except Exception as error:  # noqa: BLE001  whatever a service raises, the others go on
                reports.append(LaneReport(lane.name, 0, f"failed: {error}"))
                continue
            found[lane.name] = answer
            reports.append(LaneReport(lane.name, len(answer.candidates), answer.note))
        return found, reports

    def _budget(self, profile: ModelProfile, budget: int | None) -> int:
        window = profile.max_context_tokens
        if budget is None:
            return int(window * self._settings.budget_share)
        if not 0 <= budget <= window:
            raise InvalidArgumentError(
                f"a budget of {budget} tokens; it is between 0 and the {window} that "
                f"{profile.model_id} holds"
            )
        return budget

    def _passages(
        self, question: str, described: Sequence[Description]
    ) -> dict[Fate, dict[int, str | None]]:
        items = [about.item for about in described]
        settings = self._settings
        widths: list[tuple[Fate, int]] = [
            ("snippet", settings.snippet_bytes),
            ("short", settings.short_snippet_bytes),
        ]
        shown: dict[Fate, dict[int, str | None]] = {
            fate: dict(zip(items, self._shelf.passages(question, items, width), strict=True))
            for fate, width in widths
        }
        shown["line"] = {about.item: about.line for about in described}
        return shown
