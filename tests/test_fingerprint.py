"""The fingerprint of a compiled function: equal for equal code, another one for any change of what is compiled in."""

from __future__ import annotations

import os
import subprocess
import sys
from types import FunctionType
from typing import Any

import pytest

from truco_env.engine.fingerprint import fingerprint

SOURCE = """
import enum
import numpy as np
from truco_env.engine import chance
from truco_env.engine.jit import hot_rule, rule

class Mode(enum.IntEnum):
    OFF = 0
    ON = 1

SMALL = 3
TABLE = np.arange(4)
PAIR = (1, 2)

def spread(n):
    return n + 1

def top(n):
    "Words."
    return middle(n) + TABLE[0] + PAIR[1] + Mode.ON + chance.below(n, 2)

@rule
def middle(n):
    def inner(m):
        return m * 5
    return SMALL * n + (n if n in {"a", "b", "c"} else 0) + leaf(n)

@rule
def leaf(n, most=9):
    return n + 7
"""


def functions_of(source: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "somebodys"}
    exec(source, names)
    return names


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("n + 7", "n + 8"),
        ("most=9", "most=8"),
        ("m * 5", "m * 6"),
        ("SMALL = 3", "SMALL = 4"),
        ("np.arange(4)", "np.arange(5)"),
        ("np.arange(4)", "np.arange(4, dtype=np.int8)"),
        ("(1, 2)", "(1, 3)"),
        ("ON = 1", "ON = 2"),
        ("@rule\ndef leaf", "@hot_rule\ndef leaf"),
        ("TABLE[0]", "TABLE[1]"),
        ('"b", "c"', '"b", "d"'),
        ("chance.below", "chance.mix"),
    ],
)
def test_a_change_of_what_is_compiled_in_changes_it(old: str, new: str) -> None:
    assert old in SOURCE
    assert fingerprint(functions_of(SOURCE)["top"]) != fingerprint(functions_of(SOURCE.replace(old, new))["top"])


@pytest.mark.parametrize(("old", "new"), [("Words.", "Other words."), ("n + 1", "n + 2"), ("SMALL = 3", "SMALL = 3  # few")])
def test_other_changes_leave_it(old: str, new: str) -> None:
    assert old in SOURCE
    assert fingerprint(functions_of(SOURCE)["top"]) == fingerprint(functions_of(SOURCE.replace(old, new))["top"])


def test_it_is_the_same_in_every_process() -> None:
    script = (
        "from truco_env.engine import entries\n"
        "from truco_env.batch.learner_kernel import advance\n"
        "from truco_env.engine.fingerprint import fingerprint\n"
        "print(fingerprint(entries.try_action, advance))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_a_closure_counts() -> None:
    def made(n: int) -> FunctionType:
        def add(m: int) -> int:
            return m + n

        assert isinstance(add, FunctionType)
        return add

    assert fingerprint(made(1)) == fingerprint(made(1))
    assert fingerprint(made(1)) != fingerprint(made(2))
