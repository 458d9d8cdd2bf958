"""What providers reported for a window's responses, beside an estimate of the same texts.

A transcript doesn't hold all that a model saw: system prompt and tools are missing. From one
response to the next they stay, so what the reported input grew by is compared with the items in
between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from vox.tokens.calibration import Observation

if TYPE_CHECKING:
    from vox.archive.archive import Archive

Estimate: TypeAlias = Callable[[str, Sequence[bytes]], Iterable[int] | None]
"""Uncorrected estimates of texts for a model; None for one that nothing is known of."""

SENT = ("message", "summary", "tool_call", "tool_result")
"""Kinds of items that later requests hold. Reasoning mostly isn't sent again, attachments and
records aren't text."""
MOST = 1_000
"""Items between two responses; where there are more, something else happened. Judgement."""


def observations(
    archive: Archive, windows: Iterable[int], estimate: Estimate
) -> Iterator[Observation]:
    """What can be compared in these windows, in the order of time within each.

    Input that came from the provider's cache or was written to it counts like any other. Steps in
    which the input didn't grow (something was compacted, or a model of another kind answered in
    between) are left out.
    """
    for number in windows:
        window = archive.window(number)
        usage = [row for row in window.usage() if row["at"] is not None and row["model"]]
        usage.sort(key=lambda row: int(row["at"]))
        steps = [
            (earlier, later)
            for earlier, later in pairwise(usage)
            if earlier["model"] == later["model"]
            and reported_input(later) > reported_input(earlier)
        ]
        for earlier, later in steps:
            items = window.items(
                0, MOST, preview=False, kinds=SENT, since=earlier["at"], until=later["at"]
            )
            between = [item["item"] for item in items.to_pylist() if not item["redacted"]]
            if 0 < len(between) < MOST:
                texts = [archive.read(item) for item in between]
                estimated = estimate(later["model"], texts)
                if estimated is None:
                    continue
                tokens = sum(int(each) for each in estimated)
                grown = reported_input(later) - reported_input(earlier)
                yield Observation(later["model"], tokens, grown, later["at"])


def reported_input(usage: dict[str, Any]) -> int:
    """All of the input that a usage row reports."""
    parts = ("input", "cache_read", "cache_write", "cache_write_1h")
    return sum(int(usage[part]) for part in parts)
