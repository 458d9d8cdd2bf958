"""The lines of one window's items and runs, and what each costs: counted once, and kept."""

from __future__ import annotations

import numpy as np

from vox.context.projection.frames import Frames
from vox.context.projection.lines import (
    as_arguments,
    item_line,
    run_handle,
    same_line,
    stub_line,
    what_of,
)
from vox.context.projection.material import Bools, Counted, Integers, Outline
from vox.context.projection.offers import Offers
from vox.context.projection.projection import Stub
from vox.context.projection.runs import runs_of
from vox.models import ModelProfile
from vox.sources.base import ItemKind


class Wording:
    """What stands for items of which not all is shown."""

    def __init__(
        self,
        outline: Outline,
        counted: Counted,
        offers: Offers,
        offered: Integers,
        frames: Frames,
        profile: ModelProfile,
    ) -> None:
        self._outline = outline
        self._offers = offers
        self._frames = frames
        self._profile = profile
        self._rows = offers.rows[offered]
        self._offered = offered
        self._sums = np.concatenate(([0], np.cumsum(counted.tokens[self._rows], dtype=np.int64)))
        self._lines: dict[int, str] = {}
        self._line_tokens = np.full(len(offers.rows), -1, dtype=np.int64)
        self._stub_tokens: dict[int, int] = {}

    def line(self, place: int) -> str:
        """What an item on demand is shown as; `place` is that in `Offers.rows`."""
        found = self._lines.get(place)
        if found is None:
            found = self._lines[place] = self._made(place)
        return found

    def line_costs(self, places: Integers) -> Integers:
        """What items on demand cost, their frames included."""
        unknown = places[self._line_tokens[places] < 0]
        if unknown.size:
            texts = [self.line(place) for place in unknown.tolist()]
            self._line_tokens[unknown] = self._profile.cap(texts)
        rows = self._offers.rows[places]
        frames = self._frames
        frame = np.where(self._offers.alone[places], frames.line, frames.items[rows])
        costs: Integers = self._line_tokens[places] + frame
        return costs

    def stub_costs(self, kept: Bools) -> int:
        """What the stubs cost together for what isn't kept; `kept` is by place in `Offers.rows`."""
        starts, ends = runs_of(kept[self._offered])
        return sum(self._stub_costs(starts, ends))

    def stubs(self, kept: Bools) -> tuple[Stub, ...]:
        """These stubs."""
        in_order = kept[self._offered]
        starts, ends = runs_of(in_order)
        before = np.cumsum(in_order)[starts].tolist()
        rows = zip(
            self._rows[starts].tolist(),
            self._rows[ends].tolist(),
            (ends - starts + 1).tolist(),
            self._hidden(starts, ends),
            self._stub_costs(starts, ends),
            before,
            strict=True,
        )
        return tuple(
            Stub(
                first=first,
                last=last,
                items=items,
                hidden=hidden,
                tokens=tokens,
                text=self._stub_text(first, last, items, hidden),
                handle=run_handle(self._outline.id, first, last),
                before=place,
            )
            for first, last, items, hidden, tokens, place in rows
        )

    def _stub_costs(self, starts: Integers, ends: Integers) -> list[int]:
        """What the stub of each run costs, its frame included."""
        known = self._stub_tokens
        keys = (starts * (len(self._rows) + 1) + ends).tolist()
        new = [at for at, key in enumerate(keys) if key not in known]
        if new:
            first, last = starts[new], ends[new]
            texts = [
                self._stub_text(*run)
                for run in zip(
                    self._rows[first].tolist(),
                    self._rows[last].tolist(),
                    (last - first + 1).tolist(),
                    self._hidden(first, last),
                    strict=True,
                )
            ]
            frame = self._frames.line
            for at, tokens in zip(new, self._profile.cap(texts), strict=True):
                known[keys[at]] = tokens + frame
        return [known[key] for key in keys]

    def _hidden(self, starts: Integers, ends: Integers) -> list[int]:
        hidden: list[int] = (self._sums[ends + 1] - self._sums[starts]).tolist()
        return hidden

    def _stub_text(self, first: int, last: int, items: int, hidden: int) -> str:
        named = self._profile.tool_capable
        return stub_line(items, hidden, run_handle(self._outline.id, first, last) if named else "")

    def _made(self, place: int) -> str:
        outline, offers = self._outline, self._offers
        row, same_as = int(offers.rows[place]), int(offers.same_as[place])
        item, kind = int(outline.items[row]), int(outline.kinds[row])
        if same_as >= 0:
            line = same_line(item, int(outline.items[same_as]))
        else:
            name = outline.name_texts[int(outline.names[row])]
            what = what_of(kind, int(outline.roles[row]), name)
            line = item_line(item, what, int(outline.byte_len[row]))
        alone = bool(offers.alone[place])
        return as_arguments(line) if kind == ItemKind.TOOL_CALL and not alone else line
