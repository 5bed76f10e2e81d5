"""Perft: the number of legal move sequences of fixed deals, to each depth. A finished hand counts as one sequence.

The counts were taken from the engine when it agreed with all cases and traces; a change of one is a change of the rules.
The first can be checked by hand, such as 3 cards + 3 envidos + truco + mazo = 8.
"""

from __future__ import annotations

from typing import Any

import pytest

from truco_env.game.game import Game

_TWO = ["7O 6O 4C", "7B 5B 12C"]
_FLORES = ["7O 6O 4O", "7B 5B 12B"]
_TRUC = ["7O 6O 4C", "7B 5B 3C"]
_FOUR = ["7O 6O 4C", "7B 5B 4B", "2C 3B 10E", "12C 11O 6E"]
_GALLO = ["7O 6O 4C", "7B 5B 12C", "1E 2C 6B 12O"]
_SIX = ["1E 4B 5O", "3C 6B 12C", "7C 2B 10E", "4E 5B 11O", "6C 10C 4O", "7B 12E 1C"]

_TABLES: list[tuple[str, int, dict[str, Any], list[str], dict[str, Any], list[int]]] = [
    ("reglamento", 2, {}, _TWO, {}, [8, 42, 148, 519, 1558, 4453, 10891]),
    ("reglamento", 2, {"contraflor": True}, _FLORES, {}, [9, 40, 145, 502, 1572, 4530, 11557]),
    ("reglamento", 4, {}, _FOUR, {}, [5, 26, 193, 994, 3799, 14461]),
    ("reglamento", 4, {"flor_poll": "uniform", "envido_first": "annul"}, _FOUR, {}, [5, 26, 150, 615, 2245, 7266]),
    ("truc_valencia", 2, {}, _TRUC, {}, [6, 26, 85, 269, 711, 1856, 4147, 8956]),
    ("truc_valencia", 2, {"falta_direct": True, "retruco_right": "either"}, _TRUC, {}, [7, 33, 113, 376, 1078, 3001, 7265]),
    ("trucomano", 2, {}, _TWO, {}, [8, 41, 134, 434, 1214, 3277, 7529]),
    ("trucomano", 2, {"best_of": 3}, _FLORES, {}, [9, 39, 135, 444, 1309, 3572, 8657]),
    ("argentino", 2, {"flor_mode": "off"}, _TWO, {}, [8, 41, 134, 434, 1214, 3277, 7529]),
    ("argentino", 2, {}, _FLORES, {}, [1, 4, 15, 56, 178, 514, 1262, 2857]),
    ("argentino", 2, {"flor_table": "clarin", "scoring_time": "end_of_hand"}, _FLORES, {}, [1, 4, 15, 60, 200, 588, 1478, 3376]),
    ("argentino", 2, {}, _TWO, {"scores": (29, 29)}, [8, 41, 114, 250, 466, 917, 1599, 2675]),
    ("argentino", 3, {}, _GALLO, {"dealer": 2}, [4, 32, 204, 972, 3440, 12028]),
    ("argentino", 4, {"senas": "truthful"}, _FOUR, {}, [10, 24, 54, 317, 1830, 9655]),
    ("argentino", 4, {"fold_scope": "player"}, _FOUR, {}, [8, 8, 38, 169, 713, 2683, 9266]),
    ("argentino", 6, {}, _SIX, {}, [8, 48, 247, 1199, 5870, 27105]),
    ("argentino", 6, {"pica_pica": True}, _SIX, {"scores": (8, 6)}, [8, 48, 213, 1007, 4836, 23149]),
]


def count_sequences(game: Game, depth: int) -> int:
    """Return how many sequences of ``depth`` moves there are, those that end the hand before counted once."""
    if depth == 0 or game.hand_over:
        return 1
    total = 0
    for action in game.legal_actions:
        after = game.copy()
        after.play(action)
        total += count_sequences(after, depth - 1)
    return total


@pytest.mark.parametrize(
    ("ruleset", "players", "options", "deal", "position", "counts"),
    _TABLES,
    ids=[f"{table[0]}-{table[1]}-{'-'.join(map(str, table[2].values()))}" for table in _TABLES],
)
def test_perft(ruleset: str, players: int, options: dict[str, Any], deal: list[str], position: dict[str, Any], counts: list[int]) -> None:
    game = Game(ruleset, players, **options)
    game.deal(deal, **position)
    assert [count_sequences(game, depth) for depth in range(1, len(counts) + 1)] == counts
