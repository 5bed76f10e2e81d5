"""The tool that changes the rules in small places finds every change, carries it out, and names it so that the name lasts."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.mutants import engine_mutants, equivalent_mutants
from tools.mutation import Mutant, find_mutants

_SOURCE = """
LIMIT = 3

def rule(points: int, limit: int = 9) -> int:
    \"\"\"More than 1 line of text is no code.\"\"\"
    if points > LIMIT and not points == 5:
        return points + 1
    return min(points, 2)
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "small_rules.py").write_text(_SOURCE)
    importlib.invalidate_caches()
    yield "small_rules"
    sys.modules.pop("small_rules", None)


def _changes(module: str) -> dict[str, Mutant]:
    return {mutant.key: mutant for mutant in find_mutants(module)}


@pytest.mark.parametrize(
    ("key", "points", "before", "after"),
    [
        ("rule: points > LIMIT -> points >= LIMIT", 3, 2, 4),
        ("rule: points > LIMIT and (not points == 5) -> points > LIMIT or not points == 5", 1, 1, 2),
        ("rule: points > LIMIT and (not points == 5) -> points > LIMIT", 5, 2, 6),
        ("rule: not points == 5 -> points == 5", 4, 5, 2),
        ("rule: points + 1 -> points - 1", 4, 5, 3),
        ("rule: 2 -> 3", 3, 2, 3),
        ("rule: min(points, 2) -> max(points, 2)", 3, 2, 3),
        ("rule: return points + 1 -> pass", 4, 5, 2),
        ("LIMIT: 3 -> 4", 4, 5, 2),
    ],
)
def test_a_change_is_found_and_carried_out(module: str, key: str, points: int, before: int, after: int) -> None:
    mutant = _changes(module)[f"small_rules.{key}"]
    rule = importlib.import_module(module).rule
    assert rule(points) == before
    mutant.swap()
    assert rule(points) == after


def test_texts_defaults_and_the_last_statement_are_left_alone(module: str) -> None:
    changes = _changes(module)
    assert not [key for key in changes if "9" in key or "text" in key or key.endswith("return min(points, 2) -> pass")]


def test_a_name_stays_when_lines_move(module: str, tmp_path: Path) -> None:
    before = list(_changes(module))
    (tmp_path / "small_rules.py").write_text("# A comment.\n" + _SOURCE)
    assert list(_changes(module)) == before
    assert len(set(before)) == len(before)


def test_every_listed_equivalent_is_a_mutant_of_the_engine() -> None:
    names = [mutant.key for mutant in engine_mutants()]
    assert len(set(names)) == len(names) > 2000
    assert sorted(set(equivalent_mutants()) - set(names)) == []
