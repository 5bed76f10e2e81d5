"""Exact best responses: the published check values, and what must hold for any policy."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from truco_agents.solver.best_response import HandSolver, SolverError
from truco_env.players.random import RandomAgent
from truco_env.rules.actions import N_ACTIONS, Action
from truco_env.rules.cards import parse_card
from truco_env.rules.options import Rules

_ROWS = list(csv.DictReader((Path(__file__).parent / "data" / "best_response.csv").open(encoding="utf-8")))
_TRUE = np.float64


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


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: f"{row['policy']}-{row['own_hand']}-{row['seat']}-{row['scores']}")
def test_check_values_are_reproduced(row: dict[str, str]) -> None:
    ours, theirs = map(int, row["scores"].split("-"))
    solver = HandSolver(Rules("argentino"), POLICIES[row["policy"]], scores=(ours, theirs))
    own, mano = _hand(row["own_hand"]), row["seat"] == "mano"
    best, _ = solver.best_response(own, mano=mano)
    assert best.rounded == 0
    assert best.payoffs[0] == pytest.approx(float(row["best_response"]), abs=1e-6)
    assert solver.agent_value(own, mano=mano).payoffs[0] == pytest.approx(float(row["policy_itself"]), abs=1e-6)
