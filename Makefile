# Everything runs in .venv, which the targets below set up by themselves.
#   make bench    run the offline proofreaders on the bundled texts and rank them (no key needed)
#   make test     format, lint, types and tests
#   make benchmarks   measure what the harness costs and how it grows (seven minutes)
#   make clean    remove .venv and caches; results stay

VENV := .venv
BIN := $(VENV)/bin
# The newest Python from 3.11 on; PYTHON=… names another one.
PYTHON ?= $(shell for v in python3.14 python3.13 python3.12 python3.11 python3; do \
	command -v $$v >/dev/null 2>&1 && $$v -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$v; break; }; done)
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install -c constraints.txt

.DEFAULT_GOAL := help
.PHONY: help bench benchmarks test format clean

help:
	@sed -n 's/^#   //p' Makefile

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "ErrataBench needs Python 3.11 or newer with venv (on Debian: apt install python3-venv)." >&2; exit 1; }
	@echo "Setting up $(VENV) with $(PYTHON) …"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.bench: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing ErrataBench into $(VENV) …"
	@$(PIP) -e '.[languagetool]' || { echo "Without LanguageTool, which could not be installed:" >&2; $(PIP) -e .; }
	@touch $@

$(VENV)/.test: pyproject.toml constraints.txt | $(BIN)/python
	@$(PIP) -e '.[languagetool,dev]'
	@touch $@ $(VENV)/.bench

bench: $(VENV)/.bench
	@$(BIN)/errata-bench run --baselines --samples 1 --no-judge --group-id first-run

# What the harness is compared with has an environment of its own: it shares no library with ours.
$(VENV)/inspect/.done: benchmarks/inspect-requirements.txt | $(BIN)/python
	@$(BIN)/python -m venv $(VENV)/inspect
	@$(VENV)/inspect/bin/python -m pip --disable-pip-version-check --quiet install -r $< \
		&& touch $@ || echo "inspect_ai could not be installed: no comparison with it." >&2

benchmarks: $(VENV)/.bench $(VENV)/inspect/.done
	@$(BIN)/python -m benchmarks $$(test -e $(VENV)/inspect/.done && echo --inspect $(VENV)/inspect/bin/python)

test: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest

format: $(VENV)/.test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
