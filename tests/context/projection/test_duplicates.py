"""Which copy of a content is shown."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.context.projection.windows import Made, said
from vox.context.projection.duplicates import canonical_of

rows = st.tuples(st.sampled_from("abc"), st.booleans(), st.booleans(), st.booleans())


@given(st.lists(rows, max_size=20))
def test_forced_before_sent_before_new(given_rows: list[tuple[str, bool, bool, bool]]) -> None:
    made = Made([said(text) for text, *_ in given_rows])
    forced = np.array([row[1] for row in given_rows], dtype=bool)
    sent = np.array([row[2] for row in given_rows], dtype=bool)
    chosen = [place for place, row in enumerate(given_rows) if not row[3]]
    expected = []
    for place in chosen:
        copies = [other for other in chosen if given_rows[other][0] == given_rows[place][0]]
        by_hand = [other for other in copies if forced[other]]
        earlier = [other for other in copies if sent[other]]
        expected.append(max(by_hand) if by_hand else min(earlier) if earlier else max(copies))
    found = canonical_of(made.outline, np.array(chosen, dtype=np.int64), forced, sent)
    assert found.tolist() == expected
