"""Fates of windows that are out of the ordinary."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from tests.context.projection.windows import (
    LOCAL,
    MODEL,
    NO_TOOLS,
    UNKNOWN,
    Made,
    One,
    call,
    result,
    said,
)
from vox.context.budget import Claimant
from vox.context.projection import Fate, Projection, ProjectionSettings, Sent
from vox.context.projection.inputs import as_object
from vox.context.projection.limits import Limits
from vox.context.projection.project import project
from vox.errors import InfeasibleError, InvalidArgumentError
from vox.models import ModelProfile
from vox.sources.base import ItemKind, Role

PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000004000000030008020000000000000000")
"""The header of an image of 1,024 × 768 pixels."""


def projected(
    made: Made,
    budget: int | Limits,
    model: ModelProfile = MODEL,
    *,
    previous: Sent | None = None,
    settings: ProjectionSettings | None = None,
    scores: list[float] | None = None,
) -> Projection:
    return project(
        made.outline,
        made.counted(model),
        made.texts,
        model,
        budget,
        related=made.related,
        scores=None if scores is None else np.array(scores),
        previous=previous,
        settings=settings,
    )


def fates(projection: Projection) -> list[str]:
    return [str(one.fate) for one in projection.entries]


def reasons(projection: Projection) -> list[str]:
    return [one.reason for one in projection.entries]


def image(**more: int) -> One:
    return One(PNG, ItemKind.ATTACHMENT, Role.USER, "image/png", **more)


def test_a_window_that_fits_is_shown_as_it_is() -> None:
    made = Made([said("Look at a."), call(1), result(1), said("Done.", Role.ASSISTANT)])
    projection = projected(made, 1_000)
    assert fates(projection) == ["included"] * 4
    assert set(reasons(projection)) == {"all of the window fits"}
    assert projection.gap == 0
    assert not projection.stubs
    assert made.reads == [[101]], "the call that is shown, and nothing else"
    assert projection.by_claimant[Claimant.TOOL_RESULTS] == projection.entries[2].tokens


def test_an_empty_window_costs_nothing() -> None:
    projection = projected(Made([]), 100)
    assert len(projection.entries) == 0
    assert projection.shown == []
    assert projection.used == projection.framing == 0
    assert projected(Made([]), 0).used == 0


def test_a_budget_of_nothing_shows_nothing_and_says_so() -> None:
    projection = projected(Made([said("a"), said("b")]), 0)
    assert fates(projection) == ["dropped", "dropped"]
    assert projection.used == 0
    assert projection.stubs == ()
    assert projection.notes == (
        "there is no room for anything, not even for a line on what is left out",
    )
    assert "the budget of 0" not in reasons(projection)


def test_one_long_result_is_shown_by_its_beginning_and_end() -> None:
    lines = "".join(f"{number:06} of the log\n" for number in range(120_000)).encode()
    made = Made([said("Run it."), call(1), result(1, lines)])
    projection = projected(made, 8_000)
    assert fates(projection) == ["included", "included", "summarized"]
    form = projection.entries[2].form
    assert form is not None
    assert form.startswith("000000 of the log\n000001")
    assert form.endswith("119999 of the log\n")
    (signpost,) = re.findall(r"\[… (\d+) of (\d+) bytes left out.*item:102 …\]", form)
    assert int(signpost[1]) == len(lines) == 2_160_000
    left = form.replace(re.search(r"\n\[….*…\]\n", form)[0], "\n")  # type: ignore[index]
    assert abs(int(signpost[0]) + len(left.encode()) - len(lines)) <= 1
    assert made.reads == [[102], [101]]
    # Nothing else has a use for the budget.
    assert 7_000 < projection.used <= 8_000


def test_thousands_of_short_items_fill_a_budget() -> None:
    made = Made([said(f"item number {number}") for number in range(5_000)])
    projection = projected(made, 8_000)
    kept = projection.fates()
    assert projection.used <= 8_000
    # Each costs about ten tokens; a stub for each of them would leave room for two hundred.
    assert kept["included"] > 500
    assert projection.used > 7_500
    assert projection.entries[4_999].fate == Fate.INCLUDED


def test_the_same_window_for_a_small_and_a_large_model() -> None:
    ones = []
    for turn in range(60):
        ones += [
            said(f"Question {turn}"),
            call(turn + 1, b'{"command": "cat %d"}' % turn),
            result(turn + 1, b"output of %d\n" % turn * 300),
            said(f"Answer {turn}", Role.ASSISTANT),
        ]
    made = Made(ones)
    large = projected(made, 900_000, ModelProfile("gpt-4o", 1_000_000))
    small = projected(made, 6_000, LOCAL)
    assert set(fates(large)) == {"included"}
    assert len(small.entries) == len(large.entries) == 240
    assert small.used <= 6_000
    assert small.fates()["included"] < 240
    assert small.profile.model_id == "deepseek-v3"
    assert {one.ordinal for one in small.shown} & {237, 238, 239}


def test_pins_that_have_no_room_are_named_with_what_is_missing() -> None:
    made = Made([said("word " * 500, flags=2), said("word " * 100, flags=2), said("free " * 300)])
    with pytest.raises(InfeasibleError) as error:
        projected(made, 400, NO_TOOLS)
    message = str(error.value)
    (missing,) = re.findall(r"(\d+) more than", message)
    assert "item:100 (" in message
    assert "item:101 (" in message
    assert "item:102" not in message
    assert fates(projected(made, 400 + int(missing), NO_TOOLS)) == [
        "included",
        "included",
        "dropped",
    ]
    with pytest.raises(InfeasibleError):
        projected(made, 400 + int(missing) - 1, NO_TOOLS)


def test_pinned_items_stay_and_those_taken_out_go() -> None:
    made = Made([said("a " * 300, flags=2), *[said("b " * 300)] * 3, said("newest", fate=0)])
    projection = projected(made, 500)
    assert projection.entries[0].fate == Fate.INCLUDED
    assert projection.entries[0].reason == "pinned"
    assert projection.entries[4].fate == Fate.DROPPED
    assert projection.entries[4].reason == "set by hand"


def test_a_fate_set_by_hand_holds_for_the_pair() -> None:
    made = Made([said("a"), call(1, fate=0), result(1), call(2), result(2, fate=3)])
    projection = projected(made, 1_000)
    assert fates(projection) == ["included", "dropped", "dropped", "included", "on_demand"]
    assert projection.entries[4].form == "[item:104] tool result Read, 15 bytes"


def test_a_model_without_tools_is_offered_nothing_to_open() -> None:
    made = Made([call(1), result(1, b"x\n" * 2_000), said("now " * 200), said("then", fate=3)])
    projection = projected(made, 400, NO_TOOLS)
    assert projection.fates()["on_demand"] == 0
    assert projection.entries[3].fate != Fate.ON_DEMAND
    assert projection.notes == (
        "gpt-4o can't be shown these as they are pinned or set by hand: item:103",
    )
    assert all("window:" not in stub.text for stub in projection.stubs)
    shortened = projected(made, 1_400, NO_TOOLS).entries[1].form
    assert shortened is not None
    assert "item:" not in shortened


def test_images_cost_what_their_size_says_and_blind_models_get_none() -> None:
    made = Made([said("Look:"), image()])
    seeing = projected(made, 2_000)
    assert fates(seeing) == ["included", "included"]
    # 85 and two by two tiles of 170, and the frame of a message.
    assert 85 + 4 * 170 <= seeing.entries[1].tokens < 85 + 4 * 170 + 12
    blind = projected(made, 2_000, NO_TOOLS)
    assert fates(blind) == ["included", "dropped"]
    assert blind.entries[1].reason == "the model takes no images"
    other = Made(
        [said("Read:"), One(b"%PDF-1.7", ItemKind.ATTACHMENT, Role.USER, "application/pdf")]
    )
    assert reasons(projected(other, 2_000))[1] == "no text, and no image"


def test_an_image_whose_header_says_nothing_costs_the_most_that_any_does() -> None:
    made = Made([One(b"none", ItemKind.ATTACHMENT, Role.USER, "image/png")])
    assert projected(made, 9_000).entries[0].tokens > 85 + 4 * 170


def test_a_reply_to_a_call_that_is_gone_is_never_shown_as_a_reply() -> None:
    made = Made([call(1, flags=16), result(1), said("and?"), call(2), result(2), call(3)])
    projection = projected(made, 1_000)
    assert fates(projection) == [
        "dropped",
        "on_demand",
        "included",
        "included",
        "included",
        "on_demand",
    ]
    assert [one.pair is None for one in projection.entries] == [
        True,
        True,
        True,
        False,
        False,
        True,
    ]
    assert projection.entries[1].reason == "its call, or the result of it, can't be shown"
    assert fates(projected(made, 1_000, NO_TOOLS))[1] == "dropped"


def test_calls_without_ids_are_paired_by_order() -> None:
    ones = [call(0, b"1"), call(0, b"2"), result(0, b"1"), result(0, b"2"), said("on"), call(0)]
    made = Made([*ones, result(0), result(0)])
    pairs = [one.pair for one in projected(made, 2_000).entries]
    assert pairs[0] == pairs[2]
    assert pairs[1] == pairs[3]
    assert pairs[5] == pairs[6]
    assert len({pairs[0], pairs[1], pairs[5]}) == 3
    assert pairs[7] is None


def test_an_id_that_comes_again_makes_another_pair() -> None:
    pairs = [
        one.pair for one in projected(Made([call(7), result(7), call(7), result(7)]), 999).entries
    ]
    assert pairs[0] == pairs[1] != pairs[2] == pairs[3]


def test_copies_say_which_item_is_shown_for_them() -> None:
    text = "a long text about something " * 30
    made = Made([said(text), said("between"), said(text), said("after"), said("ok"), said("ok")])
    projection = projected(made, 1_000)
    assert fates(projection) == ["on_demand", *["included"] * 5]
    assert projection.entries[0].form == "[item:100] the same as item:102"
    assert projection.entries[0].reason == "the same as item:102"
    # What was sent first stays what is shown.
    first = projected(Made(made.ones[:2]), 1_000)
    again = projected(made, 1_000, previous=first.sent)
    assert fates(again)[:3] == ["included", "included", "on_demand"]
    pinned = Made([said(text, flags=2), *made.ones[1:]])
    assert fates(projected(pinned, 1_000))[:3] == ["included", "included", "on_demand"]


def test_what_is_no_utf_8_is_shown_with_marks_for_it() -> None:
    made = Made([said(b"\xff\xfe" * 4_000 + b"end"), said(b"\xc3")])
    projection = projected(made, 700)
    assert projection.used <= 700
    assert projection.entries[0].fate == Fate.SUMMARIZED
    assert "\ufffd" in str(projection.entries[0].form)
    assert str(projection.entries[0].form).endswith("end")


def test_a_long_input_of_a_call_is_shortened_to_json() -> None:
    arguments = json.dumps({"path": "src/a.py", "content": "line\n" * 3_000}).encode()
    made = Made([call(1, arguments, name="Write"), result(1, b"written")])
    projection = projected(made, 900)
    assert fates(projection) == ["summarized", "included"]
    form = json.loads(projection.entries[0].form or "")
    assert list(form) == ["shortened"]
    assert form["shortened"].startswith('{"path": "src/a.py"')
    on_demand = Made([call(1, arguments, name="Write", fate=3), result(1, b"written")])
    form = json.loads(projected(on_demand, 900).entries[0].form or "")
    assert form == {"on_demand": f"[item:100] tool call Write, {len(arguments)} bytes"}


def test_records_and_what_was_trimmed_are_never_offered() -> None:
    made = Made(
        [
            One(b"{}", ItemKind.RECORD, flags=32),
            said("aside", flags=1),
            said("trimmed", flags=16),
            said("purged", flags=8),
            said("trimmed and pinned", flags=18),
            said("there"),
        ]
    )
    projection = projected(made, 1_000)
    assert fates(projection) == ["dropped"] * 5 + ["included"]
    assert reasons(projection)[:5] == [
        "a record of its producer, no part of the conversation",
        "stands beside the conversation",
        "trimmed",
        "purged: its content is gone",
        "trimmed",
    ]
    assert not projection.stubs


def test_a_dropped_run_leaves_one_line_that_says_how_to_open_it() -> None:
    made = Made([said("first", flags=2), *[said(f"{n} " * 90) for n in range(9)], said("last")])
    projection = projected(made, 66)
    (stub,) = projection.stubs
    assert (stub.first, stub.last, stub.items) == (1, 9, 9)
    hidden = int(made.counted(MODEL).tokens[1:10].sum())
    assert stub.text == f"[9 items, {hidden} tokens left out: window:01234567/1-9]"
    assert stub.before == 1


def test_a_query_brings_up_what_answers_it() -> None:
    made = Made([said(f"text number {number} " * 20) for number in range(40)])
    scores = [0.0] * 40
    scores[3] = 0.5
    without, with_query = projected(made, 900), projected(made, 900, scores=scores)
    assert without.entries[3].fate != Fate.INCLUDED
    assert with_query.entries[3].fate == Fate.INCLUDED


def test_the_files_touched_last_are_kept_at_hand() -> None:
    ones = []
    for number in range(30):
        touched = {0: 0, 1: 1}.get(number, -1)
        ones += [
            call(number + 1, b'{"path": "%d"}' % number, touched=touched),
            result(number + 1, b"line %d\n" % number * 12),
        ]
    made = Made([*ones, said("long " * 400)])
    settings = ProjectionSettings(touched_share=1.0, touched_factor=50.0)
    entries = projected(made, 700, settings=settings).entries
    assert [str(entries[at].fate) for at in (1, 3)] == ["included", "included"]
    none = ProjectionSettings(touched_files=0)
    assert projected(made, 700, settings=none).entries[1].fate != Fate.INCLUDED
    # A file that is longer than its part of the budget is worth no more than others.
    small = ProjectionSettings(touched_share=0.01, touched_factor=50.0)
    assert projected(made, 700, settings=small).entries[1].fate != Fate.INCLUDED


def test_the_committed_order_is_the_order_shown() -> None:
    made = Made([said("a", committed=2), said("b"), said("c", committed=0), said("d", committed=1)])
    assert [one.ordinal for one in projected(made, 500).entries] == [2, 3, 0, 1]


def test_a_pair_moves_together() -> None:
    made = Made([call(1, committed=1), result(1), said("first", committed=0), said("new")])
    assert [one.ordinal for one in projected(made, 500).entries] == [2, 3, 0, 1]


def test_a_model_that_nothing_is_known_of_is_charged_what_any_would_take() -> None:
    made = Made([said("hello")])
    projection = projected(made, 100, UNKNOWN)
    assert projection.kind_of_count == "assumed"
    assert projection.entries[0].tokens >= len("hello")


def test_columns_of_different_moments_are_refused() -> None:
    made = Made([said("a"), said("b")])
    with pytest.raises(InvalidArgumentError, match="scores has 1 rows, and the window 2 items"):
        projected(made, 100, scores=[1.0])


def test_scores_that_are_no_numbers_count_as_none() -> None:
    made = Made([said("a " * 50), said("b " * 50)])
    projection = projected(made, 100, scores=[float("nan"), float("inf")])
    assert np.isfinite(projection.value)


def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="-1 tokens"):
        projected(Made([]), -1)


def test_entries_are_a_sequence_of_which_parts_can_be_taken() -> None:
    entries = projected(Made([said(f"{number}") for number in range(9)]), 1_000).entries
    assert [one.ordinal for one in entries[2:8:3]] == [2, 5]
    assert entries[-1].ordinal == 8
    with pytest.raises(IndexError):
        entries[9]


def test_a_call_whose_input_is_no_object_is_charged_as_it_is_sent() -> None:
    patch = "*** Begin Patch\n" + "+\n" * 60
    made = Made([said("Do it."), call(1, patch.encode(), name=""), result(1), said("Done.")])
    plain = Made([said("Do it."), call(1, as_object(patch).encode()), result(1), said("Done.")])
    cost, as_sent = (projected(one, 10_000).entries[1].tokens for one in (made, plain))
    assert cost >= as_sent - 2, "the names of the tools differ"
    tight = projected(made, projected(made, 10_000).used - 1)
    assert tight.used <= tight.budget
    assert "dropped" in fates(tight) or "on_demand" in fates(tight) or "summarized" in fates(tight)
