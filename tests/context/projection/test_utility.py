"""What items are worth."""

from __future__ import annotations

import numpy as np

from tests.context.projection.windows import Made, One, said
from vox.context.projection import ProjectionSettings
from vox.context.projection.material import Floats
from vox.context.projection.utility import utility_of
from vox.sources.base import ItemKind

TOKENS = 100


def worth(*ones: One, settings: ProjectionSettings | None = None) -> Floats:
    made = Made(ones)
    tokens = np.full(len(ones), TOKENS)
    settings = settings or ProjectionSettings()
    return utility_of(made.outline, tokens, made.related, None, settings)


def test_of_equal_items_a_newer_one_is_worth_more() -> None:
    values = worth(*(said("text") for _ in range(20)))
    assert (np.diff(values) > 0).all()


def test_an_item_whose_names_were_used_again_lately_is_worth_more_than_its_neighbours() -> None:
    ones = [said("text") for _ in range(40)]
    ones[5] = said("text", mentions=1, last_use=39)
    values = worth(*ones)
    assert values[5] > values[4]
    assert values[5] > values[6]


def test_the_later_an_items_names_were_used_the_more_it_is_worth() -> None:
    def used_by(item: int) -> float:
        ones = [said("text", mentions=1, last_use=item), *(said("text") for _ in range(40))]
        return float(worth(*ones)[0])

    assert used_by(5) < used_by(20) < used_by(40)


def test_a_steeper_fall_leaves_less_to_what_is_older() -> None:
    def oldest(exponent: float) -> float:
        settings = ProjectionSettings(recency_exponent=exponent)
        values = worth(*(said("text") for _ in range(60)), settings=settings)
        return float(values[0] / values[-1])

    assert oldest(2.0) < oldest(1.0) < oldest(0.5)


def test_items_that_a_later_summary_stands_for_are_worth_less() -> None:
    plain = worth(said("a"), said("b"), said("c"))
    covered = worth(said("a"), One(b"b", ItemKind.SUMMARY), said("c"))
    assert covered[0] < plain[0]
    assert covered[2] == plain[2]


def test_an_item_whose_names_are_used_often_is_worth_more_but_less_than_much_newer_ones() -> None:
    ones = [said("text") for _ in range(60)]
    ones[5] = said("text", mentions=8)
    values = worth(*ones)
    assert values[4] < values[5]
    assert values[5] < values[40]
