"""Text of option values: every command, config, case and notation reads the same forms, and reads back what is printed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truco_env.errors import RulesError
from truco_env.game.notation import parse_match
from truco_env.rules.options import ABSENT, OPTIONS, OptionValue, Rules
from truco_env.rules.text import option_text, read_assignments, read_option, read_options


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("falta", "none", None),
        ("falta", "None", None),
        ("falta", "null", None),
        ("falta", "12", 12),
        ("falta", "cama", "cama"),
        ("reveal_envido", "none", "none"),
        ("allow_8", "true", True),
        ("allow_8", "False", False),
        ("target", "15", 15),
        ("pica_band", "5,25", (5, 25)),
        ("pica_band", "5..25", (5, 25)),
        ("pica_band", "(5, 25)", (5, 25)),
        ("pica_band", "[5,25]", (5, 25)),
        ("pica_falta", "full", "full"),
        ("sena_catch", "0.25", 0.25),
        ("sena_catch", "1e-07", 1e-7),
        ("sena_catch", "0", 0),
        ("flor_mode", "OFF", "off"),
    ],
)
def test_each_form_is_read(name: str, text: str, value: OptionValue) -> None:
    read = read_option(name, text)
    assert (read, type(read)) == (value, type(value)) or (name == "sena_catch" and read == value)


@pytest.mark.parametrize("text", ["", "9" * 5000, "nan", "inf", "1e999", "--1", "5,25,30", "(5", "０", "maybe", "None of it"])
def test_what_is_no_value_is_refused_by_the_rules_and_never_by_python(text: str) -> None:
    for name in OPTIONS:
        value = read_option(name, text)
        with pytest.raises(RulesError):
            OPTIONS[name].parse(value)


def test_every_default_is_read_back() -> None:
    for option in OPTIONS.values():
        for value in (*option.values, *option.defaults):
            if value is not ABSENT:
                assert read_option(option.name, option_text(value)) == value  # type: ignore[arg-type]


@given(st.floats(0, 1))
def test_every_chance_is_read_back(chance: float) -> None:
    assert read_option("sena_catch", option_text(chance)) == chance


@pytest.mark.parametrize("name", ["players", "ruleset", "self", "", "flor_mod"])
def test_a_name_that_is_no_option_is_refused_by_name(name: str) -> None:
    with pytest.raises(RulesError, match=f"unknown option '{name}'"):
        read_option(name, "4")
    with pytest.raises(RulesError, match=f"unknown option '{name}'"):
        read_options({name: 4})


def test_keys_that_are_no_text_are_refused() -> None:
    with pytest.raises(RulesError, match="unknown option 4"):
        read_options({4: "off"})


def test_a_near_miss_is_named() -> None:
    with pytest.raises(RulesError, match="did you mean flor_mode"):
        read_assignments(["flor_mod=off"])


def test_assignments_are_read_and_a_wrong_form_is_refused() -> None:
    assert read_assignments(["pica_band=5,25", "falta=none", "pica_pica=true"]) == {"pica_band": (5, 25), "falta": None, "pica_pica": True}
    with pytest.raises(RulesError, match="write NAME=VALUE"):
        read_assignments(["flor_mode"])
    with pytest.raises(RulesError, match="option target is given twice"):
        read_assignments(["target=15", "target=30"])


def test_values_that_are_not_text_stay_as_they_are() -> None:
    assert read_options({"pica_band": [5, 25], "falta": "none", "target": 15}) == {"pica_band": [5, 25], "falta": None, "target": 15}


@pytest.mark.parametrize("written", ["5..25", "5,25", "(5,25)"])
def test_notation_reads_the_same_forms(written: str) -> None:
    text = f"truco-env match 1\nruleset argentino\nplayers 6\noption pica_band {written}\noption pica_pica true\nseed 1\n"
    assert parse_match(text).rules == Rules("argentino", 6, pica_pica=True, pica_band=(5, 25))
