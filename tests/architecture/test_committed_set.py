"""A committed set is the only way to what reaches a model."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_type_hints

import pytest

from vox.context.committed import CommittedSet, ContextDraft, measure, render

OWN = "context/committed/committed_set.py"


@pytest.fixture(scope="module")
def modules(repository: Path) -> dict[str, ast.Module]:
    package = repository / "python" / "vox"
    return {
        str(path.relative_to(package)): ast.parse(path.read_text())
        for path in sorted(package.rglob("*.py"))
    }


def imported(module: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def called(module: ast.Module) -> set[str]:
    names = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Name | ast.Attribute):
                names.add(function.id if isinstance(function, ast.Name) else function.attr)
    return names


def test_rendering_takes_a_committed_set_and_nothing_else() -> None:
    for function in (render, measure):
        assert get_type_hints(function)["committed"] is CommittedSet
    draft = ContextDraft(window="", chain="")
    with pytest.raises(TypeError, match="only a CommittedSet is rendered"):
        render(draft, [], None)  # type: ignore[arg-type]


def test_only_its_own_module_makes_a_committed_set(modules: dict[str, ast.Module]) -> None:
    assert OWN in modules
    makers = [name for name, module in modules.items() if "CommittedSet" in called(module)]
    assert makers == [OWN]
    known = [
        name
        for name, module in modules.items()
        for _, what in imported(module)
        if what == "_BY_COMMIT"
    ]
    assert known == []


def test_kept_sets_are_read_only_where_the_archive_keeps_them(
    modules: dict[str, ast.Module],
) -> None:
    readers = {name for name, module in modules.items() if "committed_before" in called(module)}
    assert readers <= {"archive/committing.py"}


def test_messages_of_windows_are_made_only_of_committed_sets(
    modules: dict[str, ast.Module],
) -> None:
    makers = {
        name
        for name, module in modules.items()
        if not name.startswith(("tokens/", "cli/tokens/")) and "Message" in called(module)
    }
    assert makers == {"context/committed/messages.py"}


def test_nothing_but_rendering_writes_messages(modules: dict[str, ast.Module]) -> None:
    users = {name for name, module in modules.items() if "messages_of" in called(module)}
    assert users == {"context/committed/render.py"}
