"""What was sent stays, until there is a reason to plan anew."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.context.projection.test_project import fates, projected, reasons
from tests.context.projection.windows import MODEL, Made, One, call, result, said
from vox.context.projection import Fate, ProjectionSettings
from vox.context.projection.limits import Limits
from vox.errors import InfeasibleError, InvalidArgumentError
from vox.models import Caching, Prices
from vox.sources.base import ItemKind, Role

LIMITS = Limits(budget=2_000, compact_at=1_500, low_water=600)
CACHED = replace(MODEL, caching=Caching(True), prices=Prices(1.0, 1.0, 0.1, 1.25))


def turns(count: int, first: int = 0) -> list[One]:
    return [said(f"turn {number} " * 30) for number in range(first, first + count)]


def test_what_was_sent_stays_and_what_is_new_is_added_in_full() -> None:
    ones = turns(20)
    first = projected(Made(ones), LIMITS)
    assert first.state == "first"
    assert first.used <= LIMITS.low_water
    assert first.fates()["dropped"] > 0
    assert any("planned down to 600 of 2,000 tokens" in note for note in first.notes)
    more = projected(Made([*ones, *turns(3, 20)]), LIMITS, previous=first.sent)
    assert more.state == "frozen"
    assert fates(more) == [*fates(first), *["included"] * 3]
    assert more.frozen == 20
    assert more.prefix_kept_tokens == sum(first.sent.tokens.tolist())
    assert "as it was sent before" in reasons(more)
    assert [one.form for one in more.entries][:20] == [one.form for one in first.entries]


def test_nothing_is_kept_free_where_only_what_was_taken_out_is_missing() -> None:
    whole = projected(Made([said("a"), said("b", fate=Fate.DROPPED), said("c")]), LIMITS)
    assert fates(whole) == ["included", "dropped", "included"]
    assert whole.notes == ()


def test_copies_stay_as_they_were_sent_the_one_in_full_and_the_lines_that_name_it() -> None:
    copies = [said("the same words " * 40), said("other words"), said("the same words " * 40)]
    first = projected(Made(copies), 10_000)
    assert fates(first) == ["on_demand", "included", "included"]
    again = projected(Made([*copies, said("new")]), 10_000, previous=first.sent)
    assert again.state == "frozen"
    assert fates(again) == [*fates(first), "included"]
    assert again.prefix_kept_tokens == int(first.sent.tokens.sum())
    copied = projected(Made([*copies, copies[0]]), 10_000, previous=first.sent)
    assert copied.state == "frozen"
    assert fates(copied) == [*fates(first), "on_demand"]


def test_a_shorter_form_that_was_sent_stays_as_long_as_it_was() -> None:
    limits = Limits(budget=4_000, compact_at=3_000, low_water=1_500)
    ones = [said("Run."), call(1), result(1, b"a line of it\n" * 9_000)]
    first = projected(Made(ones), limits)
    assert fates(first)[2] == "summarized"
    more = projected(Made([*ones, said("next " * 20)]), limits, previous=first.sent)
    assert more.state == "frozen"
    assert more.entries[2] == replace(first.entries[2], reason="as it was sent before")
    assert more.prefix_kept_tokens == int(first.sent.tokens.sum())


def test_crossing_the_threshold_plans_anew_down_to_low_water() -> None:
    ones = turns(12)
    first = projected(Made(ones), LIMITS)
    assert fates(first) == ["included"] * 12
    grown = projected(Made([*ones, *turns(6, 12)]), LIMITS, previous=first.sent)
    assert grown.state == "threshold"
    assert grown.used <= LIMITS.low_water
    assert grown.frozen == 0
    assert grown.prefix_kept_tokens < first.used


def test_another_model_an_edit_and_a_compaction_are_boundaries() -> None:
    ones = turns(6)
    sent = projected(Made(ones), LIMITS).sent
    other = replace(MODEL, model_id="gpt-4o-mini")
    assert projected(Made(ones), LIMITS, other, previous=sent).state == "model"
    assert projected(Made(ones), LIMITS, other, previous=sent).prefix_kept_tokens == 0
    for edited in (replace(ones[2], flags=2), replace(ones[2], flags=16), replace(ones[2], fate=3)):
        window = Made([*ones[:2], edited, *ones[3:]])
        assert projected(window, LIMITS, previous=sent).state == "edit"
    assert projected(Made(ones[:4]), LIMITS, previous=sent).state == "edit"
    summary = One(b"what came before", ItemKind.SUMMARY, Role.USER)
    free = ProjectionSettings(clear_at_least=0)
    many = turns(14)
    sent = projected(Made(many), LIMITS).sent
    compacted = projected(Made([*many, summary]), LIMITS, previous=sent, settings=free)
    assert compacted.state in ("compaction", "not_worth_it")


def test_planning_anew_is_left_when_it_frees_too_little() -> None:
    ones = turns(12)
    first = projected(Made(ones), LIMITS)
    window = Made([*ones, *turns(5, 12)])
    strict = ProjectionSettings(clear_at_least=100_000)
    stays = projected(window, LIMITS, previous=first.sent, settings=strict)
    assert stays.state == "not_worth_it"
    assert fates(stays) == ["included"] * 17
    assert LIMITS.compact_at < stays.used <= LIMITS.budget
    # What doesn't fit any more can't stay, whatever it frees.
    full = Made([*ones, *turns(30, 12)])
    planned = projected(full, LIMITS, previous=first.sent, settings=strict)
    assert planned.state == "threshold"
    assert planned.used <= LIMITS.low_water


def test_writing_the_cache_anew_is_weighed_against_what_is_saved() -> None:
    ones = turns(12)
    first = projected(Made(ones), LIMITS, CACHED)
    window = Made([*ones, *turns(5, 12)])
    soon_over = ProjectionSettings(turns_ahead=0.5)
    assert (
        projected(window, LIMITS, CACHED, previous=first.sent, settings=soon_over).state
        == "not_worth_it"
    )
    long = ProjectionSettings(turns_ahead=1_000.0)
    planned = projected(window, LIMITS, CACHED, previous=first.sent, settings=long)
    assert planned.state == "threshold"


def test_a_result_that_comes_later_than_its_call_joins_it() -> None:
    ones = [*turns(2), call(1)]
    first = projected(Made(ones), LIMITS)
    assert fates(first)[2] == "on_demand"
    more = projected(Made([*ones, result(1)]), LIMITS, previous=first.sent)
    assert fates(more)[3] != "dropped"
    assert more.entries[2].pair == more.entries[3].pair is not None


def test_pins_above_low_water_take_what_they_need() -> None:
    ones = [replace(one, flags=2) for one in turns(9)]
    window = Made([*ones, *turns(20, 9)])
    projection = projected(window, LIMITS)
    assert fates(projection)[:9] == ["included"] * 9
    assert LIMITS.low_water < projection.used <= LIMITS.budget
    with pytest.raises(InfeasibleError):
        projected(Made([replace(one, flags=2) for one in turns(30)]), LIMITS)


def test_limits_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="none is above the one before"):
        Limits(100, 50, 60)
