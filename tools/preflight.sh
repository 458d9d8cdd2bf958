#!/usr/bin/env bash
# Says what is missing on this machine before anything is built. Argument: the Python to use.
set -euo pipefail

fail() {
  echo "vox needs $1" >&2
  exit 1
}

command -v "$1" >/dev/null || fail "Python 3.11 or later; '$1' was not found. Name another: make PYTHON=python3.12"
"$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  fail "Python 3.11 or later; '$1' is $("$1" --version 2>&1). Name another: make PYTHON=python3.12"
"$1" -c 'import ensurepip, venv' 2>/dev/null ||
  fail "the venv module of Python; on Debian and Ubuntu it is the package python3-venv"
command -v cargo >/dev/null || fail "a Rust toolchain (cargo); https://rustup.rs installs one"
command -v cc >/dev/null || fail "a C compiler (cc), for LMDB and zstd"
