from __future__ import annotations

from pathlib import Path

import pytest

from vox.config import HistoryCaps, Settings, load_settings
from vox.errors import InvalidArgumentError


def test_vox_home_names_the_place_of_everything(tmp_path: Path) -> None:
    settings = load_settings({"VOX_HOME": str(tmp_path)})
    assert settings.home == tmp_path
    assert settings.archive == tmp_path / "archive"


@pytest.mark.parametrize("environ", [{}, {"VOX_HOME": ""}])
def test_without_vox_home_the_system_says_where_user_data_belong(environ: dict[str, str]) -> None:
    assert load_settings(environ).home.name == "vox"
    assert load_settings(environ).home.is_absolute()


def test_a_tilde_and_a_relative_path_are_resolved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    assert load_settings({"VOX_HOME": "~/vox"}).home == Path("/home/ada/vox")
    assert load_settings({"VOX_HOME": "here"}).home == Path.cwd() / "here"


def test_settings_never_change() -> None:
    settings = Settings(home=Path("/a"))
    with pytest.raises(AttributeError):
        settings.home = Path("/b")  # type: ignore[misc]


def test_caps_of_history_are_numbers_of_their_own() -> None:
    assert load_settings({}).history == HistoryCaps(entries=10_000, bytes=64 << 20)
    environ = {"VOX_HISTORY_ENTRIES": "5", "VOX_HISTORY_BYTES": ""}
    assert load_settings(environ).history == HistoryCaps(entries=5, bytes=64 << 20)


def test_kept_counts_have_a_bound() -> None:
    assert load_settings({}).counts_bytes == 256 << 20
    assert load_settings({"VOX_COUNTS_BYTES": "1000000"}).counts_bytes == 1_000_000


@pytest.mark.parametrize("text", ["0", "-1", "many", "١", str(1 << 63)])
def test_a_cap_that_is_no_number_is_refused_by_its_name(text: str) -> None:
    with pytest.raises(InvalidArgumentError, match="VOX_HISTORY_BYTES"):
        load_settings({"VOX_HISTORY_BYTES": text})
