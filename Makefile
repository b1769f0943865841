# Every target sets up .venv by itself; only Python 3.11 (or newer), pip and make are needed.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
UNCOMPILED := tests/test_uncompiled.py tests/solvers/test_online.py \
	tests/estimators/test_reduction.py tests/solvers/svm/test_stacked_rows.py \
	tests/solvers/svm/test_steps.py tests/kernels/test_elementwise.py \
	tests/kernels/test_panels.py
BIN := $(VENV)/bin
FUZZ_SECONDS ?= 600
SEED ?= 0
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

LOWEST := .venv-lowest
# what building the site writes
SITE := docs/_build docs/elsewhere docs/gallery docs/published docs/reference
# old versions of some libraries use what new versions of others call outdated
OUTDATED := -W default::DeprecationWarning -W default::FutureWarning

.PHONY: help demo test lowest fuzz lint docs wheel bench clean

help:
	@echo "make demo   set up, run the main job on data that comes along, end with a report"
	@echo "make test   set up and run every test"
	@echo "make lowest set up and run most tests with the lowest versions in pyproject.toml"
	@echo "make fuzz   set up and try random input for ten minutes (FUZZ_SECONDS, SEED)"
	@echo "make lint   set up and run the linters"
	@echo "make docs   set up and build the site into docs/_build/html"
	@echo "make wheel  build what is published into dist, and try it in a new environment"
	@echo "make bench  set up and measure speed side by side with peers"
	@echo "make clean  remove the environment and everything built"

$(VENV)/.python:
	$(PYTHON) -m venv $(VENV)
	@# dependency groups need pip 25.1
	$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.demo: $(VENV)/.python pyproject.toml
	@echo "Installing Mercer into $(VENV) ..."
	$(PIP) install --editable '.[cli,report,data,web]'
	@touch $@

$(VENV)/.dev: $(VENV)/.python pyproject.toml
	@echo "Installing Mercer with its test and lint tools into $(VENV) ..."
	$(PIP) install --editable '.[all]' --group test --group lint
	@touch $@ $(VENV)/.demo

$(VENV)/.docs: $(VENV)/.dev
	@echo "Installing what builds the documentation into $(VENV) ..."
	$(PIP) install --group docs
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	@echo "Installing the peers to measure against into $(VENV) ..."
	$(PIP) install --group bench
	@touch $@

$(LOWEST)/.dev: pyproject.toml
	@echo "Installing the lowest versions of everything into $(LOWEST) ..."
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip --disable-pip-version-check --quiet install uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python \
		--resolution lowest-direct --editable '.[all]' --group test
	@touch $@

demo: $(VENV)/.demo
	@$(BIN)/python -m mercer.cli demo

test: $(VENV)/.dev
	@# bytecode is kept: many processes import the same modules
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 2 --dist worksteal
	@# without the compiler an index out of bounds is an error
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m uncompiled $(UNCOMPILED)

lowest: $(LOWEST)/.dev
	@# studies and benchmarks compute for long with what the other tests are about
	NUMBA_CACHE_DIR=$(CURDIR)/$(LOWEST)/numba $(LOWEST)/bin/python -m pytest -n 2 --dist worksteal \
		$(OUTDATED) --ignore tests/studies --ignore tests/bench --ignore tests/browser

fuzz: $(VENV)/.dev
	$(BIN)/python -m tests.fuzz --seconds $(FUZZ_SECONDS) --seed $(SEED)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(BIN)/zizmor --offline --quiet .github

docs: $(VENV)/.docs
	@# pages of what was removed do not stay
	rm -rf docs/elsewhere docs/published docs/reference
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs docs/_build/html
	@echo "The site is in docs/_build/html/index.html"

wheel: $(VENV)/.python
	$(PIP) install build
	rm -rf dist build/wheel
	$(BIN)/python -m build --outdir dist .
	$(PYTHON) -m venv build/wheel
	build/wheel/bin/python -m pip --disable-pip-version-check --quiet install "$$(echo dist/*.whl)[cli]"
	cd build && wheel/bin/mercer doctor && wheel/bin/mercer fit iris --model svc

bench: $(VENV)/.bench
	$(BIN)/mercer bench

clean:
	rm -rf $(VENV) $(LOWEST) out build dist $(SITE) .pytest_cache .mypy_cache .ruff_cache .hypothesis
