"""What looks like a secret is shown only where it is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

import vox
from tests.archive.test_secrets import MASK, TEXTS, TOKEN, items
from tests.cli.conftest import Run
from vox.sources.base import WindowDraft


@pytest.fixture
def window(home: Path) -> str:
    """The id of a window that holds a token."""
    with vox.open(home / "archive") as archive:
        archive.append("w", items(*TEXTS))
        return archive.window("w").id


@pytest.mark.parametrize("how", [(), ("--json",), ("--jsonl",)])
def test_lists_mask_unless_they_are_to_reveal(run: Run, window: str, how: tuple[str, ...]) -> None:
    for command in (("show", window), ("search", "--all", "please")):
        masked = run(*command, *how).text
        assert MASK in masked
        assert TOKEN not in masked
        assert TOKEN in run(*command, *how, "--reveal").text


@pytest.mark.parametrize("how", [(), ("--json",), ("--jsonl",)])
@pytest.mark.parametrize("titled", [True, False])
def test_names_of_windows_are_masked_unless_they_are_to_be_revealed(
    run: Run, home: Path, how: tuple[str, ...], titled: bool
) -> None:
    text = "hello" if titled else f"rotate {TOKEN}"
    with vox.open(home / "archive") as archive:
        title = f"rotate {TOKEN}" if titled else None
        archive.append(WindowDraft(key="named", title=title), items(text, "found"))
    for command in (("ls",), ("ls", "--tree"), ("search", "--all", "found")):
        masked = run(*command, *how).text
        assert TOKEN not in masked
        if titled or not how:
            assert f"rotate {MASK}" in masked
            assert f"rotate {TOKEN}" in run(*command, *how, "--reveal").text


def test_an_item_that_is_asked_for_is_as_it_is(run: Run, window: str) -> None:
    assert run("cat", f"{window}@1").text == TEXTS[1]


def test_an_export_masks_where_it_is_told_to(run: Run, window: str) -> None:
    assert TOKEN not in run("export", "--jsonl", "--mask").text
    assert TOKEN in run("export", "--jsonl").text
    assert run("export", "--raw", "x", "--mask").status == 2


def test_a_window_is_redacted_into_another(run: Run, window: str) -> None:
    made = run("window", "redact", window, "--json").answer
    assert (made["items"], made["redacted"], made["secrets"]) == (4, 2, 2)
    assert run("cat", f"{made['window']}@1").text == TEXTS[1].replace(TOKEN, MASK)
    assert run("cat", f"{window}@1").text == TEXTS[1]
    assert run("window", "redact", window).status == 22
