"""Machine code on disk: kept between runs, never stale, and done without where no folder can be written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import truco_env

SCRIPT = """
import numpy as np
from truco_env.observation.masks import pick_uniform
masks = np.zeros((3, 36), np.int8)
masks[:, 7] = 1
print(pick_uniform(masks, np.random.default_rng(0)).tolist())
"""
COMPILING = "compiling the engine, once"
NO_PLACE = "no folder can be written"


@pytest.fixture
def install(tmp_path: Path) -> Path:
    """A copy of the package, without machine code."""
    source = Path(truco_env.__file__).parent
    shutil.copytree(source, tmp_path / "truco_env", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def run(install: Path, script: str = SCRIPT, **environment: str) -> tuple[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_"))}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=install,
        env={**kept, "PYTHONPATH": str(install), "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip(), done.stderr


def make_read_only(install: Path) -> None:
    """No folder for machine code beside the sources (permissions would not stop a superuser)."""
    for folder in [install / "truco_env", *(p for p in (install / "truco_env").rglob("*") if p.is_dir())]:
        (folder / "__pycache__").write_text("a file where the folder would be")


def test_the_second_start_compiles_nothing(install: Path) -> None:
    first, second = run(install), run(install)
    assert (first[0], COMPILING in first[1]) == ("[7, 7, 7]", True)
    assert second == ("[7, 7, 7]", "")


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_change_of_a_rule_in_another_file_is_compiled_anew(install: Path) -> None:
    assert run(install)[0] == "[7, 7, 7]"
    edit(install / "truco_env" / "engine" / "legal.py", "    return action\n", "    return action + 1\n")
    assert run(install)[0] == "[8, 8, 8]"


def test_an_edit_of_what_is_not_compiled_in_compiles_nothing(install: Path) -> None:
    first = run(install)
    for file in ("game/view.py", "engine/flor.py", "engine/legal.py"):
        edit(install / "truco_env" / file, '"""', '"""In other words: ')
    edit(install / "truco_env" / "engine" / "flor.py", "20 + int(VALUES[a])", "21 + int(VALUES[a])")
    assert run(install) == (first[0], "")


MINE = """
from truco_env.engine.jit import entry
from my_rules import twice

@entry
def answer(n):
    return twice(n)
"""
MY_RULES = """
from truco_env.engine.jit import rule
from truco_env.rules.cards import N_TIERS

@rule
def twice(n):
    return 2 * n + N_TIERS
"""


def test_rules_of_other_packages_and_constants_are_looked_at_too(install: Path) -> None:
    (install / "mine.py").write_text(MINE)
    (install / "my_rules.py").write_text(MY_RULES)
    script = "import mine; print(mine.answer(4))"
    assert run(install, script)[0] == "22"
    assert run(install, script) == ("22", "")
    edit(install / "my_rules.py", "2 * n", "3 * n")
    assert run(install, script)[0] == "26"
    edit(install / "truco_env" / "rules" / "cards.py", "N_TIERS: Final = 14", "N_TIERS: Final = 15")
    assert run(install, script)[0] == "27"


def test_a_read_only_install_keeps_its_code_in_the_users_cache(install: Path, tmp_path: Path) -> None:
    make_read_only(install)
    home = {"HOME": str(tmp_path / "home")}
    first, second = run(install, **home), run(install, **home)
    assert (first[0], COMPILING in first[1]) == ("[7, 7, 7]", True)
    assert second == ("[7, 7, 7]", "")


def test_where_nothing_can_be_written_it_says_so_and_works(install: Path) -> None:
    make_read_only(install)
    nowhere = str(install / "truco_env" / "py.typed")  # a file: no folder can be made in it
    found, said = run(install, HOME=nowhere, XDG_CACHE_HOME=nowhere)
    assert found == "[7, 7, 7]"
    assert said.count(NO_PLACE) == 1
