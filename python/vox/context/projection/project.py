"""A fate for every item of a window."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from vox.context.projection.fate import Fate
from vox.context.projection.frames import Frames, frames_of
from vox.context.projection.freeze import is_worth_it, sent_rows
from vox.context.projection.images import with_images
from vox.context.projection.inputs import with_inputs
from vox.context.projection.limits import Limits
from vox.context.projection.lines import stub_tokens
from vox.context.projection.material import Counted, Floats, Integers, Outline, Related, Texts
from vox.context.projection.offers import Offers, offers_of
from vox.context.projection.order import shown_order
from vox.context.projection.planning import choose
from vox.context.projection.projection import Projection
from vox.context.projection.sent import Sent
from vox.context.projection.settings import ProjectionSettings
from vox.context.projection.solve import Problem
from vox.context.projection.wording import Wording
from vox.context.projection.writing import Writer
from vox.errors import InvalidArgumentError
from vox.models import ModelProfile


def project(
    outline: Outline,
    counted: Counted,
    texts: Texts,
    profile: ModelProfile,
    limits: Limits | int,
    *,
    related: Related | None = None,
    scores: Floats | None = None,
    previous: Sent | None = None,
    settings: ProjectionSettings | None = None,
) -> Projection:
    """What a model is to be shown of a window, within `limits`. No model is called for it.

    `counted` are the tokens of the items in its tokenizer, `texts` gives contents: of images, whose
    size is looked up, of tool calls that are shown, and of what is shown shortened. `scores` say
    how well each item answers a query, `previous` what the model was sent before.

    Raises `InfeasibleError` if what is pinned costs more than the budget, and
    `InvalidArgumentError` for columns that don't fit each other.
    """
    settings = settings or ProjectionSettings()
    limits = Limits.exactly(limits) if isinstance(limits, int) else limits
    _check(outline, counted, related, scores)
    counted = with_images(outline, counted, texts, profile, settings.images_read)
    frames = frames_of(outline, profile.model_id, profile.cap, settings.seam_tokens)
    plan = partial(
        _planned, outline, counted, texts, profile, limits, related, scores, previous, settings
    )
    projection = plan(frames)
    # What a call's input is sent as is looked at only when it is shown. If that is longer for one,
    # the others are looked at too, and all is planned again.
    columns = projection.entries.columns
    shown = np.zeros(len(outline), dtype=bool)
    shown[columns.ordinals[columns.fates == Fate.INCLUDED]] = True
    seen = with_inputs(outline, counted, texts, profile.cap, frames, shown)
    if not seen.inputs.any():
        return projection
    return plan(with_inputs(outline, counted, texts, profile.cap, seen, ~shown))


def _planned(
    outline: Outline,
    counted: Counted,
    texts: Texts,
    profile: ModelProfile,
    limits: Limits,
    related: Related | None,
    scores: Floats | None,
    previous: Sent | None,
    settings: ProjectionSettings,
    frames: Frames,
) -> Projection:
    """The projection with these frames."""
    offers = offers_of(
        outline,
        counted,
        related,
        scores,
        frames,
        profile,
        profile.cap,
        limits.budget,
        sent_rows(previous, outline),
        settings,
    )
    everything = int(counted.tokens[offers.rows].sum(dtype=np.int64))
    stub = frames.line + stub_tokens(
        outline, everything, profile.tool_capable, profile.cap, settings.seam_tokens
    )
    order, offered = _order(outline, offers)
    wording = Wording(outline, counted, offers, offered, frames, profile)
    problem = Problem(outline, offers, wording, stub)
    writer = Writer(
        outline=outline,
        counted=counted,
        texts=texts,
        profile=profile,
        limits=limits,
        frames=frames,
        offers=offers,
        order=order,
        offered=offered,
        wording=wording,
        problem=problem,
        settings=settings,
    )
    chosen = choose(problem, outline, profile, limits, previous, frames.request, settings)
    plan = writer.write(chosen.plan, chosen.state, previous)
    if chosen.staying is not None and previous is not None and chosen.state != "model":
        staying = writer.write(chosen.staying, "not_worth_it", previous)
        rewritten = previous.used - plan.prefix_kept_tokens
        if not is_worth_it(staying.used - plan.used, rewritten, profile, settings):
            return staying
    return plan


def _check(
    outline: Outline, counted: Counted, related: Related | None, scores: Floats | None
) -> None:
    columns: dict[str, npt.NDArray[Any]] = {
        "tokens": counted.tokens,
        "no_text": counted.no_text,
    }
    if related is not None:
        columns |= {
            "mentions": related.mentions,
            "last_uses": related.last_uses,
            "touched": related.touched,
        }
    if scores is not None:
        columns["scores"] = scores
    for name, column in columns.items():
        if len(column) != len(outline):
            raise InvalidArgumentError(
                f"{name} has {len(column)} rows, and the window {len(outline)} items; read both at "
                "the same moment"
            )


def _order(outline: Outline, offers: Offers) -> tuple[Integers, Integers]:
    """The order in which items are shown: all, as places in the outline, and those that are
    offered, as places in `Offers.rows`."""
    n = len(outline)
    groups = np.full(n, -1, dtype=np.int64)
    groups[offers.rows] = offers.groups
    order = shown_order(outline, groups)
    place = np.full(n, -1, dtype=np.int64)
    place[offers.rows] = np.arange(len(offers.rows))
    offered = place[order]
    return order, offered[offered >= 0]
