# Every target sets up .venv by itself; only Python 3.11 (or newer), pip and make are needed.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
UNCOMPILED := tests/test_uncompiled.py tests/solvers/test_online.py
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: help demo test lint bench clean

help:
	@echo "make demo   set up, run the main job on data that comes along, end with a report"
	@echo "make test   set up and run every test"
	@echo "make lint   set up and run the linters"
	@echo "make bench  set up and measure speed side by side with peers"
	@echo "make clean  remove the environment and everything built"

$(VENV)/.python:
	$(PYTHON) -m venv $(VENV)
	@# dependency groups need pip 25.1
	$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.demo: $(VENV)/.python pyproject.toml
	@echo "Installing Mercer into $(VENV) ..."
	$(PIP) install --editable '.[cli,report,data]'
	@touch $@

$(VENV)/.dev: $(VENV)/.python pyproject.toml
	@echo "Installing Mercer with its test and lint tools into $(VENV) ..."
	$(PIP) install --editable '.[all]' --group test --group lint
	@touch $@ $(VENV)/.demo

$(VENV)/.bench: $(VENV)/.dev
	@echo "Installing the peers to measure against into $(VENV) ..."
	$(PIP) install --group bench
	@touch $@

demo: $(VENV)/.demo
	@$(BIN)/python -m mercer.cli demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist worksteal
	@# without the compiler an index out of bounds is an error
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 -m uncompiled $(UNCOMPILED)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell

bench: $(VENV)/.bench
	$(BIN)/mercer bench

clean:
	rm -rf $(VENV) out build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
