"""What the provider reported for each response."""

from __future__ import annotations

import re

import msgspec
from msgspec import Raw

from vox.sources.base import UsageDraft
from vox.sources.codex.records import Fields, integer
from vox.sources.codex.state import State
from vox.sources.counts import tokens_of
from vox.sources.raws import ABSENT

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Tokens(msgspec.Struct):
    """A usage object of the tool. `input_tokens` counts cached and written tokens too."""

    input_tokens: int | None = 0
    cached_input_tokens: int | None = 0
    cache_write_input_tokens: int | None = 0
    output_tokens: int | None = 0
    reasoning_output_tokens: int | None = 0

    def numbers(self) -> tuple[int, ...]:
        """input, cached, written, output, reasoning."""
        return (
            tokens_of(self.input_tokens),
            tokens_of(self.cached_input_tokens),
            tokens_of(self.cache_write_input_tokens),
            tokens_of(self.output_tokens),
            tokens_of(self.reasoning_output_tokens),
        )


class Info(msgspec.Struct):
    """What a token count says beside the rate limits."""

    total_token_usage: Raw = ABSENT
    last_token_usage: Raw = ABSENT


_TOKENS = msgspec.json.Decoder(Tokens)
_INFO = msgspec.json.Decoder(Info)


def usage_record(payload: Fields, state: State, at: int | None) -> UsageDraft | None:
    """A `token_usage_record`: exactly one response."""
    state.usage_recorded = True
    totals = _numbers(payload.thread_token_usage)
    if totals is not None:
        state.totals = totals
    return _draft(_numbers(payload.usage), totals, state, at)


def token_count(payload: Fields, state: State, at: int | None) -> UsageDraft | None:
    """A `token_count` event: a response, or only its rate limits once more."""
    info = _info(payload.info)
    totals = _numbers(info.total_token_usage)
    last = _numbers(info.last_token_usage)
    repeated = state.usage_recorded or (totals is not None and totals == state.totals)
    before = state.totals
    state.usage_recorded = False
    if totals is not None:
        state.totals = totals
    if repeated or (totals is None and last is None):
        return None
    if last is None and totals is not None:
        earlier = before or (0,) * len(totals)
        last = tuple(max(0, now - then) for now, then in zip(totals, earlier, strict=True))
    return _draft(last, totals, state, at)


def single_usage(payload: Fields, state: State, at: int | None) -> UsageDraft | None:
    """Usage without totals: `turn.completed`, or a `token_count` among response items."""
    numbers = _numbers(payload.usage)
    if numbers is not None:
        return _draft(numbers, None, state, at)
    found = (payload.input_tokens, payload.cached_input_tokens, payload.output_tokens)
    given, cached, output = (tokens_of(integer(raw)) for raw in found)
    return _draft((given, cached, 0, output, 0), None, state, at)


def _draft(
    numbers: tuple[int, ...] | None,
    totals: tuple[int, ...] | None,
    state: State,
    at: int | None,
) -> UsageDraft | None:
    if numbers is None or not any(numbers):
        return None
    given, cached, written, output, reasoning = numbers
    return UsageDraft(
        window=state.window,
        key=_key(totals, state),
        model=state.model,
        at=at,
        input=max(0, given - cached - written),
        output=output,
        reasoning=reasoning,
        cache_read=cached,
        cache_write=written,
    )


def _key(totals: tuple[int, ...] | None, state: State) -> str:
    """The same for a response wherever it is written out: a fork repeats turn and totals, with
    other times and under another session."""
    if totals is None:
        state.responses += 1
        return f"codex:{state.origin}:{state.responses}"
    turn = state.turn
    if turn is None:
        scope = state.origin
    else:
        scope = turn if _UUID.fullmatch(turn) else f"{state.origin}/{turn}"
    return f"codex:{scope}:{'.'.join(map(str, totals))}"


def _info(raw: Raw) -> Info:
    try:
        return _INFO.decode(raw)
    except msgspec.DecodeError:
        return Info()


def _numbers(raw: Raw) -> tuple[int, ...] | None:
    if raw is ABSENT:
        return None
    try:
        return _TOKENS.decode(raw).numbers()
    except msgspec.DecodeError:
        return None
