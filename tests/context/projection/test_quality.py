"""What the next turns of a real session use is kept by a projection more often than by taking the
newest items. `benches/bench_projection_quality.py` measures the same on more sessions."""

from __future__ import annotations

from pathlib import Path

import vox
from tests.context.projection.quality import sessions
from tests.context.projection.quality.cuts import cuts, read
from tests.context.projection.quality.material import Material
from tests.context.projection.quality.methods import Method, newest_until_full, projected
from tests.context.projection.quality.names import names, names_of_call
from tests.context.projection.quality.shares import Share
from vox.context.projection import ProjectionSettings

SESSION = "claude-code:8463c716-a2ea-4c14-9efa-87158ebd9f20"
"""Its file is in `tests/data/retrieval`; weights were chosen without it."""

BUDGET = 8_000


def test_names_are_paths_identifiers_ids_and_hashes() -> None:
    text = (
        "Fixed in src/app/main.rs, see README.md: TokenStore::open() calls read_many; "
        "ABC-123, 0f3c9a1b77, 5d0c1c8e-7f4e-4b63-9b1e-0c3a5a0e7a11. Nothing else, and/or so."
    )
    assert names(text) >= {
        "src/app/main.rs",
        "README.md",
        "TokenStore",
        "read_many",
        "ABC-123",
        "0f3c9a1b77",
        "5d0c1c8e-7f4e-4b63-9b1e-0c3a5a0e7a11",
    }
    assert not names(text) & {"Fixed", "Nothing", "else", "calls"}


def test_keys_of_a_call_are_no_names() -> None:
    call = '{"file_path": "a/b.py", "edits": [{"old_string": "some_name"}]}'
    assert names_of_call(call) == {"a/b.py", "some_name"}


def test_a_projection_keeps_more_of_what_the_next_turns_use_than_the_newest_items_do(
    tmp_path: Path,
) -> None:
    archive = vox.open(tmp_path / "archive")
    (tmp_path / "kept").mkdir()
    found = sessions.fill(archive, sessions.unpack(tmp_path / "kept"))
    (session,) = (session for session in found if session.key == SESSION)
    assert session.held_out
    newest, ours = Share(), Share()
    project: Method = projected(ProjectionSettings())
    for cut in cuts(read(archive, session), BUDGET, 12):
        material = Material.of(archive, cut)
        newest.add(cut, newest_until_full(material, cut, BUDGET))
        ours.add(cut, project(material, cut, BUDGET))
    assert ours.needed == newest.needed > 50
    assert ours.at_hand > newest.at_hand + 0.2
    assert ours.in_full > newest.in_full - 0.02
