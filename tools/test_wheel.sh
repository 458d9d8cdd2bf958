#!/usr/bin/env bash
# Installs a wheel into an empty environment outside the tree and runs it there.
set -euo pipefail

wheel=$(realpath "$1")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

python -m venv "$place/venv"
"$place/venv/bin/python" -m pip --disable-pip-version-check --quiet install "$wheel"
cd "$place"
"$place/venv/bin/vox" --version
"$place/venv/bin/python" -m vox --version >/dev/null
"$place/venv/bin/python" - "$place/venv" <<'PY'
import pathlib
import sys

import vox

home = pathlib.Path(vox.__file__)
assert home.is_relative_to(pathlib.Path(sys.argv[1]).resolve()), f"{home} is not the installed one"
assert (home.parent / "py.typed").exists(), "the wheel has no py.typed"
for name in vox.__all__:
    getattr(vox, name)
print(f"wheel ok: {home.parent}")
PY
