"""Committed sets of an archive's windows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import vox
from tests import corpus
from tests.context.committed.valid import faults_of
from vox.archive.append import NewItem
from vox.context.budget import Claimant
from vox.context.committed import edit
from vox.errors import (
    ConflictError,
    InvalidArgumentError,
    NotFoundError,
    OverBudgetError,
    PurgedError,
)
from vox.models import ModelProfile
from vox.sources.base import ItemKind, Role, WindowDraft
from vox.tokens.request import Text

MODEL = ModelProfile("gpt-4o", 128_000, max_output_tokens=16_000, sees_images=True)
SMALL = ModelProfile("gpt-4o", 8_192, max_output_tokens=1_024)


def message(text: str | bytes, role: Role = Role.USER, **more: object) -> NewItem:
    return NewItem(role=role, kind=ItemKind.MESSAGE, content=text, **more)  # type: ignore[arg-type]


def tool(kind: ItemKind, text: str) -> NewItem:
    role = Role.ASSISTANT if kind == ItemKind.TOOL_CALL else Role.TOOL
    return NewItem(role=role, kind=kind, content=text, name="Bash")


WINDOW = [
    message("Please fix it."),
    tool(ItemKind.TOOL_CALL, '{"command": "make"}'),
    tool(ItemKind.TOOL_RESULT, "it is broken\n" * 50),
    message("It was the cache.", Role.ASSISTANT),
    message("Thank you."),
]


@pytest.fixture
def window(archive: vox.Archive) -> str:
    archive.append("w", WINDOW)
    return archive.window("w").id


def numbers(archive: vox.Archive, window: str) -> list[int]:
    return archive.window(window).items(count=100).column("item")


def document_of(archive: vox.Archive, window: str, *items: object, **more: object) -> str:
    draft = archive.context_draft(window)
    entries = [item if isinstance(item, dict) else {"item": item} for item in items]
    row = {"schema": "vox.context.v1", "window": draft.window, "chain": draft.chain}
    return json.dumps({**row, "entries": entries, **more})


def test_a_projection_that_is_committed_is_what_is_rendered(archive: vox.Archive, window: str):
    assert archive.context_get(window) is None
    projection = archive.project(window, MODEL)
    committed = archive.commit(projection)
    assert archive.context_get(window) == committed
    assert committed.sent is not None
    rendered = archive.render(window, MODEL)
    assert [message.role for message in rendered.messages] == (
        ["user", "assistant", "tool", "assistant", "user"]
    )
    assert rendered.meter.set_tokens <= projection.used
    assert rendered.payload == archive.render(window, MODEL).payload


def test_the_set_is_where_the_next_projection_begins(archive: vox.Archive, window: str):
    committed = archive.commit(archive.project(window, MODEL))
    archive.append("w", [message("And now?")])
    after = archive.project(window, MODEL, previous=committed.sent)
    assert (after.state, after.frozen) == ("frozen", 5)


def test_real_windows_are_rendered_in_valid_order_at_any_budget(
    archive: vox.Archive, transcripts: Path
):
    for name, folder in corpus.TOOLS.items():
        archive.ingest([name], root=transcripts / folder)
    rows = archive.windows(count=1_000).to_pylist()
    seen = 0
    for row in sorted(rows, key=lambda row: -row["items"])[:40]:
        for model in (MODEL, SMALL):
            committed = archive.commit(archive.project(row["id"], model))
            rendered = archive.render(row["id"], model)
            assert faults_of(rendered.messages) == []
            assert rendered.meter.over == 0
            assert len(rendered.stubs) == len(committed.left_out)
            for run in rendered.stubs:
                assert json.dumps(run.text, ensure_ascii=False).encode() in rendered.payload
            seen += len(committed)
    assert seen > 500


def test_a_document_names_items_and_all_else_is_found(archive: vox.Archive, window: str):
    _, call, result, _, last = numbers(archive, window)
    committed = archive.context_set(window, document_of(archive, window, last, call, result))
    rows = json.loads(committed.document)["entries"]
    assert [(row["item"], row["ordinal"], row.get("pair")) for row in rows] == [
        (last, 4, None),
        (call, 1, rows[1]["pair"]),
        (result, 2, rows[1]["pair"]),
    ]
    contents = [bytes(archive.read(item)) for item in (last, call, result)]
    assert [row["hash"] for row in rows] == [vox.hash_many([content]).hex() for content in contents]
    assert [(run.before, run.first, run.last, run.items) for run in committed.left_out] == [
        (0, 0, 0, 1),
        (3, 3, 3, 1),
    ]
    assert archive.context_set(window, committed.document) == committed
    again = archive.context_get(window)
    assert again == committed
    assert f"window:{window[:8]}/0-0" in committed.left_out[0].text


def test_items_on_demand_are_shown_as_the_lines_that_name_them(archive: vox.Archive, window: str):
    first, call, result, *_ = numbers(archive, window)
    on_demand = [{"item": item, "fate": "on_demand"} for item in (first, call, result)]
    archive.context_set(window, document_of(archive, window, *on_demand))
    said, asked, answered, _ = archive.render(window, MODEL).messages
    assert said.parts == (Text(f"[item:{first}] user message, 14 bytes"),)
    assert json.loads(asked.parts[0].arguments) == {
        "on_demand": f"[item:{call}] tool call Bash, 19 bytes"
    }
    assert answered.parts[0].content == (Text(f"[item:{result}] tool result Bash, 650 bytes"),)


def test_a_set_is_changed_by_hand_over_the_one_that_was_seen(archive: vox.Archive, window: str):
    items = numbers(archive, window)
    before = archive.commit(archive.project(window, MODEL))
    draft = edit.drop(archive.context_draft(window), [items[2]])
    draft = edit.pin(edit.reorder(draft, [items[4]], 0), [items[4]])
    after = archive.context_set(window, draft, over=before)
    assert [entry.item for entry in after.entries] == [items[4], items[0], items[3]]
    assert archive.window(window).items(count=9).column("pinned") == [False] * 4 + [True]
    with pytest.raises(ConflictError, match="another set was committed"):
        archive.context_set(window, draft, over=before)
    back = edit.add(archive.context_draft(window), archive.context_entries(window, items[1:3]))
    whole = archive.context_set(window, back, over=after)
    assert [entry.item for entry in whole.entries] == [items[4], items[0], *items[1:4]]
    assert whole.left_out == ()


def test_a_window_that_moved_is_a_conflict(archive: vox.Archive, window: str):
    projection = archive.project(window, MODEL)
    document = document_of(archive, window, numbers(archive, window)[0])
    archive.append("w", [message("One more.")])
    with pytest.raises(ConflictError, match="have changed"):
        archive.commit(projection)
    with pytest.raises(ConflictError, match="have changed"):
        archive.context_set(window, document)
    assert archive.context_get(window) is None


def test_items_of_windows_of_the_same_root_may_be_in_it_and_no_others(
    archive: vox.Archive, window: str
):
    archive.append(WindowDraft(key="c", kind="agent", parent="w", link="spawned_by"), WINDOW[3:])
    archive.append("other", [message("Elsewhere.")])
    child, parents = archive.window("c").id, numbers(archive, window)
    committed = archive.context_set(child, document_of(archive, child, parents[1], parents[2]))
    assert {entry.window for entry in committed.entries} == {window}
    assert committed.entries[0].pair is not None
    assert committed.left_out[0].items == 2
    assert [message.role for message in archive.render(child, MODEL).messages] == (
        ["user", "assistant", "tool"]
    )
    foreign = numbers(archive, "other")[0]
    with pytest.raises(InvalidArgumentError, match="another of its root"):
        archive.context_set(child, document_of(archive, child, foreign))
    wrong = {"item": foreign, "window": archive.window("other").id}
    with pytest.raises(InvalidArgumentError, match="same root"):
        archive.context_set(child, document_of(archive, child, wrong))
    short = {"item": parents[0], "fate": "summarized", "form": "fix", "window": window}
    with pytest.raises(InvalidArgumentError, match="no shorter form"):
        archive.context_set(child, document_of(archive, child, short))


@pytest.mark.parametrize(
    ("entry", "match"),
    [
        ({"item": 1 << 40}, "doesn't stand"),
        ({"ordinal": 3}, "doesn't stand at 3"),
        ({"hash": "0" * 64}, "has the content hash"),
        ({"hash": "0"}, "no content hash"),
        ({"fate": "forgotten"}, "no fate 'forgotten'"),
        ({"fate": "dropped"}, "leave it out"),
        ({"fate": "summarized"}, "no form"),
        ({"form": "x"}, "a form and is included"),
        ({"form": "\ud800", "fate": "summarized"}, "no document|can't hold"),
        ({"window": "../../x"}, "same root"),
    ],
)
def test_entries_that_can_not_be_are_refused(archive, window, entry, match):
    item = {"item": numbers(archive, window)[0], **entry}
    with pytest.raises(InvalidArgumentError, match=match):
        archive.context_set(window, document_of(archive, window, item))
    assert archive.context_get(window) is None


def test_a_set_of_another_window_is_refused(archive: vox.Archive, window: str):
    archive.append("other", WINDOW)
    document = document_of(archive, "other", numbers(archive, "other")[0])
    with pytest.raises(InvalidArgumentError, match="is a set of window"):
        archive.context_set(window, document)


def test_more_than_there_is_room_for_is_kept_and_flagged_and_not_rendered(
    archive: vox.Archive, window: str
):
    archive.append("w", [message("many words " * 9_000)])
    archive.context_set(window, document_of(archive, window, *numbers(archive, window)))
    meter = archive.meter(window, SMALL)
    assert meter.over > 10_000
    with pytest.raises(OverBudgetError, match=str(meter.over)):
        archive.render(window, SMALL)
    assert archive.render(window, MODEL).meter.over == 0


def test_a_route_decides_what_a_set_is_measured_for(archive: vox.Archive, window: str):
    archive.context_set(window, document_of(archive, window, *numbers(archive, window)))
    with pytest.raises(InvalidArgumentError, match="bound to no model"):
        archive.meter(window)
    assert archive.route(window, "gpt-4o")
    first = archive.meter(window)
    assert archive.route(window, "claude-sonnet-4-5")
    second = archive.meter(window)
    assert (first.model, second.model) == ("gpt-4o", "claude-sonnet-4-5")
    assert second.tokens[Claimant.TOOL_RESULTS] != first.tokens[Claimant.TOOL_RESULTS]
    archive.route(window, "no-such-model-anywhere")
    with pytest.raises(NotFoundError):
        archive.meter(window)


def test_nothing_committed_is_nothing_to_render(archive: vox.Archive, window: str):
    with pytest.raises(NotFoundError, match="commit a projection"):
        archive.render(window, MODEL)
    archive.context_set(window, document_of(archive, window))
    assert [m.role for m in archive.render(window, MODEL).messages] == ["user"]
    archive.append(WindowDraft(key="empty"), [])
    archive.context_set("empty", document_of(archive, "empty"))
    assert archive.render("empty", MODEL).messages == ()


def test_what_is_set_by_hand_is_kept(archive: vox.Archive, window: str):
    assert archive.set_fate(window, [3, 4], "dropped") == 2
    assert {int(one.ordinal) for one in archive.project(window, MODEL).shown} == {0, 1, 2}
    assert archive.set_fate(window, [3], None) == 1
    assert 3 in {one.ordinal for one in archive.project(window, MODEL).shown}
    with pytest.raises(InvalidArgumentError):
        archive.set_fate(window, [0], "gone")


def test_side_and_redacted_items_and_records_are_as_they_are(archive: vox.Archive):
    record = NewItem(role=Role.SYSTEM, kind=ItemKind.RECORD, content="{}", side=True)
    ones = [message("masked [secret:x]", redacted=True), message("aside", side=True), record]
    archive.append("w", ones)
    items = archive.window("w").items(count=9, records=True).column("item")
    archive.commit(archive.project("w", MODEL))
    assert archive.render("w", MODEL).messages[0].parts == (Text("masked [secret:x]"),)
    # Nothing that stands beside the conversation is left out of it.
    assert archive.context_set("w", document_of(archive, "w", items[0])).left_out == ()
    # Who names it has it.
    archive.context_set("w", document_of(archive, "w", items[1]))
    assert archive.render("w", MODEL).messages[0].parts[-1] != Text("masked [secret:x]")


def test_what_is_purged_reaches_no_model(archive: vox.Archive, window: str):
    archive.commit(archive.project(window, MODEL))
    archive.window(window).trim([0])
    archive.purge([window], trimmed=True, now=True, dry_run=False)
    # The set that repeated it went with it.
    assert archive.context_get(window) is None
    committed = archive.commit(archive.project(window, MODEL))
    assert [entry.ordinal for entry in committed.entries] == [1, 2, 3, 4]
    assert b"Please" not in archive.render(window, MODEL).payload
    gone = archive._native.item_at(archive.window(window).number, 0)
    with pytest.raises(PurgedError, match="leave it out"):
        archive.context_set(window, document_of(archive, window, gone))
    with pytest.raises(PurgedError):
        archive.read(gone)


def test_a_parent_that_is_purged_leaves_nothing_in_the_sets_of_its_children(
    archive: vox.Archive, window: str
):
    archive.append(WindowDraft(key="c", kind="agent", parent="w", link="spawned_by"), WINDOW[4:])
    first = numbers(archive, window)[0]
    own = numbers(archive, "c")[0]
    archive.context_set("c", document_of(archive, "c", first, own))
    archive.delete([window])
    archive.purge([window], deleted=True, now=True, dry_run=False)
    (message,) = archive.render("c", MODEL).messages
    assert message.parts == (Text(f"[item:{first} was purged]"), Text("Thank you."))
    document = archive.context_get("c").document
    assert b"Please" not in document
    with pytest.raises(PurgedError):
        archive.context_set("c", document)
