"""Tasks are handed to sub-agents by reference, within a share of their windows."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

import vox
from tests.archive.test_committed_sets import MODEL, WINDOW, message, numbers
from tests.context.committed.valid import faults_of
from vox.archive.append import NewItem
from vox.context.handoff import Envelope, HandoffSettings, PullBudget
from vox.errors import ConflictError, InvalidArgumentError, NotFoundError, OverBudgetError
from vox.models import ModelProfile
from vox.sources.base import ItemKind, Role

CHILD = ModelProfile("gpt-4o", 6_000, max_output_tokens=2_000)
SUMMARY = NewItem(role=Role.USER, kind=ItemKind.SUMMARY, content="So far the cache was found.")
PULLS = PullBudget(per_turn=2, tokens=400)


@pytest.fixture
def parent(archive: vox.Archive) -> str:
    archive.append("w", [*WINDOW, SUMMARY, message("long " * 4_500)])
    window = archive.window("w")
    window.pin_items([0, 6])
    return window.id


def test_a_seed_is_pins_summary_and_brief_within_its_share(archive: vox.Archive, parent: str):
    envelope = archive.hand_off(parent, "Look at the cache.", CHILD)
    items = numbers(archive, parent)
    assert [(one.item, one.fate) for one in envelope.seed] == [
        (items[5], "included"),
        (items[0], "included"),
        (items[6], "on_demand"),
    ]
    assert envelope.seed_tokens <= envelope.seed_budget == 1_000
    child = archive.window(envelope.child_window_id)
    assert (child.info["kind"], child.info["link"]) == ("agent", "spawned_by")
    assert child.info["parent"] == envelope.parent_window_id == parent
    assert envelope.grant.root_window_id == parent
    rendered = archive.render(child, CHILD)
    assert faults_of(rendered.messages) == []
    assert rendered.meter.set_tokens <= envelope.seed_tokens
    assert rendered.meter.free >= 3_000
    assert [part.text[:12] for part in rendered.messages[0].parts] == [
        "So far the c",
        "Please fix i",
        f"[item:{items[6]}] user"[:12],
        "Look at the ",
    ]


def test_an_envelope_is_ids_and_hashes_and_is_read_from_a_message(
    archive: vox.Archive, parent: str
):
    envelope = archive.hand_off(parent, "Look at the cache.", CHILD)
    data = envelope.to_json()
    assert b"cache" not in data
    message = json.dumps({**json.loads(data), "task": {"more": 1}})
    assert Envelope.of_json(message) == envelope
    assert envelope.brief == vox.hash_many([b"Look at the cache."]).hex()
    contents = [bytes(archive.read(one.item)) for one in envelope.seed]
    assert [one.hash for one in envelope.seed] == [vox.hash_many([c]).hex() for c in contents]


@pytest.mark.parametrize(
    "message", [b"", b"\xff", b"{}", b'{"context":{"schema":"v9"}}', b"[" * 100_000]
)
def test_what_holds_no_envelope_is_refused(message: bytes):
    with pytest.raises(InvalidArgumentError):
        Envelope.of_json(message)


def test_a_seed_stays_as_it_was_though_the_parent_goes_on(archive: vox.Archive, parent: str):
    envelope = archive.hand_off(parent, "Look at the cache.", CHILD)
    before = archive.render(envelope.child_window_id, CHILD).payload
    archive.append("w", [message("All is different now."), SUMMARY])
    archive.window("w").unpin_items([0])
    archive.window("w").trim([0, 5])
    assert archive.render(envelope.child_window_id, CHILD).payload == before


def test_a_model_without_tools_is_given_what_there_is_room_for(archive: vox.Archive, parent: str):
    archive.window("w").unpin_items([6])
    child = replace(CHILD, tool_capable=False)
    envelope = archive.hand_off(parent, "Look at the cache.", child)
    assert {one.fate for one in envelope.seed} == {"included"}
    assert len(envelope.seed) == 6
    assert envelope.pulls.per_turn == 0
    rendered = archive.render(envelope.child_window_id, child)
    assert faults_of(rendered.messages) == []
    assert rendered.meter.set_tokens <= envelope.seed_budget


def test_what_is_pulled_is_in_the_set_from_then_on(archive: vox.Archive, parent: str):
    envelope = archive.hand_off(parent, "Look at the cache.", CHILD)
    result = numbers(archive, parent)[2]
    content = vox.hash_many([archive.read(result)]).hex()
    budget = PullBudget(per_turn=envelope.pulls.per_turn, tokens=envelope.pulls.tokens)
    committed, left = archive.pull(envelope, content, budget, CHILD)
    assert committed.entries[-1].item == result
    assert left.this_turn == 1
    assert 0 < left.used < budget.tokens
    assert b"it is broken" in archive.render(envelope.child_window_id, CHILD).payload
    assert archive.context_get(envelope.child_window_id) == committed


def test_pulls_end_at_the_root(archive: vox.Archive, parent: str):
    envelope = archive.hand_off(parent, "Look at the cache.", CHILD)
    archive.append("other", [message("a secret of another")])
    foreign = numbers(archive, "other")[0]
    for what in (foreign, vox.hash_many([b"a secret of another"]).hex(), "zz", -1, 1 << 70):
        with pytest.raises(InvalidArgumentError):
            archive.pull(envelope, what, PULLS, CHILD)
    grant = replace_grant(envelope, archive.window("other").id)
    with pytest.raises(InvalidArgumentError, match="grants items below"):
        archive.pull(grant, numbers(archive, parent)[1], PULLS, CHILD)


def replace_grant(envelope: Envelope, root: str) -> Envelope:
    section = json.loads(envelope.to_json())
    section["context"]["grant"]["root_window_id"] = root
    return Envelope.of_json(json.dumps(section))


def test_pulls_are_held_to_their_budget_and_to_the_window(archive: vox.Archive, parent: str):
    envelope = archive.hand_off(parent, "Look at the cache.", CHILD)
    items = numbers(archive, parent)
    with pytest.raises(OverBudgetError, match="of the 400 for all pulls"):
        archive.pull(envelope, items[6], PULLS, CHILD)
    with pytest.raises(OverBudgetError, match="has room for"):
        archive.pull(envelope, items[6], replace(PULLS, tokens=99_999), CHILD)
    _, left = archive.pull(envelope, items[3], PULLS, CHILD)
    _, left = archive.pull(envelope, items[4], left, CHILD)
    with pytest.raises(OverBudgetError, match="answer first"):
        archive.pull(envelope, items[1], left, CHILD)
    archive.pull(envelope, items[1], left.next_turn(), CHILD)


def test_a_brief_that_is_too_long_or_empty_makes_no_window(archive: vox.Archive, parent: str):
    for brief, error in (("much " * 5_000, OverBudgetError), (" ", InvalidArgumentError)):
        with pytest.raises(error):
            archive.hand_off(parent, brief, CHILD)
    archive.hand_off(parent, "Go.", MODEL, key="mine")
    with pytest.raises(ConflictError, match="'mine'"):
        archive.hand_off(parent, "Go.", MODEL, key="mine")
    with pytest.raises(NotFoundError):
        archive.hand_off("nothing", "Go.", MODEL)
    assert archive.count_windows() == 2


def test_shares_leave_headroom():
    for wrong in (
        {"seed_share": 0.0},
        {"seed_share": 0.6, "pull_share": 0.4},
        {"pull_share": float("nan")},
        {"pulls_per_turn": -1},
    ):
        with pytest.raises(InvalidArgumentError):
            HandoffSettings(**wrong)
