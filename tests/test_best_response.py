"""Exact best responses: the published check values, and what must hold for any policy."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from truco_agents.arena.estimate import estimate_mean
from truco_agents.ppo.agent import PPOAgent
from truco_agents.ppo.checkpoint import Checkpoint
from truco_agents.ppo.network import Architecture
from truco_agents.solver.best_response import HandSolver, SolverError
from truco_agents.solver.positions import all_hands
from truco_env.batch.batch import Batch
from truco_env.observation.layout import layout_of
from truco_env.players.protocol import Askable
from truco_env.players.random import RandomAgent
from truco_env.rules.actions import N_ACTIONS, Action
from truco_env.rules.cards import parse_card
from truco_env.rules.options import Rules

_ROWS = list(csv.DictReader((Path(__file__).parent / "data" / "best_response.csv").open(encoding="utf-8")))


class Ranked:
    """Takes the first legal action of an order of ids."""

    def __init__(self, name: str, first: list[Action]) -> None:
        self.name = name
        self._order = np.array([*first, *(action for action in range(N_ACTIONS) if action not in first)])

    def start(self, rows: npt.NDArray[np.int64]) -> None:
        pass

    def act(
        self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8], rng: np.random.Generator, rows: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        return np.asarray(self._order[masks[:, self._order].argmax(axis=1)])

    def probabilities(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        rows: npt.NDArray[np.int64],
        seats: npt.NDArray[np.int8] | None = None,
    ) -> npt.NDArray[np.float64]:
        return np.asarray(np.eye(N_ACTIONS)[self.act(observations, masks, np.random.default_rng(0), rows)])


POLICIES = {
    "first_legal": Ranked("first_legal", []),
    "accepter": Ranked("accepter", [Action.FLOR, Action.QUIERO, Action.PLAY_0, Action.PLAY_1, Action.PLAY_2]),
}


def _hand(text: str) -> list[int]:
    return [parse_card(name) for name in text.split()]


#: The rivals that the check values were computed with: hands of the card ids 0..39, so 8s and 9s in place of 11s and 12s.
_CHECK_DECK = np.arange(40)
_QUICK = [row for row in _ROWS if row["own_hand"] == "6O 5O 3O" or (row["own_hand"], row["scores"]) == ("7B 5B 12C", "27-25")]


def _check(row: dict[str, str]) -> None:
    ours, theirs = map(int, row["scores"].split("-"))
    solver = HandSolver(Rules("argentino"), POLICIES[row["policy"]], scores=(ours, theirs))
    own, mano = _hand(row["own_hand"]), row["seat"] == "mano"
    rivals = all_hands(_CHECK_DECK, without=own)
    best, reply = solver.best_response(own, mano=mano, rivals=rivals)
    assert best.rounded == 0
    assert best.payoffs[0] == pytest.approx(float(row["best_response"]), abs=1e-6)
    assert solver.reply_value(own, reply, "points", mano=mano, rivals=rivals).payoffs[0] == pytest.approx(best.payoffs[0], abs=1e-9)
    assert solver.agent_value(own, mano=mano, rivals=rivals).payoffs[0] == pytest.approx(float(row["policy_itself"]), abs=1e-6)


@pytest.mark.parametrize("row", _QUICK, ids=lambda row: f"{row['policy']}-{row['own_hand']}-{row['seat']}-{row['scores']}")
def test_check_values_are_reproduced(row: dict[str, str]) -> None:
    _check(row)


@pytest.mark.slow
@pytest.mark.parametrize("row", _ROWS, ids=lambda row: f"{row['policy']}-{row['own_hand']}-{row['seat']}-{row['scores']}")
def test_all_check_values_are_reproduced(row: dict[str, str]) -> None:
    _check(row)


def test_a_falta_with_32_wins_what_counting_says() -> None:
    """Of 7,770 rivals 380 sing a flor (-3), 82 hold 33 (-30), the others lose 30: no best response to the accepter does worse."""
    best, _ = HandSolver(Rules("argentino"), POLICIES["accepter"]).best_response(_hand("7B 5B 12C"), mano=True)
    assert best.payoffs[0] >= (30 * 7308 - 30 * 82 - 3 * 380) / 7770
    assert best.payoffs[0] == pytest.approx(27.76383526, abs=1e-8)


def test_the_policy_that_is_split_is_the_policy_itself() -> None:
    """Followed exactly, a uniform player loses to itself what a million drawn hands say, and nothing is rounded."""
    own, rivals = _hand("7O 6O 4C"), np.array([_hand("7B 5B 12C"), _hand("1E 3B 10O")], dtype=np.int8)
    solver = HandSolver(Rules("argentino", flor_mode="off"), RandomAgent(), grain=0.0)
    best, reply = solver.best_response(own, mano=True, rivals=rivals)
    again = solver.reply_value(own, reply, "points", mano=True, rivals=rivals)
    itself = solver.agent_value(own, mano=True, rivals=rivals)
    assert best.rounded == again.rounded == itself.rounded == 0
    assert again.payoffs[0] == pytest.approx(best.payoffs[0], abs=1e-9)
    assert itself.payoffs[0] < best.payoffs[0]


def test_drawn_branches_bracket_the_exact_value() -> None:
    own, rivals = _hand("7O 6O 4C"), np.array([_hand("7B 5B 12C"), _hand("1E 3B 10O")], dtype=np.int8)
    rules = Rules("argentino", flor_mode="off")
    exact = HandSolver(rules, RandomAgent(), grain=0.0).best_response(own, mano=True, rivals=rivals)[0].payoffs[0]
    uppers, lowers = [], []
    for seed in range(40):
        solver = HandSolver(rules, RandomAgent(), grain=0.02, seed=seed)
        best, reply = solver.best_response(own, mano=True, rivals=rivals)
        assert best.rounded > 0
        uppers.append(best.payoffs[0])
        lowers.append(solver.reply_value(own, reply, "points", mano=True, rivals=rivals).payoffs[0])
    upper, lower = estimate_mean(np.array(uppers)), estimate_mean(np.array(lowers))
    assert lower.low <= exact <= upper.high
    assert lower.high < upper.low


def test_the_exact_best_response_does_not_depend_on_the_size_of_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    own = _hand("6O 5O 3O")
    solver = HandSolver(Rules("argentino"), POLICIES["accepter"])
    whole, _ = solver.best_response(own, mano=False)
    monkeypatch.setattr("truco_agents.solver.best_response._PART", 500)
    parts, _ = solver.best_response(own, mano=False)
    assert parts.payoffs == pytest.approx(whole.payoffs, abs=1e-12)


@pytest.mark.parametrize(
    ("rules", "wanted", "words"),
    [
        (Rules("argentino", 4), {}, "players=4"),
        (Rules("argentino", 2, senas="free"), {}, "senas=free"),
        (Rules("argentino"), {"grain": 2.0}, "grain=2.0"),
        (Rules("argentino"), {"scores": (30, 0)}, "0 to 29"),
    ],
)
def test_what_cannot_be_solved_is_refused(rules: Rules, wanted: dict[str, Any], words: str) -> None:
    with pytest.raises(SolverError, match=words):
        HandSolver(rules, RandomAgent(), **wanted)


def test_a_hand_that_is_not_of_the_deck_is_refused() -> None:
    with pytest.raises(SolverError, match="own="):
        HandSolver(Rules("argentino"), RandomAgent()).best_response([0, 0, 1], mano=True)


def test_ppo_draws_by_its_probabilities() -> None:
    rules = Rules("argentino")
    architecture = Architecture(layout_of(rules).size, N_ACTIONS, (8,), (), ())
    rng = np.random.default_rng(3)
    weights = {name: rng.normal(size=shape).astype(np.float32) for name, shape in architecture.shapes().items()}
    checkpoint = Checkpoint("small", rules, architecture, weights)
    batch = Batch(rules, 1)
    batch.reset(5)
    observations, masks = batch.observations.repeat(20_000, axis=0), batch.masks.repeat(20_000, axis=0)
    rows = np.arange(20_000)
    for mode in ("sampled", "greedy"):
        agent = PPOAgent(checkpoint, mode=mode)
        assert isinstance(agent, Askable)
        told = agent.probabilities(observations, masks, rows)
        assert told.sum(axis=1) == pytest.approx(1.0)
        assert not told[masks == 0].any()
        drawn = np.bincount(agent.act(observations, masks, np.random.default_rng(0), rows), minlength=N_ACTIONS) / 20_000
        assert drawn == pytest.approx(told[0], abs=0.02)
