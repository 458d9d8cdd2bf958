"""Usage of Codex: once for each response, wherever it is written out."""

from __future__ import annotations

from typing import Any

from tests.sources.codex_records import KEY, NOON_MS, event, item, line, meta, read
from vox.sources.base import UsageDraft

PARENT = "019c4b00-0000-7000-8000-000000000001"
TURN = "019c4b44-0000-7000-8000-000000000002"


def tokens(given: int, cached: int, output: int, reasoning: int) -> dict[str, int]:
    return {
        "input_tokens": given,
        "cached_input_tokens": cached,
        "output_tokens": output,
        "reasoning_output_tokens": reasoning,
        "total_tokens": given + output,
    }


def count(total: dict[str, int], last: dict[str, int] | None) -> bytes:
    info: dict[str, Any] = {"total_token_usage": total}
    if last is not None:
        info["last_token_usage"] = last
    return event("token_count", info=info, rate_limits={"primary": None})


FIRST, SECOND = tokens(1000, 400, 50, 20), tokens(2500, 1200, 130, 30)
LAST = tokens(1500, 800, 80, 10)
STARTED = event("task_started", turn_id=TURN)


def test_cached_input_is_told_apart_and_reasoning_stays_part_of_the_output() -> None:
    [found] = read(
        meta(), STARTED, line("turn_context", {"model": "gpt-5"}), count(FIRST, FIRST)
    ).usage
    assert found == UsageDraft(
        window=KEY,
        key=found.key,
        model="gpt-5",
        at=NOON_MS,
        input=600,
        cache_read=400,
        output=50,
        reasoning=20,
    )


def test_a_refresh_of_the_rate_limits_is_no_response() -> None:
    later = event("task_started", turn_id="019c4b45-0000-7000-8000-000000000003")
    batch = read(meta(), STARTED, count(FIRST, FIRST), count(FIRST, FIRST), later,
                 count(FIRST, FIRST), count(SECOND, LAST))  # fmt: skip
    assert [found.input for found in batch.usage] == [600, 700]
    assert len({found.key for found in batch.usage}) == 2


def test_without_the_last_response_it_is_what_the_totals_grew_by() -> None:
    batch = read(meta(), STARTED, count(FIRST, None), count(SECOND, None))
    assert [(found.input, found.cache_read, found.output) for found in batch.usage] == [
        (600, 400, 50),
        (700, 800, 80),
    ]


def test_a_fork_that_repeats_its_parents_counts_has_the_same_responses() -> None:
    work = [STARTED, count(FIRST, FIRST), count(SECOND, LAST)]
    parent = read(meta(PARENT), *work)
    fork = read(meta(forked_from_id=PARENT), meta(PARENT), *work)
    assert [found.key for found in fork.usage] == [found.key for found in parent.usage]


def test_a_fork_repeats_responses_without_turns_too() -> None:
    work = [count(FIRST, FIRST), event("turn.completed", usage=LAST)]
    parent = read(meta(PARENT), *work)
    fork = read(meta(forked_from_id=PARENT), meta(PARENT), *work)
    assert [found.key for found in fork.usage] == [found.key for found in parent.usage]


def test_equal_counts_of_different_sessions_are_different_responses() -> None:
    other = "019c4b44-ffff-7000-8000-00000000000f"
    keys = {read(meta(name), count(FIRST, FIRST)).usage[0].key for name in (PARENT, other)}
    assert len(keys) == 2
    own = [event("task_started", turn_id="turn-1"), count(FIRST, FIRST)]
    keys = {read(meta(name), *own).usage[0].key for name in (PARENT, other)}
    assert len(keys) == 2


def test_what_a_fork_does_itself_is_its_own() -> None:
    later = event("task_started", turn_id="019c4b99-0000-7000-8000-000000000009")
    tail = event("turn.completed", usage=LAST)
    fork = read(meta(forked_from_id=PARENT), meta(PARENT), later, tail)
    parent = read(meta(PARENT), later, tail)
    assert fork.usage[0].key != parent.usage[0].key


def test_a_usage_record_and_the_count_that_follows_are_one_response() -> None:
    record = line(
        "token_usage_record",
        {"turn_id": TURN, "response_id": "r", "usage": FIRST, "thread_token_usage": FIRST},
    )
    more = line(
        "token_usage_record",
        {"turn_id": TURN, "response_id": "r", "usage": LAST, "thread_token_usage": SECOND},
    )
    batch = read(meta(), STARTED, record, count(FIRST, FIRST), more, count(SECOND, LAST))
    assert [found.input for found in batch.usage] == [600, 700]


def test_a_usage_record_without_totals_and_its_count_are_one_response_too() -> None:
    record = line("token_usage_record", {"turn_id": TURN, "usage": FIRST})
    batch = read(meta(), STARTED, record, count(FIRST, FIRST), count(SECOND, LAST))
    assert [found.input for found in batch.usage] == [600, 700]


def test_older_reports_without_totals_are_one_response_each() -> None:
    batch = read(
        meta(),
        event("turn.completed", usage=LAST),
        event("turn.completed", usage=LAST),
        item("token_count", input_tokens=12, output_tokens=8),
    )
    assert [(found.input, found.output) for found in batch.usage] == [(700, 80), (700, 80), (12, 8)]
    assert len({found.key for found in batch.usage}) == 3


def test_nothing_reported_is_no_response() -> None:
    zero = tokens(0, 0, 0, 0)
    batch = read(meta(), event("token_count", info=None), count(zero, zero))
    assert batch.usage == []
    assert len(batch.drafts) == 3


def test_what_can_be_no_count_counts_for_nothing() -> None:
    for odd in (-5, 2**53, 2**64, 10**30):
        [found] = read(meta(), STARTED, count(FIRST, {**LAST, "output_tokens": odd})).usage
        assert (found.input, found.cache_read, found.output) == (700, 800, 0)
        assert read(meta(), STARTED, count({"input_tokens": odd}, None)).usage == []
