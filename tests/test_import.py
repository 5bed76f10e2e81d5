"""Importing the package: light, silent, nothing compiled."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import gymnasium
import pytest

import truco_env

ROOT = Path(truco_env.__file__).parent
HEAVY = ("numba", "torch", "stable_baselines3", "sb3_contrib", "matplotlib", "scipy", "pandas", "truco_agents")


def _run(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT.parent)
    assert not done.stderr, done.stderr
    return done.stdout


def test_importing_loads_nothing_heavy_and_says_nothing() -> None:
    program = f"import sys, truco_env; print([name for name in {HEAVY!r} if name in sys.modules])"
    assert _run(program).strip() == "[]"


def test_importing_compiles_nothing() -> None:
    program = (
        "import truco_env, numba\n"
        "from numba.core.dispatcher import Dispatcher\n"
        "compiled = []\n"
        "compile_one = Dispatcher.compile\n"
        "Dispatcher.compile = lambda self, sig: compiled.append(self.py_func.__name__) or compile_one(self, sig)\n"
        "from truco_env import truco_v0, Game, Batch, LearnerBatch, TrucoGym, TrucoVector\n"
        "print(compiled)"
    )
    assert _run(program).strip() == "[]"


def test_importing_costs_little_beside_what_it_needs() -> None:
    program = "import time, numpy, gymnasium, pettingzoo\nstart = time.process_time(); import truco_env; print(time.process_time() - start)"
    assert min(float(_run(program)) for _ in range(3)) < 0.4


@pytest.mark.parametrize("name", truco_env.__all__)
def test_every_exported_name_is_there(name: str) -> None:
    assert getattr(truco_env, name) is not None
    assert name in dir(truco_env)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="module 'truco_env' has no attribute 'truco_v9'"):
        _ = truco_env.truco_v9


def test_the_environment_is_registered_with_gymnasium() -> None:
    spec = gymnasium.spec("truco_env/Truco-v0")
    assert spec.entry_point == "truco_env.envs.gym:TrucoGym"
    assert spec.vector_entry_point == "truco_env.envs.vector:TrucoVector"


def test_types_are_shipped() -> None:
    assert (ROOT / "py.typed").exists()
