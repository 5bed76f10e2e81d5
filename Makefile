# make train   set up, train PPO against the rule-based agents, evaluate it, say where the results are
# make test    set up, then lint, format check, types and the whole test suite
# Everything happens in .venv; only Python >= 3.11 and make are needed.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
CONFIG ?= configs/argentino.yaml
GROUPS ?= 1000
WORKERS ?= 2
OPPONENTS ?= random prudente bravo maestro

.PHONY: setup train test test-slow lint types format docs bench mutants clean

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

test-slow: setup
	$(BIN)/python -m pytest -n 2 -m slow

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

bench: setup .venv-bench/.ready
	$(BIN)/python -m benchmarks --peers-python .venv-bench/bin/python

.venv-bench/.ready: benchmarks/requirements-peers.txt
	@test -x .venv-bench/bin/python || $(PYTHON) -m venv .venv-bench
	@echo "Installing the peers into .venv-bench ..."
	@.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/requirements-peers.txt
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info
