"""Rendering: a committed set as what a model is sent. There is no other way to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vox.context.budget import BudgetSettings
from vox.context.committed.body import Body
from vox.context.committed.committed_set import CommittedSet
from vox.context.committed.entry import LeftOut
from vox.context.committed.messages import messages_of
from vox.context.committed.meter import Meter, dialect_for, meter_of
from vox.context.committed.payload import Payload, payload_of
from vox.errors import InvalidArgumentError, OverBudgetError
from vox.models import ModelProfile
from vox.tokens.request import Message, Request, Tool


@dataclass(frozen=True, slots=True)
class Rendered:
    """What a model is sent."""

    messages: tuple[Message, ...]
    """Of the set. They end as the window does: whoever sends them adds what is new."""
    request: Request
    """The same with system prompt and tools."""
    payload: bytes
    """The request as JSON of no provider in particular."""
    meter: Meter
    stubs: tuple[LeftOut, ...]
    """What isn't shown, in its order."""


def render(
    committed: CommittedSet,
    bodies: Sequence[Body],
    profile: ModelProfile,
    *,
    system: str = "",
    tools: Sequence[Tool] = (),
    output: int | None = None,
    settings: BudgetSettings | None = None,
) -> Rendered:
    """What `profile`'s model is sent of a set, after a system prompt and with tools, if there are
    any. `bodies` are what its entries are, in their order; `output` limits the answer. The same
    input gives the same bytes.

    Raises `OverBudgetError` for more than the model has room for, or the set may cost.
    """
    request, payload, meter = _measured(committed, bodies, profile, system, tools, output, settings)
    if meter.over:
        room = meter.budget.usable
        limit = "" if meter.limit is None else f", the set {meter.set_tokens} of {meter.limit}"
        raise OverBudgetError(
            f"window {committed.window[:8]}: what is committed for {profile.model_id} is "
            f"{meter.over} tokens over budget ({meter.used} of {room}{limit}); drop or shorten "
            "entries, project the window anew, or route it to a model with a larger window"
        )
    return Rendered(tuple(request.messages), request, payload.data, meter, committed.left_out)


def measure(
    committed: CommittedSet,
    bodies: Sequence[Body],
    profile: ModelProfile,
    *,
    system: str = "",
    tools: Sequence[Tool] = (),
    output: int | None = None,
    settings: BudgetSettings | None = None,
) -> Meter:
    """What `render` would send takes of the model's window, also if that is too much."""
    return _measured(committed, bodies, profile, system, tools, output, settings)[2]


def _measured(
    committed: CommittedSet,
    bodies: Sequence[Body],
    profile: ModelProfile,
    system: str,
    tools: Sequence[Tool],
    output: int | None,
    settings: BudgetSettings | None,
) -> tuple[Request, Payload, Meter]:
    if not isinstance(committed, CommittedSet):
        raise TypeError(
            f"only a CommittedSet is rendered, and this is a {type(committed).__name__}"
        )
    if len(bodies) != len(committed):
        raise InvalidArgumentError(
            f"{len(bodies)} bodies for a set of {len(committed)} entries: one for each is needed"
        )
    messages = messages_of(
        committed.entries,
        bodies,
        committed.left_out,
        dialect_for(profile),
        sees_images=profile.sees_images,
    )
    request = Request(messages, system, tuple(tools))
    payload = payload_of(request)
    meter = meter_of(
        request, payload, profile, limit=committed.budget, output=output, settings=settings
    )
    return request, payload, meter
