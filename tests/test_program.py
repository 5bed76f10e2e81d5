"""The program ``truco``: every command is dispatched, and bad input is one line and status 2."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import pytest

import truco_env
from truco_env.observation.layout import layout_of
from truco_env.program import main as program
from truco_env.rules.options import ABSENT, OPTIONS, RULESETS, Rules


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "truco_env", *arguments], capture_output=True, text=True, check=False)


def test_the_version_is_that_of_the_package() -> None:
    assert _run("--version").stdout == f"truco-env {truco_env.__version__}\n"


def test_help_names_every_command() -> None:
    assert all(f"\n  {name} " in _run("--help").stdout for name in program.COMMANDS)


@pytest.mark.parametrize("name", program.COMMANDS)
def test_a_command_explains_itself_under_its_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        program.main([name, "--help"])
    assert stop.value.code == 0
    assert f"usage: truco {name} " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "truco: the following arguments are required: COMMAND\n"),
        (["tarin"], "truco: argument COMMAND: invalid choice: 'tarin'"),
        (["rules", "argentina"], "truco rules: unknown ruleset 'argentina'"),
        (["observation", "argentino", "--players", "8"], "truco observation: "),
        (["observation", "--option", "flor"], "truco observation: option 'flor' is not readable: write NAME=VALUE\n"),
        (["observation", "--players", "two"], "truco observation: argument --players: invalid int value: 'two'\n"),
        (["evaluate", "match", "nobody", "random"], "truco evaluate: "),
        (["train"], "truco train: "),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments: Sequence[str], message: str) -> None:
    done = _run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message) and done.stderr.count("\n") == 1


@pytest.mark.parametrize("ruleset", RULESETS)
def test_rules_prints_every_option_of_a_rule_set_with_its_default(ruleset: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["rules", ruleset]) == 0
    rows = {line.split()[0]: line.split()[1] for line in capsys.readouterr().out.splitlines()[3:]}
    assert set(rows) == {name for name, option in OPTIONS.items() if option.default(ruleset) is not ABSENT}
    assert rows["parda_leader"] == "mano" and rows["mazo"] == "True"


def test_rules_prints_all_rule_sets_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["rules"]) == 0
    out = capsys.readouterr().out
    assert "reglamento: 2, 4, 6, 8 (with allow_8=true) players, 40 cards, 30 points to win" in out
    assert [line.split()[:5] for line in out.splitlines() if line.startswith("target")] == [["target", "–", "–", "–", "30"]]


def test_observation_prints_the_layout_of_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["observation", "argentino", "--players", "6", "--option", "pica_pica=true", "senas=free"]) == 0
    layout = layout_of(Rules("argentino", 6, pica_pica=True, senas="free"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"argentino, 6 players, pica_pica=True, senas=free: {layout.size} entries"
    assert [(int(line.split()[0]), line.split()[1]) for line in lines[3:]] == [(field.start, field.name) for field in layout.fields]


def test_a_missing_package_is_named_in_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def missing(name: str) -> ModuleType:
        raise ModuleNotFoundError("no", name="torch")

    monkeypatch.setattr(program, "import_module", missing)
    assert program.main(["train", "--config", "x"]) == 2
    assert capsys.readouterr().err == "truco train: the package torch is not installed: pip install 'truco-env[train]' brings it\n"


def test_ctrl_c_is_status_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*arguments: Any, **names: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("truco_env.program.rules.main", interrupted)
    assert program.main(["rules"]) == 130
    assert capsys.readouterr().err == "truco rules: interrupted\n"


def test_a_reader_that_stops_reading_is_no_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m truco_env rules | {sys.executable} -c pass", shell=True, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_describing_rules_and_observations_loads_no_compiler() -> None:
    code = "import sys; from truco_env.program.main import main; main(['rules']); main(['observation']); sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
