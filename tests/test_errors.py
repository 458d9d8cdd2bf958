"""One list of errors: contracts/errors.yaml, the Python classes and the Rust enum agree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from vox import _native, errors


@pytest.fixture(scope="module")
def listed(contracts: Path) -> list[dict[str, Any]]:
    return yaml.safe_load((contracts / "errors.yaml").read_text())["errors"]


def test_the_classes_say_what_the_contract_says(listed: list[dict[str, Any]]) -> None:
    classes = [
        {
            "code": code,
            "exit": error.exit_status,
            "http": error.http_status,
            "meaning": error.__doc__,
        }
        for code, error in errors.BY_CODE.items()
    ]
    assert classes == listed


def test_the_core_knows_the_same_codes(listed: list[dict[str, Any]]) -> None:
    assert _native.error_codes() == [row["code"] for row in listed]


def test_no_two_errors_share_an_exit_status() -> None:
    statuses = [error.exit_status for error in errors.BY_CODE.values()]
    assert len(set(statuses)) == len(statuses)
    assert 0 not in statuses
    assert 1 not in statuses, "1 is what Python exits with for any uncaught exception"


def test_an_error_is_caught_by_the_builtin_that_means_the_same() -> None:
    with pytest.raises(LookupError, match="no such window"):
        raise errors.NotFoundError("no such window")
    with pytest.raises(ValueError, match="not a number"):
        raise errors.InvalidArgumentError("not a number")
