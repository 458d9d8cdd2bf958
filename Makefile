# `make` lists what there is. Everything happens in .venv and target/; nothing else is touched.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

export PATH := $(CURDIR)/$(BIN):$(PATH)

# What maturin tells PyO3 about the interpreter. With another answer cargo would compile the
# extension again, and maturin after it.
AS_MATURIN = PYO3_BUILD_EXTENSION_MODULE=1 PYO3_CONFIG_FILE="$$(echo $(CURDIR)/target/maturin/pyo3-config-*-abi3.txt)"

# zig links against a glibc of 2014, whatever this machine has.
WHEEL := $(if $(filter Linux,$(shell uname -s)),--zig --compatibility manylinux2014)

RUST_SOURCES := Cargo.toml Cargo.lock $(shell find rust contracts -type f)

.PHONY: help
help: ## This list
	@echo "vox: make demo, make test, or one of"
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14 | sed 's/^/  /'

.PHONY: demo
demo: $(STAMPS)/extension ## Set up, build, import the example transcripts, show and verify them
	@tools/demo.sh

.PHONY: test
test: lint types test-rust test-wheel test-python ## Set up, build, and run every check and test

.PHONY: build
build: $(STAMPS)/extension ## Set up .venv and build the extension into it

.PHONY: check
check: lint types ## Style, layers and types

.PHONY: lint
lint: $(STAMPS)/check $(STAMPS)/extension ## ruff, rustfmt, clippy, import-linter
	ruff check
	ruff format --check
	lint-imports --no-logo
	cargo fmt --all --check
	$(AS_MATURIN) cargo clippy --locked --workspace --all-targets -- --deny warnings

.PHONY: format
format: $(STAMPS)/check ## Format Python and Rust, and fix what ruff can
	ruff check --fix
	ruff format
	cargo fmt --all

.PHONY: types
types: $(STAMPS)/check $(STAMPS)/extension ## mypy, and the stub of the extension against the extension
	mypy
	python -m mypy.stubtest vox._native --mypy-config-file pyproject.toml --allowlist .mypy-stubtest-allowlist

.PHONY: test-rust
test-rust: $(STAMPS)/extension ## Tests of the crates
	@# With vox-py, which has no tests here: without it cargo would choose fewer features of its
	@# dependencies, and compile half of them again.
	cargo test --locked --workspace

.PHONY: test-python
test-python: $(STAMPS)/check $(STAMPS)/extension ## Tests of the package; ARGS="-k name" runs some
	python -m pytest $(ARGS)

.PHONY: test-wheel
test-wheel: wheel ## Install the wheel into an empty environment and run it there
	tools/test_wheel.sh dist/*.whl

.PHONY: wheel
wheel: $(STAMPS)/wheel ## Build a wheel into dist/; one from Linux runs on any since 2014

.PHONY: bench
bench: $(STAMPS)/check ## Benchmarks, on an optimised build; ARGS=--quick for small sizes
	@rm -f $(STAMPS)/extension
	PIP_QUIET=1 maturin develop --locked --release --quiet
	python benches/run.py $(ARGS)

.PHONY: soak
soak: $(STAMPS)/check $(STAMPS)/extension ## All tests, with SOAK=10 times as many random examples
	VOX_SOAK=$(or $(SOAK),10) python -m pytest $(ARGS)

.PHONY: fuzz
fuzz: $(STAMPS)/check $(STAMPS)/extension ## Fuzz what reads foreign bytes, SECONDS=60 each; all of it with cargo-fuzz and a nightly Rust
	python fuzz/sources.py $(or $(SECONDS),60)
	@if ! cargo +nightly fuzz --version >/dev/null 2>&1; then \
	  echo "no cargo-fuzz or no nightly Rust here: its targets were left out"; \
	else \
	  for target in $$(cargo +nightly fuzz list --fuzz-dir fuzz); do \
	    cargo +nightly fuzz run --fuzz-dir fuzz "$$target" -- -max_total_time=$(or $(SECONDS),60); \
	  done; \
	fi

.PHONY: clean
clean: ## Remove everything that was made here
	rm -rf $(VENV) target dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find python \( -name '_native*.so' -o -name '_native*.pyd' \) -delete
	find python tests tools benches -name __pycache__ -prune -exec rm -rf {} +

# Setting up. A stamp is younger than what it was made from, so a second run is quick.

$(STAMPS)/venv:
	@tools/preflight.sh $(PYTHON)
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade 'pip>=25.1'
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/build: pyproject.toml | $(STAMPS)/venv
	$(PIP) install --group build
	@touch $@

$(STAMPS)/check: pyproject.toml | $(STAMPS)/venv
	$(PIP) install --group check
	@touch $@

$(STAMPS)/extension: $(RUST_SOURCES) pyproject.toml $(STAMPS)/build
	PIP_QUIET=1 maturin develop --locked --quiet
	@touch $@

$(STAMPS)/wheel: $(RUST_SOURCES) $(shell find python -name '*.py*' -not -path '*/__pycache__/*') pyproject.toml $(STAMPS)/build
	$(PIP) install --group wheel
	rm -f dist/*.whl
	maturin build --locked --release --strip $(WHEEL) --out dist
	@touch $@
