"""Promises of ``evaluate.py``: what it prints, what it writes, and one line for whatever is wrong."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from truco_agents.arena import Pairing, Scores, play_match
from truco_agents.arena.cli import main
from truco_agents.ppo import Architecture, Checkpoint, load
from truco_agents.rule_based.character import LADDER
from truco_env.observation.layout import layout_of
from truco_env.players.protocol import Agent
from truco_env.rules.actions import N_ACTIONS
from truco_env.rules.options import Rules

ROOT = Path(__file__).parents[1]
FEW = ["--groups", "20"]


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """Compile first, so that no test sees the message about it."""
    play_match("bravo", "prudente", Rules(), groups=2)


def table_of(text: str) -> dict[str, list[str]]:
    """Read a printed Markdown table: first cell to the others."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return {row[0]: row[1:] for row in rows}


def numbers(cells: Sequence[str]) -> list[float]:
    return [float(number) for cell in cells for number in re.findall(r"[+-]?\d+\.?\d*", cell)]


def test_match_prints_estimates_with_intervals_and_what_was_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "bravo", "random", *FEW, "--option", "flor_mode=off", "target=15"]) == 0
    printed = capsys.readouterr().out
    header = printed.splitlines()[0]
    for part in ("A = bravo, B = random", "argentino, 2 players, flor_mode=off, target=15", "20 deal groups x 2 seatings", "seed 0 x 20 #"):
        assert part in header
    rows = table_of(printed)
    for row in ("points per hand", "matches won", "in seat 0", "in seat 1", "difference", "hands per match"):
        mean, low, high = numbers(rows[row])
        assert low < mean < high or mean in (0, 100)


def test_the_file_recomputes_every_printed_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "result.json"
    assert main(["match", "bravo", "prudente", *FEW, "--players", "4", "--out", str(out)]) == 0
    captured = capsys.readouterr()
    assert f"written to {out}" in captured.err
    rows, data = table_of(captured.out), json.loads(out.read_text())
    points, hands, wins = (np.array(data[name]) for name in ("points", "hands", "wins"))
    ratio = points.sum() / hands.sum()
    assert data["group_means"]["points_per_hand"] == pytest.approx(ratio + (points - ratio * hands).sum(1) / hands.sum(1).mean())
    assert data["group_means"]["win_rate"] == pytest.approx(wins.mean(1))
    per_hand = np.array(data["group_means"]["points_per_hand"])
    assert numbers(rows["points per hand"])[0] == pytest.approx(ratio, abs=6e-4)
    assert numbers(rows["matches won"])[0] == pytest.approx(100 * wins.mean(), abs=6e-2)
    assert numbers(rows["in seats 0+2"])[0] == pytest.approx(100 * wins[:, 0].mean(), abs=6e-2)
    assert numbers(rows["difference"])[0] == pytest.approx(100 * (wins[:, 0] - wins[:, 1]).mean(), abs=6e-2)
    assert numbers(rows["hands per match"])[0] == pytest.approx(hands.mean(), abs=6e-3)
    half = 2.0930240544 * per_hand.std(ddof=1) / 20**0.5  # Student's t, 19 degrees of freedom
    assert numbers(rows["points per hand"])[1:] == pytest.approx([ratio - half, ratio + half], abs=6e-4)
    summary = data["summary"]["win_rate"]
    assert numbers(rows["matches won"]) == pytest.approx([100 * summary[key] for key in ("mean", "low", "high")], abs=6e-2)


def test_hand_episodes_count_hands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "bravo", "random", *FEW, "--episode", "hand"]) == 0
    printed = capsys.readouterr().out
    assert "single hands" in printed
    assert "hands won" in table_of(printed)
    assert "hands per match" not in printed


