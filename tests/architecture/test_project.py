"""Facts about the project that no compiler holds."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import vox

# Which crate may use which. vox-py hands on what those below give, and keeps no rules of its own.
CRATES = {
    "vox-types": set(),
    "vox-format": {"vox-types"},
    "vox-frame": {"vox-types", "vox-format"},
    "vox-pages": {"vox-types"},
    "vox-store": {"vox-types", "vox-format", "vox-pages"},
    "vox-bpe": {"vox-types"},
    "vox-vocabularies": set(),
    "vox-tokens": {"vox-types", "vox-bpe", "vox-vocabularies"},
    "vox-secrets": {"vox-types"},
    "vox-search": {"vox-types"},
    "vox-pack": {"vox-types"},
    "vox-core": {
        "vox-types",
        "vox-format",
        "vox-pages",
        "vox-frame",
        "vox-store",
        "vox-tokens",
        "vox-search",
        "vox-secrets",
    },
    "vox-py": {
        "vox-types",
        "vox-format",
        "vox-frame",
        "vox-pack",
        "vox-store",
        "vox-tokens",
        "vox-secrets",
        "vox-core",
    },
}

# One heavy dependency, one crate.
HEAVY = {
    "arrow-buffer": "vox-core",
    "heed": "vox-store",
    "pyo3": "vox-py",
    "tantivy": "vox-search",
}


def manifest(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text())


@pytest.fixture(scope="module")
def crates(repository: Path) -> dict[str, dict[str, Any]]:
    return {
        path.parent.name: manifest(path) for path in sorted(repository.glob("rust/*/Cargo.toml"))
    }


def test_the_version_stands_in_one_place(
    repository: Path, crates: dict[str, dict[str, Any]]
) -> None:
    assert vox.__version__ == manifest(repository / "Cargo.toml")["workspace"]["package"]["version"]
    assert {str(crate["package"]["version"]) for crate in crates.values()} == {
        "{'workspace': True}"
    }
    project = manifest(repository / "pyproject.toml")["project"]
    assert "version" not in project
    assert project["dynamic"] == ["version"]


def test_each_crate_knows_only_those_below_it(crates: dict[str, dict[str, Any]]) -> None:
    assert set(crates) == set(CRATES)
    for name, crate in crates.items():
        used = {other for other in crate.get("dependencies", {}) if other.startswith("vox-")}
        assert used <= CRATES[name], f"{name} may not use {sorted(used - CRATES[name])}"


def test_a_heavy_dependency_belongs_to_one_crate(crates: dict[str, dict[str, Any]]) -> None:
    for name, crate in crates.items():
        for heavy, owner in HEAVY.items():
            assert name == owner or heavy not in crate.get("dependencies", {}), (
                f"{heavy} belongs to {owner}; {name} uses it too"
            )


def test_every_crate_takes_the_lints_of_the_workspace(crates: dict[str, dict[str, Any]]) -> None:
    own = [name for name, crate in crates.items() if crate.get("lints") != {"workspace": True}]
    assert own == []


def test_the_map_names_every_crate_and_every_room(repository: Path) -> None:
    text = (repository / "ARCHITECTURE.md").read_text()
    places = [*repository.glob("rust/*/Cargo.toml"), *repository.glob("python/vox/*/__init__.py")]
    assert len(places) >= 10
    assert [place.parent.name for place in places if f"  {place.parent.name}/ " not in text] == []


def test_every_runtime_dependency_is_imported_somewhere(repository: Path) -> None:
    project = manifest(repository / "pyproject.toml")["project"]
    required = {re.split("[><=]", dependency)[0] for dependency in project["dependencies"]}
    source = "\n".join(path.read_text() for path in repository.glob("python/vox/**/*.py"))
    imported = set(re.findall(r"^\s*(?:import|from) (\w+)", source, re.MULTILINE))
    assert required - imported == set()
    others = imported - required - {"vox"} - sys.stdlib_module_names
    assert others == set(), "imported, and not declared"
