"""What projections weigh by is checked where it is given."""

from __future__ import annotations

import pytest

from vox.context.projection import Fate, ProjectionSettings
from vox.errors import InvalidArgumentError
from vox.sources.base import ItemKind


def test_weights_are_finite_and_not_negative() -> None:
    for broken in (float("nan"), float("inf"), -1.0):
        with pytest.raises(InvalidArgumentError, match="finite"):
            ProjectionSettings(recency=broken)
        with pytest.raises(InvalidArgumentError, match="finite"):
            ProjectionSettings(fidelity={Fate.INCLUDED: broken})
        with pytest.raises(InvalidArgumentError, match="finite"):
            ProjectionSettings(kind_weights={ItemKind.MESSAGE: broken})


def test_a_shorter_form_has_room_for_the_shortest() -> None:
    with pytest.raises(InvalidArgumentError, match="form_least is 3; 24 is the least"):
        ProjectionSettings(form_least=3)
    with pytest.raises(InvalidArgumentError, match="form_from is 30; 40 is the least"):
        ProjectionSettings(form_least=40, form_from=30)


def test_shares_are_shares() -> None:
    with pytest.raises(InvalidArgumentError, match=r"form_head is 1\.5"):
        ProjectionSettings(form_head=1.5)
