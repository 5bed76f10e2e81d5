# make train         set up, train PPO against the rule-based agents, evaluate it, say where the results are
# make test          set up, then lint, format check, types and the whole test suite
# make check         the fast tier: lint, types and the tests of rules, pages, commands and the wheel; under two minutes once set up
# make test-slow     the tests that take longer than a minute each
# make lowest        the tests that need no torch, with the lowest versions that pyproject.toml allows
# make docs          write the generated pages
# make check-shared  say which cases and traces of ../shared tests/data lacks
# Everything happens in .venv (make lowest: .venv-lowest); only Python >= 3.11 and make are needed.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
CONFIG ?= configs/argentino.yaml
GROUPS ?= 1000
WORKERS ?= 2
OPPONENTS ?= random prudente bravo maestro
FAST := $(addprefix tests/test_,cases.py config.py game.py import.py notation.py observation.py option_text.py pages.py perft.py \
	players.py program.py readme.py render.py tools.py wheel.py)

.PHONY: setup train test check test-slow lowest lint types format docs check-shared bench mutants clean

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "truco-env needs Python 3.11 or newer; set PYTHON=...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing truco-env and its pinned dependencies into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

train: setup
	$(BIN)/python train.py --config $(CONFIG) --run runs/train
	$(BIN)/python evaluate.py table runs/train:greedy --against $(OPPONENTS) --groups $(GROUPS) --workers $(WORKERS) --out runs/train/evaluation.json

test: lint types
	$(BIN)/python -m pytest -n 2

check: lint types
	$(BIN)/python -m pytest -n 2 $(FAST)

test-slow: setup
	$(BIN)/python -m pytest -n 2 -m slow

lowest: .venv-lowest/.ready
	.venv-lowest/bin/python -m pytest -n 2

.venv-lowest/.ready: pyproject.toml constraints-lowest.txt
	@test -x .venv-lowest/bin/python || $(PYTHON) -m venv .venv-lowest
	@echo "Installing the lowest versions into .venv-lowest ..."
	@.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-lowest.txt -e '.[test]'
	@touch $@

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/vulture

types: setup
	$(BIN)/mypy

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: setup
	$(BIN)/python -m tools.pages

mutants: setup
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m tools.mutants --workers $(WORKERS)

check-shared: setup
	$(BIN)/python -m tools.shared_data

bench: setup .venv-bench/.ready
	$(BIN)/python -m benchmarks --peers-python .venv-bench/bin/python

.venv-bench/.ready: benchmarks/requirements-peers.txt
	@test -x .venv-bench/bin/python || $(PYTHON) -m venv .venv-bench
	@echo "Installing the peers into .venv-bench ..."
	@.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/requirements-peers.txt
	@touch $@

clean:
	rm -rf $(VENV) .venv-lowest build dist *.egg-info
