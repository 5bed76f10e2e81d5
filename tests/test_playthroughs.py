"""Playthroughs: a few hands of every rule set and table size, with all that a game says at every step, kept in a file.

A difference shows what a change did to the behaviour. ``python -m tests.regenerate_playthroughs`` writes the files anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from truco_env.game.game import Game

FOLDER: Final = Path(__file__).parent / "data" / "playthroughs"
HANDS: Final = 4
_LEAVING: Final = ("mazo", "cerrarse")

#: Table by file name: rule set, players, options, position of the first hand.
TABLES: Final[dict[str, tuple[str, int, dict[str, Any], dict[str, Any]]]] = {
    "reglamento_2": ("reglamento", 2, {}, {}),
    "reglamento_2_contraflor": ("reglamento", 2, {"contraflor": True, "match": "sets"}, {}),
    "reglamento_4": ("reglamento", 4, {}, {}),
    "reglamento_6": ("reglamento", 6, {}, {}),
    "reglamento_8": ("reglamento", 8, {"allow_8": True, "flor_poll": "uniform"}, {}),
    "truc_valencia_2": ("truc_valencia", 2, {}, {}),
    "truc_valencia_4": ("truc_valencia", 4, {"senas": "truthful"}, {}),
    "truc_valencia_6": ("truc_valencia", 6, {}, {}),
    "truc_valencia_8": ("truc_valencia", 8, {"deck30": True}, {}),
    "trucomano_2": ("trucomano", 2, {"best_of": 3}, {}),
    "argentino_2": ("argentino", 2, {}, {}),
    "argentino_2_end_of_hand": ("argentino", 2, {"scoring_time": "end_of_hand", "flor_mode": "optional", "target": 15}, {}),
    "argentino_3_gallo": ("argentino", 3, {}, {}),
    "argentino_4": ("argentino", 4, {"senas": "free", "sena_catch": 0.25}, {}),
    "argentino_6": ("argentino", 6, {}, {}),
    "argentino_6_pica_pica": ("argentino", 6, {"pica_pica": True}, {"scores": (6, 8), "kind": "redonda"}),
}


def _mix(state: int) -> int:
    """The next of a fixed sequence of numbers, which no library can change."""
    return (state * 6364136223846793005 + 1442695040888963407) % 2**64


def _choose(game: Game, state: int) -> str:
    """A move: seldom one that leaves, and of the many señas one of the first two."""
    legal = [name for name in game.legal if name not in _LEAVING or (state >> 50) % 12 == 0] or game.legal
    senas = [name for name in legal if name.startswith("sena:")]
    legal = [name for name in legal if name not in senas[2:]]
    return legal[(state >> 33) % len(legal)]


def play_through(name: str) -> str:
    """Return the text of a playthrough."""
    ruleset, players, options, position = TABLES[name]
    game, state = Game(ruleset, players, **options), sum(name.encode())
    game.deal(seed=state, **position)
    lines = [f"# {name}", ""]
    for _ in range(HANDS):
        lines += [f"## hand {game.hand_number}", "", "deal " + " | ".join(map(" ".join, game.hand.deal))]
        lines += ["", game.observe_text(game.mano), ""]
        told = step = 0
        while True:
            lines += [f"  {event}" for event in game.events[told:]]
            told = len(game.events)
            if game.hand_over:
                break
            state = _mix(state)
            move = _choose(game, state)
            actions = " ".join(str(int(action)) for action in game.legal_actions)
            lines.append(f"{game.to_act} {game.phase}: {' '.join(game.legal)} [{actions}] -> {move}")
            step += 1
            if step % 4 == 0:
                lines.append(_view(game, step // 4 % game.rules.players))
            game.play(move)
        lines += [f"scores {game.scores} won {game.won} match_over {game.match_over} winner {game.winner}"]
        lines += [_view(game, seat) for seat in range(players)] + [""]
        if game.match_over:
            break
        game.next_hand()
    lines += ["## notation", "", game.notation()]
    return "\n".join(lines)


def _view(game: Game, seat: int) -> str:
    values = game.view(seat).to_dict()
    del values["events"]
    return json.dumps(values)


@pytest.mark.parametrize("name", TABLES)
def test_playthrough(name: str) -> None:
    file = FOLDER / f"{name}.txt"
    assert file.exists(), "it is missing: run python -m tests.regenerate_playthroughs"
    assert play_through(name).split("\n") == file.read_text(encoding="utf-8").split("\n")


def test_there_is_no_file_without_a_table() -> None:
    assert {file.stem for file in FOLDER.iterdir()} == set(TABLES)


def test_every_rule_set_and_table_size_has_a_playthrough() -> None:
    sizes = {"reglamento": {2, 4, 6, 8}, "truc_valencia": {2, 4, 6, 8}, "trucomano": {2}, "argentino": {2, 3, 4, 6}}
    for ruleset, players in sizes.items():
        assert {table[1] for table in TABLES.values() if table[0] == ruleset} == players