def test_table_has_a_row_for_each_opponent_on_the_same_deals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "table.json"
    assert main(["table", "bravo", "--against", "random", "prudente", *FEW, "--out", str(out)]) == 0
    rows = table_of(capsys.readouterr().out)
    results = json.loads(out.read_text())["results"]
    assert [result["sides"] for result in results] == [["bravo", "random"], ["bravo", "prudente"]]
    assert results[0]["deals"] == results[1]["deals"]
    for result in results:
        assert numbers(rows[result["sides"][1]])[0] == pytest.approx(result["summary"]["points_per_hand"]["mean"], abs=6e-4)
    mean = np.mean([result["group_means"]["win_rate"] for result in results])
    assert numbers(rows["mean of these"])[3] == pytest.approx(100 * mean, abs=6e-2)
    assert numbers(rows["worst: prudente"]) == numbers(rows["prudente"])


def test_a_table_against_the_ladder_has_everybody_but_the_agent_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", "bravo", "--against", "ladder", *FEW]) == 0
    rows = table_of(capsys.readouterr().out)
    assert [name for name in LADDER if name in rows] == [name for name in LADDER if name != "bravo"]


def test_tournament_prints_the_matrix_and_ratings_with_random_at_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "tournament.json"
    assert main(["tournament", "bravo", "random", "prudente", *FEW, "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    data = json.loads(out.read_text())
    assert data["anchor"] == "random"
    assert data["elo"]["random"]["mean"] == 0
    assert len(data["results"]) == 3
    assert "Elo (random = 0)" in printed
    assert numbers(table_of(printed)["bravo"][:1])[0] == pytest.approx(data["elo"]["bravo"]["mean"], abs=0.6)


def test_agents_lists_every_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agents"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert {"random", "bravo", "prudente"} <= set(names)


BAD = {
    "match bravo nobody": "no agent is called 'nobody': known names are",
    "match bravo": "required: B",
    "match bravo random --ruleset mus": "unknown ruleset 'mus'",
    "match bravo random --players 5": "players=5 is not possible in argentino",
    "match bravo random --option flor=off": "unknown option 'flor'; did you mean",
    "match bravo random --option flor_mode=maybe": "flor_mode takes off, optional",
    "match bravo random --option flor_mode": "write NAME=VALUE",
    "match bravo random --option target=15 target=30": "option target is given twice",
    "table bravo --against random prudente random": "--against random is given twice",
    "match bravo random --groups 1": "an interval needs 2 or more",
    "match bravo random --groups 99999999999999999999": "a deal set has at most 10,000,000",
    "match bravo random --groups many": "argument --groups",
    "match bravo random --workers 0": "workers=0",
    "match bravo random --seed -1": "seed=-1",
    "match bravo random --episode leg": "choose one of match, hand",
    "match bravo+random random": "name one agent",
    "match bravo+ random": "empty name",
    "match bravo random --out .": "is a folder",
    "tournament bravo": "needs two sides",
    "tournament bravo bravo": "twice",
    "tournament bravo random --anchor prudente": "not in the tournament",
    "play bravo random": "invalid choice",
    "": "required: COMMAND",
}


@pytest.mark.parametrize("line", BAD)
def test_bad_input_is_one_line_and_status_2(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status: object = main(line.split())
    except SystemExit as error:
        status = error.code
    captured = capsys.readouterr()
    assert status == 2
    assert captured.out == ""
    assert re.fullmatch(r"evaluate\.py: [^\n]+\n", captured.err)
    assert BAD[line] in captured.err


@pytest.mark.parametrize("content", [{}, {"manifest.json": "{"}, {"manifest.json": "[]"}, {"manifest.json": "{}", "weights.npz": "x"}])
def test_a_folder_that_is_no_checkpoint_is_one_line_and_status_2(
    content: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in content.items():
        (tmp_path / name).write_text(text)
    assert main(["match", str(tmp_path), "random", *FEW]) == 2
    captured = capsys.readouterr()
    assert re.fullmatch(r"evaluate\.py: [^\n]+\n", captured.err)
    assert str(tmp_path) in captured.err


def save_checkpoint(folder: Path, rules: Rules) -> None:
    """Write a PPO agent with random weights."""
    architecture = Architecture(layout_of(rules).size, N_ACTIONS, (8,), (), ())
    rng = np.random.default_rng(0)
    weights = {name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in architecture.shapes().items()}
    Checkpoint("net", rules, architecture, weights).save(folder)


def test_checkpoint_folders_play_in_worker_processes_as_in_this_one(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "net", Rules())
    files = [tmp_path / f"{workers}.json" for workers in (1, 2)]
    for workers, file in zip((1, 2), files, strict=True):
        assert main(["match", str(tmp_path / "net"), "random", "--groups", "200", "--workers", str(workers), "--out", str(file)]) == 0
    assert files[0].read_bytes() == files[1].read_bytes()
    data = json.loads(files[0].read_text())
    assert data["sides"] == [str(tmp_path / "net"), "random"]
    assert data["made_with"]["agents"][0][0]["sha256"] == load(tmp_path / "net").digest


def test_a_checkpoint_for_another_table_is_one_line_and_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_checkpoint(tmp_path / "net", Rules())
    assert main(["match", str(tmp_path / "net"), "random", *FEW, "--players", "4"]) == 2
    assert re.fullmatch(r"evaluate\.py: [^\n]+\n", capsys.readouterr().err)


def test_bad_input_is_found_before_anything_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(self: Pairing, chunk: int, agents: Sequence[Agent]) -> Scores:
        raise AssertionError("played")

    monkeypatch.setattr(Pairing, "play_chunk", play)
    assert main(["table", "bravo", "--against", "random", "nobody"]) == 2


class Failing:
    """Plays like its betters until it has been asked a number of times."""

    name = "failing"

    def __init__(self, rules: Rules, patience: int = 0) -> None:
        self.patience = patience

    def start(self, rows: np.ndarray) -> None:
        pass

    def act(self, observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator, rows: np.ndarray) -> np.ndarray:
        self.patience -= 1
        if self.patience < 0:
            raise RuntimeError("no more")
        return np.asarray(masks.argmax(axis=1))


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_table_goes_on_without_an_agent_that_fails(workers: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "table.json"
    failing = f"{Path(__file__)}:Failing"
    command = ["table", "bravo", "--against", "random", failing, "prudente", "--groups", "200", "--workers", workers, "--out", str(out)]
    assert main(command) == 1
    captured = capsys.readouterr()
    assert f"evaluate.py: bravo - {failing}: agent 'failing' raised RuntimeError: no more (test_evaluate_cli.py, line " in captured.err
    assert "not everything could be played: kept the 2 of 3 pairings that were finished" in captured.err
    assert [result["sides"][1] for result in json.loads(out.read_text())["results"]] == ["random", "prudente"]
    assert {"random", "prudente"} <= set(table_of(captured.out))


def test_a_tournament_keeps_the_pairings_without_an_agent_that_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "tournament.json"
    assert main(["tournament", "bravo", f"{Path(__file__)}:Failing", "random", *FEW, "--out", str(out)]) == 1
    captured = capsys.readouterr()
    assert "kept the 1 of 3 pairings that were finished; ratings need all of them" in captured.err
    data = json.loads(out.read_text())
    assert data["elo"] is None and [result["sides"] for result in data["results"]] == [["bravo", "random"]]
    assert "Elo" not in captured.out and numbers(table_of(captured.out)["bravo"])


def test_a_match_keeps_what_was_finished_before_an_agent_failed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "result.json"
    play_chunk = Pairing.play_chunk

    def play(self: Pairing, chunk: int, agents: Sequence[Agent]) -> Scores:
        return play_chunk(self, chunk, agents if chunk == 0 else [Failing(Rules()), *agents[1:]])

    monkeypatch.setattr(Pairing, "play_chunk", play)
    assert main(["match", "bravo", "random", "--groups", "200", "--out", str(out)]) == 1
    assert "kept the first 128 of 200 deal groups" in capsys.readouterr().err
    assert json.loads(out.read_text())["deals"]["groups"] == 128


def test_nothing_is_written_where_nothing_was_finished(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "result.json"
    assert main(["match", f"{Path(__file__)}:Failing", "random", *FEW, "--out", str(out)]) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and re.fullmatch(r"evaluate\.py: [^\n]*agent 'failing' raised RuntimeError: no more[^\n]*\n", captured.err)
    assert not out.exists()


@pytest.mark.parametrize(
    ("command", "group"), [("table bravo --against random prudente maestro", False), ("tournament bravo random prudente maestro", True)]
)
def test_sigterm_keeps_the_finished_pairings(command: str, group: bool, tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    slow = tmp_path / "slow.py"
    slow.write_text(
        "import time\nfrom pathlib import Path\nfrom truco_env.players.random import RandomAgent\n"
        "class Slow(RandomAgent):\n    def act(self, *arguments):\n"
        "        Path(__file__).with_suffix('.acts').touch()\n        time.sleep(1)\n        return super().act(*arguments)\n"
    )
    words = command.replace("maestro", f"{slow}:Slow").split()
    line = [sys.executable, "evaluate.py", *words, "--groups", "200", "--workers", "2", "--out", str(out)]
    with subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        while not slow.with_suffix(".acts").exists():
            time.sleep(0.2)
            assert process.poll() is None, process.communicate()
        time.sleep(5)  # until the other worker has finished the pairing before
        (os.killpg if group else os.kill)(process.pid, signal.SIGTERM)
        printed, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "interrupted: kept the " in errors and "Traceback" not in errors
    assert "bravo" in printed
    assert ["bravo", "random"] in [result["sides"] for result in json.loads(out.read_text())["results"]]


def interrupt_at(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Let the keyboard interrupt the arena instead of its ``count``-th chunk."""
    play_chunk, played = Pairing.play_chunk, []

    def play(self: Pairing, chunk: int, agents: Sequence[Agent]) -> Scores:
        played.append(chunk)
        if len(played) == count:
            raise KeyboardInterrupt
        return play_chunk(self, chunk, agents)

    monkeypatch.setattr(Pairing, "play_chunk", play)


def test_an_interrupted_match_keeps_its_finished_beginning(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupt_at(monkeypatch, 2)
    out = tmp_path / "result.json"
    assert main(["match", "bravo", "random", "--groups", "400", "--out", str(out)]) == 130
    assert "evaluate.py: interrupted: kept the first 128 of 400 deal groups\n" in capsys.readouterr().err
    assert json.loads(out.read_text())["deals"]["groups"] == 128


def test_an_interrupted_table_keeps_the_finished_pairings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupt_at(monkeypatch, 4)
    out = tmp_path / "table.json"
    assert main(["table", "bravo", "--against", "random", "prudente", "--groups", "200", "--out", str(out)]) == 130
    assert "kept the 1 of 2 pairings that were finished" in capsys.readouterr().err
    assert [result["sides"][1] for result in json.loads(out.read_text())["results"]] == ["random"]


@pytest.mark.parametrize("line", ["match bravo random", "table bravo --against random", "tournament bravo random prudente"])
def test_an_interrupt_before_any_result_says_that_nothing_was_saved(
    line: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupt_at(monkeypatch, 1)
    out = tmp_path / "result.json"
    assert main([*line.split(), "--groups", "200", "--out", str(out)]) == 130
    assert capsys.readouterr().err == "evaluate.py: interrupted before there was a result: nothing was saved\n"
    assert not out.exists()


@pytest.mark.parametrize(("workers", "seconds"), [("1", 4.0), ("2", 1.5), ("2", 6.0)])
def test_the_keyboard_ends_a_running_program_without_a_trace(workers: str, seconds: float) -> None:
    command = [sys.executable, "evaluate.py", "match", "bravo", "prudente", "--groups", "1000000", "--workers", workers]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert re.fullmatch(r"(evaluate\.py: interrupted[^\n]+\n)?", errors)
