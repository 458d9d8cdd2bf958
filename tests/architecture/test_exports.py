"""The shop window: what `import vox` offers, no more and no less."""

from __future__ import annotations

import subprocess
import sys

import vox
import vox.archive
import vox.models


def test_the_public_names_are_these() -> None:
    assert sorted(vox.__all__) == [
        "Archive",
        "ContentStore",
        "Packing",
        "UNAVAILABLE",
        "VoxError",
        "Window",
        "__version__",
        "count_tokens",
        "fits",
        "hash_many",
        "open",
        "pack",
    ]


def test_every_public_name_exists_and_is_documented() -> None:
    for name in vox.__all__:
        value = getattr(vox, name)
        assert isinstance(value, str | int) or value.__doc__, f"vox.{name} has no documentation"


def test_every_name_that_a_room_offers_exists() -> None:
    for room in (vox.archive, vox.models):
        for name in room.__all__:
            assert getattr(room, name) is not None, f"{room.__name__}.{name}"


def test_importing_vox_prints_nothing_and_loads_no_consumer_of_its_columns() -> None:
    heavy = {"click", "msgspec", "numpy", "pyarrow", "rich"}
    script = f"import sys, vox; print(*sorted({heavy} & {{*sys.modules}}))"
    assert output_of(script) == "\n"


def test_counting_loads_numpy_when_it_has_something_to_count() -> None:
    script = (
        "import sys, vox; from vox.tokens import TokenEstimator; loaded = 'numpy' in sys.modules\n"
        "TokenEstimator('gpt-5').fits(['text'], 9); print(loaded, 'numpy' in sys.modules)\n"
        "vox.count_tokens(['text'], 'gpt-5'); print('numpy' in sys.modules)"
    )
    assert output_of(script) == "False False\nTrue\n"


def output_of(script: str) -> str:
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert run.stderr == ""
    return run.stdout
