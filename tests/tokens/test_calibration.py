"""Estimates corrected by what providers report."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vox.tokens.calibration import ENOUGH, LEAST, MODELS, MOST, RECENT, Calibration, Observation


def reports(*reported: int, at: int = 0, estimated: int = 1000) -> list[Observation]:
    """Reports of a model one after the other, of texts that were estimated alike."""
    return [Observation("m", estimated, tokens, at + i) for i, tokens in enumerate(reported)]


@pytest.fixture
def calibration(tmp_path: Path) -> Calibration:
    return Calibration(tmp_path / "kept" / "calibration.json")


def test_nothing_is_corrected_until_enough_was_observed(calibration: Calibration) -> None:
    calibration.observe_all(reports(*[1300] * (ENOUGH - 1)))
    assert calibration.factor("m") == 1.0
    calibration.observe("m", 1000, 1300)
    assert calibration.factor("m") == 1.3
    assert calibration.factor("another") == 1.0
    assert "1.30" in calibration.says("m")


def test_one_outlier_does_not_move_the_factor(calibration: Calibration) -> None:
    calibration.observe_all(reports(*[1100] * 20, 4900))
    assert calibration.factor("m") == 1.1


def test_nine_of_ten_corrected_estimates_are_no_less_than_what_was_reported(
    calibration: Calibration,
) -> None:
    reported = [1000 + 10 * i for i in range(50)]
    calibration.observe_all(reports(*reported))
    estimate = calibration.corrected(1000, "ratio", "m")
    assert sum(tokens <= estimate for tokens in reported) == 45


def test_small_and_absurd_reports_are_not_kept(calibration: Calibration) -> None:
    assert calibration.observe_all([*reports(20, estimated=10), *reports(90_000, 10)]) == 0
    assert not calibration.path.exists()


def test_old_reports_give_way_to_new_ones(calibration: Calibration) -> None:
    calibration.observe_all(reports(*[1000] * RECENT, at=RECENT))
    calibration.observe_all(reports(*[1500] * RECENT))
    assert calibration.factor("m") == 1.0
    assert len(json.loads(calibration.path.read_bytes())["models"]["m"]) == RECENT


def test_what_was_observed_already_is_kept_once(calibration: Calibration) -> None:
    for _ in range(ENOUGH):
        calibration.observe_all(reports(1300, 1400))
    assert calibration.factor("m") == 1.0
    assert f"2 of {ENOUGH}" in calibration.says("m")


def test_the_file_stays_bounded(calibration: Calibration) -> None:
    calibration.observe_all(Observation(f"model-{i}", 1000, 1000, i) for i in range(MODELS))
    for i in range(MODELS, MODELS + 3):
        calibration.observe(f"model-{i}", 1000, 1000)
    assert len(calibration.models()) == MODELS
    assert "model-0" not in calibration.models()
    assert f"model-{MODELS + 2}" in calibration.models()


@given(
    reported=st.lists(st.integers(1, 10_000), max_size=40),
    tokens=st.integers(0, 10_000_000),
)
def test_bounds_never_move_and_what_is_assumed_never_shrinks(
    tmp_path_factory: pytest.TempPathFactory, reported: list[int], tokens: int
) -> None:
    calibration = Calibration(tmp_path_factory.mktemp("kept") / "calibration.json")
    calibration.observe_all(reports(*reported))
    assert calibration.corrected(tokens, "exact", "m") == tokens
    assert calibration.corrected(tokens, "bound", "m") == tokens
    assert tokens <= calibration.corrected(tokens, "assumed", "m") <= tokens * MOST + 1
    assert tokens * LEAST <= calibration.corrected(tokens, "ratio", "m") <= tokens * MOST + 1


@pytest.mark.parametrize("damage", [b"", b"{", b'{"format": "other", "models": {}}', b"\xff\x00"])
def test_a_file_that_cannot_be_understood_is_made_anew(
    calibration: Calibration, damage: bytes
) -> None:
    calibration.observe("m", 1000, 1000)
    calibration.path.write_bytes(damage)
    assert calibration.factor("m") == 1.0
    calibration.observe("m", 1000, 1000)
    assert calibration.models() == ["m"]


def test_many_may_write_at_once_and_the_file_is_always_whole(calibration: Calibration) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: calibration.observe(f"m{i % 4}", 1000, 1200), range(200)))
    assert set(calibration.models()) <= {"m0", "m1", "m2", "m3"}
    assert list(calibration.path.parent.iterdir()) == [calibration.path]


def test_what_is_kept_is_there_for_the_next_process(calibration: Calibration) -> None:
    calibration.observe_all(reports(*[900] * ENOUGH))
    assert Calibration(calibration.path).factor("m") == 0.9


def test_without_a_path_it_lives_in_the_home_of_vox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOX_HOME", str(tmp_path))
    assert Calibration().path == tmp_path / "calibration.json"
