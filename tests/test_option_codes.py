"""Option codes are those of the options index, and rules compare options with nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import truco_env
from truco_env.engine import option_codes
from truco_env.engine.option_codes import FALTA_POINTS, code_of
from truco_env.engine.rules_record import record_of
from truco_env.rules.options import OPTIONS, Rules

_CODES = {name: value for name, value in vars(option_codes).items() if name.isupper() and name not in ("OPTIONS", "FALTA_POINTS")}
_NAMED = [name for name, option in OPTIONS.items() if any(isinstance(value, str) for value in option.values)]


def test_each_code_is_that_of_the_value_it_is_named_after() -> None:
    by_name = {f"{name}_{value}".upper(): code_of(name, value) for name in _NAMED for value in OPTIONS[name].values}
    assert _CODES.items() <= by_name.items()
    assert FALTA_POINTS not in map(OPTIONS["falta"].values.index, OPTIONS["falta"].values)


@pytest.mark.parametrize(
    ("rules", "name", "code"),
    [
        (Rules("reglamento", flor_mode="penalty"), "flor_mode", 2),
        (Rules("argentino", target=15), "target", 15),
        (Rules("argentino", falta="leader"), "falta", 1),
        (Rules("argentino", falta=12), "falta", FALTA_POINTS),
        (Rules("trucomano", flor_quiero=4), "flor_quiero", 4),
        (Rules("truc_valencia", falta_direct=True), "falta_direct", 1),
    ],
)
def test_a_rules_record_holds_the_code(rules: Rules, name: str, code: int) -> None:
    assert record_of(rules)[name][0] == code


def test_a_value_that_the_option_does_not_take_has_no_code() -> None:
    with pytest.raises(ValueError, match="not in tuple"):
        code_of("flor_mode", "loud")


def test_no_rule_compares_an_option_with_a_bare_number() -> None:
    names = "|".join(name for name in _NAMED if name != "pica_falta")  # it is a number of points or 0
    bare = re.compile(rf"\b(rules|r)\.({names})\b *([=!<>]=?) *[0-9]|\b(if|and|or|not) r\.({names})(:| and| or)")
    package = Path(truco_env.__file__).parent
    agents = Path(__file__).parents[1] / "agents"
    found = [
        f"{file.name}: {match.group(0)}"
        for folder in (package, agents)
        for file in folder.rglob("*.py")
        for match in bare.finditer(file.read_text(encoding="utf-8"))
    ]
    assert found == []
