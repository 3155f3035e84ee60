# make venv    the project's own environment, .venv, from requirements.lock
# make report  the quick verification suite and its HTML report, in out/report
# make test    linters, type checker and tests
# make slow    the tests that take longer, marked slow
# make lint    linters and type checker alone
# make docs    the documentation, in out/docs, warnings as errors
# make bench   benchmarks against plain implementations, and their table, docs/benchmarks.md
# make clean   remove .venv and out
#
# Needs Python >= 3.11 with pip. Another interpreter: make venv PYTHON=python3.12

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
OUT ?= out/report
SUITE ?= quick
# The example report: sphinx copies its rows from docs/example, and they are judged again.
EXAMPLE := out/docs/standard
PYTEST_ARGS ?= -m "not slow" -n auto

CANDIDATES := python3 python3.13 python3.12 python3.11 python
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in $(CANDIDATES); do \
	$$python -c '$(NEW_ENOUGH)' >/dev/null 2>&1 && echo $$python && break; done)

# One thread a process: two cores are better used by two tests than by one test's linear algebra.
test slow: export OMP_NUM_THREADS := 1
test slow: export OPENBLAS_NUM_THREADS := 1
test slow: export MKL_NUM_THREADS := 1

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.DEFAULT_GOAL := help
.PHONY: help venv test slow lint report docs site bench clean

help:
	@sed -n 's/^# \{0,1\}//p' Makefile | sed -n 1,10p

venv: $(STAMP)

# A stale environment is replaced whole, so that it never holds packages the lock does not name.
# Systems without ensurepip (Debian's bare python3) get pip from the interpreter's own.
$(STAMP): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "attlas needs Python >= 3.11; none of $(CANDIDATES) is: name one with PYTHON=..." >&2; exit 2; }
	@$(PYTHON) -c '$(NEW_ENOUGH)' || { echo "attlas needs Python >= 3.11; PYTHON = $(PYTHON) is older or does not run" >&2; exit 2; }
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || { rm -rf $(VENV) && $(PYTHON) -m venv --without-pip $(VENV) \
		&& $(PYTHON) -m pip --python $(BIN)/python install --quiet pip; }
	$(BIN)/python -m pip install --quiet --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

report: $(STAMP)
	$(BIN)/attlas report --suite $(SUITE) --out $(OUT)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python

test: lint
	$(BIN)/python -m pytest $(PYTEST_ARGS)

slow: $(STAMP)
	$(BIN)/python -m pytest -m slow -n auto

docs: site $(EXAMPLE)/index.html

site: $(STAMP)
	$(BIN)/python -m sphinx -b html -W --keep-going -q docs out/docs
	@echo "Documentation: out/docs/index.html"

# Its theory takes minutes, and is solved again only where rows, or what judges and shows them, changed.
$(EXAMPLE)/index.html: $(shell find docs/example/standard reports verify -type f -not -name '*.pyc') | site
	$(BIN)/attlas report --suite standard --store $(EXAMPLE)/store --out $(EXAMPLE) >/dev/null

bench: $(STAMP)
	mkdir -p out
	$(BIN)/python -m pytest benchmarks --benchmark-json=out/benchmarks.json --benchmark-quiet
	$(BIN)/python benchmarks/write_table.py out/benchmarks.json docs/benchmarks.md

clean:
	rm -rf $(VENV) out
