"""`vox context commit`, `get`, `set`, `add`, `drop`, `pin`, `reorder`, `meter`, `route`, `fate`:
what of a window reaches a model."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

import vox
from tests.archive.test_secrets import MASK, TEXTS, TOKEN, items
from tests.cli.conftest import Run

CLOUD, LOCAL = "claude-opus-4-7", "qwen3:8b"


@pytest.fixture
def committed(run: Run, imported: str) -> str:
    """A window of which all is committed for a large model that it is bound to."""
    assert run("context", "route", imported, CLOUD).status == 0
    outcome = run("context", "commit", imported)
    assert outcome.status == 0, outcome.messages
    return imported


def places(run: Run, window: str) -> list[int]:
    """The ordinals of what is committed, in its order."""
    return [row["ordinal"] for row in run("context", "get", window, "--json").answer["entries"]]


def test_a_projection_that_is_committed_is_what_reaches_the_model(run: Run, committed: str) -> None:
    shown = run("context", "show", committed, "--json").answer["items"]
    got = run("context", "get", committed, "--json").answer
    assert got["schema"] == "vox.context.get.v1"
    assert [row["item"] for row in got["entries"]] == [row["item"] for row in shown]
    assert got["model"] == CLOUD
    sent = msgspec.json.decode(run("context", "render", committed).output)
    assert "Why does the build fail?" in str(sent["messages"][0])
    again = run("context", "commit", committed)
    assert again.text.startswith("committed, what was sent stays")


def test_what_is_not_committed_says_how_it_is(run: Run, imported: str) -> None:
    for verb in ("get", "meter", "render"):
        outcome = run("context", verb, imported)
        assert outcome.status == 3
        assert "commit" in outcome.messages


def test_items_are_taken_out_put_back_pinned_and_moved(run: Run, committed: str) -> None:
    every = places(run, committed)
    call, result = every[3:5]
    outcome = run("context", "drop", f"{committed}@{call}")
    assert outcome.text.startswith("dropped 1 item: 4 items shown, ")
    assert places(run, committed) == [one for one in every if one not in (call, result)]
    assert run("context", "add", f"{committed}@{call},{result}").status == 0
    assert places(run, committed) == every
    assert run("context", "reorder", f"{committed}@{every[2]}", "--at", "0").status == 0
    assert places(run, committed) == [every[2], *every[:2], *every[3:]]
    pinned = run("context", "pin", f"{committed}@{every[0]}", "--json").answer
    assert pinned["schema"] == "vox.context.pin.v1"
    got = run("context", "get", committed, "--json").answer
    assert [row["pinned"] for row in got["entries"]] == [False, True, False, False, False, False]
    assert got["hash"] == pinned["hash"]
    assert run("show", committed, "--json").answer["items"][0]["pinned"]


def test_items_are_put_in_as_handles_and_by_their_ids(run: Run, committed: str) -> None:
    first = run("context", "get", committed, "--json").answer["entries"][0]
    added = run("context", "add", first["item"], "--to", committed, "--fate", "on_demand", "--json")
    assert added.answer["entries"] == 6
    row = run("context", "get", committed).text.splitlines()[0].split("\t")
    assert row[3] == "on demand"
    assert row[5].startswith("[item:")


def test_a_handle_that_a_model_is_given_opens_the_item(run: Run, committed: str) -> None:
    first = run("context", "get", committed, "--json").answer["entries"][0]
    position = [int(part) for part in first["item"].split(".")]
    handle = f"item:{position[0] << 32 | position[1]}"
    assert run("cat", handle).text == "Why does the build fail?"
    assert run("context", "drop", handle, "--to", committed).status == 0
    assert run("cat", f"item:{10**19 * 9}").status == 2
    assert run("cat", f"item:{10**17}").status == 3


def test_what_cannot_be_named_or_placed_is_an_error(run: Run, committed: str) -> None:
    before = run("context", "get", committed, "--document").output
    for arguments, status in (
        (("add", committed), 2),
        (("add", "0.1"), 2),
        (("drop", f"{committed}@999"), 3),
        (("drop", f"{committed}@0"), 2),
        (("reorder", f"{committed}@1", "--at", "99"), 2),
        (("add", f"{committed}@1", "--at", "99"), 2),
        (("pin",), 2),
        (("fate", "dropped", committed), 2),
        (("fate", "dropped", f"{committed}@999"), 2),
        (("route", committed, "no-such-model"), 3),
        (("route", committed, CLOUD, "--unset"), 2),
    ):
        outcome = run("context", *arguments)
        assert outcome.status == status, (arguments, outcome.messages)
        assert "Traceback" not in outcome.messages
    assert run("context", "get", committed, "--document").output == before


def test_a_document_comes_out_and_goes_in_as_it_is(
    run: Run, committed: str, tmp_path: Path
) -> None:
    file = tmp_path / "set.json"
    file.write_bytes(run("context", "get", committed, "--document").output)
    before = run("context", "get", committed, "--json").answer["hash"]
    document: dict[str, Any] = msgspec.json.decode(file.read_bytes())
    document["entries"] = [{"item": document["entries"][0]["item"]}]
    small = tmp_path / "small.json"
    small.write_bytes(msgspec.json.encode(document))
    outcome = run("context", "set", committed, small, "--over", before[:12], "--json").answer
    assert (outcome["schema"], outcome["entries"]) == ("vox.context.set.v1", 1)
    assert len(places(run, committed)) == 1
    refused = run("context", "set", committed, file, "--over", before)
    assert refused.status == run("context", "set", committed, file, "--over", "").status != 0
    assert before in refused.messages
    assert run("context", "set", committed, file).status == 0
    assert len(places(run, committed)) == 6


@pytest.mark.parametrize("text", [b"", b"\xff{", b"[]", b'{"schema": "other"}', b"[" * 9999])
def test_what_is_no_document_is_refused(
    run: Run, committed: str, tmp_path: Path, text: bytes
) -> None:
    file = tmp_path / "set.json"
    file.write_bytes(text)
    outcome = run("context", "set", committed, file, "--json")
    assert (outcome.status, outcome.answer["code"]) == (2, "invalid_argument")
    assert len(places(run, committed)) == 6


def test_a_document_of_a_window_that_changed_is_a_conflict(
    run: Run, home: Path, tmp_path: Path
) -> None:
    with vox.open(home / "archive") as archive:
        archive.append("w", items("hello"))
        window = archive.window("w").id
        run("context", "commit", window, "--model", LOCAL)
        file = tmp_path / "set.json"
        file.write_bytes(run("context", "get", window, "--document").output)
        archive.append("w", items("more"))
    outcome = run("context", "set", window, file, "--json")
    assert outcome.answer["code"] == "conflict"


def test_the_meter_says_whose_each_token_is(run: Run, committed: str, tmp_path: Path) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Be brief.")
    found = run("context", "meter", committed, "--system", prompt, "--json").answer
    assert found["schema"] == "vox.context.meter.v1"
    assert found["window"] == committed
    sent = {name: tokens for name, tokens in found["tokens"].items() if name != "reserve"}
    assert sum(sent.values()) + found["framing"] == found["used"]
    assert found["tokens"]["system"] > 0
    rows = [line.split("\t") for line in run("context", "meter", committed).text.splitlines()]
    assert [row[0] for row in rows[:7]] == [
        "system",
        "tools",
        "conversation",
        "tool results",
        "reserve",
        "framing",
        "free",
    ]
    prompt.write_bytes(b"\xff")
    assert run("context", "meter", committed, "--system", prompt).status == 2


def test_a_set_that_is_too_large_for_another_model_is_said_and_not_rendered(
    run: Run, committed: str
) -> None:
    bound = run("context", "route", committed, LOCAL)
    assert bound.status == 0
    assert bound.text.splitlines()[0] == f"{committed}: {LOCAL}"
    assert "over budget" in bound.messages
    assert run("context", "render", committed).status == 32
    assert run("context", "meter", committed, "--json").answer["over"] > 0
    assert run("context", "commit", committed).text.startswith(
        "committed, planned anew for another model"
    )
    assert run("context", "render", committed).status == 0
    back = run("context", "route", committed, "--unset", "--json").answer
    assert (back["model"], back["changed"]) == ("claude-x", True)
    assert run("context", "route", committed, "--json").answer["changed"] is None


def test_fates_that_are_set_by_hand_stay_until_they_are_taken_back(run: Run, imported: str) -> None:
    def reasons() -> list[str]:
        shown = run("context", "show", imported, "--model", CLOUD, "--json").answer["items"]
        return [row["reason"] for row in shown]

    before = reasons()
    first = run("show", imported, "--json").answer["items"][0]["ordinal"]
    assert run("context", "fate", "dropped", f"{imported}@{first}").text == "1 item changed\n"
    assert reasons()[0] == "set by hand"
    assert run("context", "fate", "free", f"{imported}@{first}", "--json").answer["changed"] == 1
    assert reasons() == before


def test_committed_secrets_are_masked_but_where_bytes_are_asked_for(run: Run, home: Path) -> None:
    with vox.open(home / "archive") as archive:
        archive.append("w", items(*TEXTS))
        window = archive.window("w").id
    assert run("context", "commit", window, "--model", CLOUD).status == 0
    for how in ((), ("--json",)):
        masked = run("context", "get", window, *how).text
        assert MASK in masked
        assert TOKEN not in masked
        assert TOKEN in run("context", "get", window, *how, "--reveal").text
    assert TOKEN in run("context", "render", window, "--model", CLOUD).text


@pytest.mark.parametrize("verb", ["get", "meter"])
def test_what_is_committed_is_shown_in_a_narrow_terminal(
    run_in_terminal: Run, committed: str, verb: str
) -> None:
    said = run_in_terminal("context", verb, committed, columns=60)
    assert said.status == 0
    assert "\u202e" not in said.text
    assert "\x1b]" not in said.text
    assert verb == "get" or re.search(r"reserve .* 12\.8 %", said.text)
