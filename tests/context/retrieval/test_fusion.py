"""Several rankings become one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.context.retrieval.candidates import NOW, candidate
from vox.context.retrieval.fusion import (
    fuse,
    most_covered,
    prior,
    weight_of_meaning,
    weight_of_names,
)
from vox.context.retrieval.lanes import Candidate, Found
from vox.context.retrieval.names import share_of_names
from vox.context.retrieval.settings import RetrievalSettings

PLAIN = RetrievalSettings(lane_weights={}, kind_priors={}, role_priors={}, recency=0.0)
DAY = 86_400_000


def items(found: dict[str, Found], settings: RetrievalSettings = PLAIN) -> list[int]:
    return [one.candidate.item for one in fuse(found, set(), settings, NOW)]


def test_what_two_lanes_find_goes_before_what_one_finds() -> None:
    words = Found([candidate(1), candidate(2)])
    files = Found([candidate(3), candidate(2)])
    assert items({"words": words, "files": files})[0] == 2


def test_copies_of_a_content_are_one_with_the_best_rank_of_each_lane() -> None:
    words = Found([candidate(1, "same"), candidate(2, "same"), candidate(3)])
    files = Found([candidate(2, "same")])
    (first, second) = fuse({"words": words, "files": files}, set(), PLAIN, NOW)
    assert (first.candidate.item, first.ranks) == (1, {"words": 1, "files": 1})
    assert (second.candidate.item, second.ranks) == (3, {"words": 2})


def test_meaning_counts_as_far_as_words_found_nothing() -> None:
    def weight(covered: float | None) -> float:
        covers = most_covered({"words": Found([], covered)})
        return weight_of_meaning(covers, RetrievalSettings())

    assert weight(None) == weight(0.0) == weight(0.5) == 1.0
    assert 0.3 < weight(0.65) < 0.7
    assert weight(0.8) == weight(1.0) == 0.0
    edge = RetrievalSettings(covered_from=0.7, covered_to=0.7)
    assert weight_of_meaning(0.6, edge) == 1.0
    assert weight_of_meaning(0.7, edge) == 0.0


def test_lanes_of_meaning_are_silent_where_all_words_were_found() -> None:
    words = Found([candidate(1)], covered=1.0)
    meaning = Found([candidate(2)])
    fused = fuse({"words": words, "meaning": meaning}, {"meaning"}, PLAIN, NOW)
    assert [one.candidate.item for one in fused] == [1]


def test_names_count_fully_unless_the_question_stands_somewhere_as_a_sentence() -> None:
    settings = RetrievalSettings()
    sentence = share_of_names("look at this project and explain hello.py")
    assert 0 < sentence < settings.named_from
    assert weight_of_names(sentence, 1.0, settings) == 0.0
    assert weight_of_names(sentence, 0.3, settings) == 1.0
    for name in ("src/agents/core.ts", "foo_bar", "getName", "post-tool-capture.sh"):
        assert weight_of_names(share_of_names(name), 1.0, settings) == 1.0
    assert share_of_names("") == share_of_names("it doesn't work.") == 0.0


def test_half_of_what_recency_adds_is_left_after_its_half_life() -> None:
    settings = RetrievalSettings(recency=0.5, half_life_days=10, kind_priors={}, role_priors={})
    assert prior(candidate(1, at=NOW), settings, NOW) == 1.5
    assert prior(candidate(1, at=NOW - 10 * DAY), settings, NOW) == 1.25
    assert prior(candidate(1, at=NOW + DAY), settings, NOW) == 1.5
    assert prior(candidate(1, at=0), settings, NOW) < 1.0001


def test_roles_and_kinds_have_factors() -> None:
    settings = RetrievalSettings(
        recency=0.0, kind_priors={"tool_result": 0.5}, role_priors={"tool": 0.5}
    )
    assert prior(candidate(1, role="tool", kind="tool_result"), settings, NOW) == 0.25
    assert prior(candidate(1), settings, NOW) == 1.0


rankings = st.dictionaries(
    st.sampled_from(["text", "structural", "semantic"]),
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abcdef")), max_size=12).map(
        lambda pairs: Found([candidate(item, text) for item, text in pairs])
    ),
)


def slow(found: dict[str, Found], settings: RetrievalSettings) -> dict[str, float]:
    """The scores as the method is written down, content by content."""
    contents = {one.content for lane in found.values() for one in lane.candidates}

    def rank(lane: Found, content: str) -> int | None:
        order = list(dict.fromkeys(one.content for one in lane.candidates))
        return order.index(content) + 1 if content in order else None

    return {
        content: sum(
            settings.lane_weights.get(name, 1.0) / (settings.rank_offset + place)
            for name, lane in found.items()
            if (place := rank(lane, content)) is not None
        )
        for content in contents
    }


@given(rankings)
def test_the_score_is_that_of_reciprocal_rank_fusion(found: dict[str, Found]) -> None:
    settings = RetrievalSettings(kind_priors={}, role_priors={}, recency=0.0)
    fused = fuse(found, set(), settings, NOW)
    expected = slow(found, settings)
    assert {one.candidate.content for one in fused} == set(expected)
    for one in fused:
        assert abs(one.score - expected[one.candidate.content]) < 1e-12
    order = [(-one.score, -one.candidate.at, one.candidate.item) for one in fused]
    assert order == sorted(order)


def test_equals_are_in_order_of_time_and_then_of_number() -> None:
    older, newer, twin = candidate(1, at=NOW - 5), candidate(5, at=NOW), candidate(4, at=NOW)

    def lane(one: Candidate) -> Found:
        return Found([one])

    assert items({"a": lane(older), "b": lane(newer), "c": lane(twin)}) == [4, 5, 1]
