"""The case files hold, and the case runner notices when one does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from truco_env.conformance.cases import DISPUTED, Case, find_files, load_cases, main, run_case
from truco_env.errors import CaseError

_CASES = {case.id: case for file in find_files(Path(__file__).parent / "data" / "cases") for case in load_cases(file)}

_TEXT = """
- id: X1
  title: envido is answered before truco
  source: sheet 1.12
  ruleset: reglamento
  players: 2
  dealer: 1
  scores: [3, 4]
  hands: [7O 6O 4C, 7B 5B 12C]
  moves: 0 truco, 1 envido, 0 quiero
  then:
    to_act: 1
    legal: [no_quiero, quiero, retruco]
    legal_has: [retruco]
    legal_lacks: [envido]
    awarded: [2, 0]
    scores: [5, 4]
    declared: {0: 33}
    hidden: [1]
    hand_over: false
    match_over: false
    winner: null
    refused: [1 envido, 0 quiero, 1 7B]
"""


def test_the_case_files_are_there() -> None:
    assert len(_CASES) == 350


@pytest.mark.parametrize("case", _CASES.values(), ids=_CASES.keys())
def test_case(case: Case) -> None:
    failures = run_case(case)
    if case.id in DISPUTED:
        pytest.xfail(DISPUTED[case.id])
    assert not failures, f"{case}\n" + "\n".join(failures)


@pytest.fixture
def case(tmp_path: Path) -> Case:
    file = tmp_path / "x.yaml"
    file.write_text(_TEXT)
    return load_cases(file)[0]


def test_a_case_that_holds_has_no_failures(case: Case) -> None:
    assert run_case(case) == []


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("to_act", 0),
        ("to_act", None),
        ("legal", ["quiero", "no_quiero"]),
        ("legal_has", ["mazo"]),
        ("legal_lacks", ["quiero"]),
        ("awarded", [0, 2]),
        ("scores", [2, 0]),
        ("declared", {0: 27}),
        ("declared", {1: 32}),
        ("hidden", [0]),
        ("hand_over", True),
        ("match_over", True),
        ("winner", "A"),
        ("refused", "1 retruco"),
    ],
)
def test_a_wrong_expectation_is_reported_under_its_key(case: Case, key: str, wrong: Any) -> None:
    failures = run_case(replace(case, then={**case.then, key: wrong}))
    assert len(failures) == 1
    assert failures[0].startswith(f"{key}: ")


def test_an_illegal_move_is_a_failure_that_names_it(case: Case) -> None:
    (failure,) = run_case(replace(case, moves=["0 truco", "1 mazo"]))
    assert "move 2, '1 mazo'" in failure
    assert "legal moves are" in failure


@pytest.mark.parametrize(
    "change",
    [
        {"hands": ["7O 6O 4C", "7O 5B 12C"]},
        {"options": {"flor": "off"}},
        {"options": {1: 2}},
        {"dealer": 2},
        {"scores": [30, 0]},
        {"scores": [0]},
        {"won": [1, 0]},
        {"kind": "pica"},
        {"ruleset": "mus"},
    ],
)
def test_a_case_that_cannot_be_set_up_is_a_failure(case: Case, change: dict[str, Any]) -> None:
    (failure,) = run_case(replace(case, **change))
    assert failure.startswith("it cannot be set up: ")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- id: [", "is no YAML"),
        ("cases: 1", "must be a list of cases"),
        ("", "must be a list of cases"),
        ("- 7", "case 1 must have keys and values"),
        ("- id: X", "case X: lacks ruleset, players"),
        (_TEXT.replace("title:", "tilte:"), "unknown keys tilte"),
        (_TEXT.replace("to_act: 1", "to_atc: 1"), "unknown expectation 'to_atc'"),
        (_TEXT.replace("to_act: 1", "to_act: one"), "to_act cannot be 'one'"),
        (_TEXT.replace("players: 2", "players: two"), "players must be a int"),
        (_TEXT.replace("moves: 0 truco,", "moves: 7 #"), "moves must be text"),
        (_TEXT + _TEXT, "the id 'X1' stands twice"),
    ],
)
def test_a_broken_case_file_is_refused_in_one_line(tmp_path: Path, text: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "broken.yaml"
    file.write_text(text)
    with pytest.raises(CaseError, match=r"broken\.yaml") as caught:
        load_cases(file)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)
    assert main([str(file)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("name", ["none", "note.txt"])
def test_a_path_without_cases_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "note.txt").write_text("no cases")
    assert main([str(tmp_path / name)]) == 2
    assert main([str(tmp_path)]) == 2


def test_the_exit_status_says_whether_all_hold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good.yaml", tmp_path / "sub" / "bad.yml"
    good.write_text(_TEXT)
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == "1 cases, 0 traces: all hold\n"
    bad.parent.mkdir()
    bad.write_text(_TEXT.replace("to_act: 1", "to_act: 0"))
    assert main([str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert "FAIL bad.yml: X1 envido is answered before truco (sheet 1.12)\n     to_act: expected 0, found 1\n" in out
    assert out.endswith("2 cases, 0 traces: 1 failed\n")
    bad.write_text("[")
    assert main([str(good), str(bad)]) == 2
