"""What people look at: the table as text."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from truco_env import Action, Game, render_ansi, truco_v0
from truco_env.errors import PositionError

TABLES: list[dict[str, Any]] = [
    {"ruleset": "argentino"},
    {"ruleset": "reglamento", "players": 4, "senas": "free", "sena_catch": 0.5},
    {"ruleset": "truc_valencia", "players": 6},
    {"ruleset": "trucomano", "best_of": 3},
    {"ruleset": "argentino", "players": 3},
    {"ruleset": "argentino", "players": 6, "pica_pica": True},
]


def _game(**arguments: Any) -> Game:
    game = Game(**arguments)
    game.deal(["7O 6O 4C", "7B 5B 12C"], scores=(12, 9))
    return game


def test_shows_score_table_calls_and_told_numbers() -> None:
    game = _game(flor_mode="off")
    for move in ("envido", "quiero", "truco", "quiero", "7O", "5B", "6O"):
        game.play(move)
    assert render_ansi(game) == "\n".join(
        [
            "argentino, 2 players, to 30   hand 1   worth 2 points",
            "score   A 14   B 9",
            "",
            "   seat  side  cards        trick 1  trick 2  trick 3  told",
            "   0     A     4C  .   .    7O*      6O                33    mano",
            ">  1     B     .   7B  12C  5B                               dealer",
            "               won by       A",
            "",
            "trick 1   0: envido, 1: quiero, 0 tells 33, +2 for A (envido_won), 0: truco, 1: quiero, 0 plays 7O,",
            "          1 plays 5B, A takes it",
            "trick 2   0 plays 6O",
            "seat 1 is to act (turn): 12C, 7B, mazo (me voy al mazo), retruco",
        ]
    )


def test_a_seat_sees_only_what_it_may_know() -> None:
    game = _game(flor_mode="off")
    for move in ("7O", "5B"):
        game.play(move)
    text = render_ansi(game, 1)
    assert "7O*" in text
    assert "6O" not in text
    assert "4C" not in text
    assert "view    seat 1, envido 32" in text
    assert "seat 0 is to act (turn)" in text
    assert "truco" not in text.split("seat 0 is to act")[1], "the moves of another seat are its own"


def test_words_are_those_of_the_rule_set() -> None:
    game = Game("truc_valencia")
    game.deal(["7O 6O 4C", "7B 5B 3C"])
    for move in ("truco", "envido", "quiero"):
        game.play(move)
    text = render_ansi(game)
    assert "0: truque, 1: envide, 0: vull" in text
    assert "quiero (vull)" in text


def test_señas_and_discards_are_shown_to_those_who_know_them() -> None:
    game = Game("argentino", players=4, senas="free", flor_mode="off")
    game.deal(["7O 6O 4C", "7B 5B 12C", "1E 2B 3C", "4O 5C 10E"])
    game.play("sena:tres")
    assert "0 signs tres (seen by 2)" in render_ansi(game)
    assert "0 signs tres" in render_ansi(game, 2)
    assert "signs" not in render_ansi(game, 1)
    gallo = Game("argentino", players=3)
    gallo.deal(["4E 5B 6O", "4B 5O 6C", "4O 5C 6E 7B"])
    assert "?   ?   ?   ?" in render_ansi(gallo, 0)
    gallo.play("discard:4O")
    assert "2 discards 4O" in render_ansi(gallo, 2)
    assert "2 discards a card" in render_ansi(gallo, 0)


def test_the_end_is_told() -> None:
    game = _game(flor_mode="off")
    game.play("truco")
    game.play("no_quiero")
    assert render_ansi(game).endswith("the hand is over")
    last = game.events
    game.next_hand(["1E 2E 3O", "4E 5E 6C"])
    assert "before  +1 for A (truco_refused)" in render_ansi(game, previous=last)
    match = Game("argentino", flor_mode="off")
    match.deal(["7O 6O 4C", "7B 5B 12C"], scores=(29, 0))
    match.play("truco")
    match.play("no_quiero")
    assert render_ansi(match).endswith("the match is over: A won")


@pytest.mark.parametrize("table", TABLES, ids=lambda t: f"{t['ruleset']}{t.get('players', 2)}")
def test_every_position_can_be_drawn(table: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    game = Game(**table)
    for _ in range(12):
        game.deal(seed=int(rng.integers(2**32)))
        while not game.match_over:
            for perspective in ("all", int(rng.integers(game.rules.players))):
                text = render_ansi(game, perspective)
                assert max(map(len, text.splitlines())) <= 110
                assert not re.search(r"\bNone\b|Event|=\[", text)
            if game.hand_over:
                break
            game.play(str(rng.choice(game.legal)))


@pytest.mark.parametrize("perspective", [2, -1, "player_0", True])
def test_an_unknown_perspective_is_refused(perspective: Any) -> None:
    with pytest.raises(PositionError, match="is not possible"):
        render_ansi(_game(), perspective)


def test_nothing_is_drawn_before_a_deal() -> None:
    with pytest.raises(PositionError, match="nothing has been dealt"):
        render_ansi(Game())


def test_the_environment_draws_its_position() -> None:
    env = truco_v0.env(render_mode="ansi", perspective=1, flor_mode="off")
    env.reset(options={"deals": [["7O 6O 4C", "7B 5B 12C"]]})
    text: Any = env.render()
    assert "12C" in text
    assert "7O" not in text
    env.step(20)
    assert "before  +2 for B (mazo_first_trick)" in str(env.render())


def test_human_mode_writes_every_position(capsys: pytest.CaptureFixture[str]) -> None:
    env = truco_v0.env(render_mode="human", flor_mode="off")
    env.reset(options={"deals": [["7O 6O 4C", "7B 5B 12C"]]})
    env.step(0)
    assert env.render() is None
    assert capsys.readouterr().out.count("argentino, 2 players") == 2, "a position is written once"


def test_human_mode_does_not_betray_an_unseen_sena(capsys: pytest.CaptureFixture[str]) -> None:
    env = truco_v0.raw_env(players=4, senas="free", flor_mode="off", render_mode="human", perspective=1)
    env.reset(options={"deals": [["7O 6O 4C", "7B 5B 12C", "1E 2B 3C", "4O 5C 10E"]]})
    written = capsys.readouterr().out
    assert "seat 0 is to act" in written
    env.step(Action.SENA_TRES)
    assert capsys.readouterr().out == ""


def test_without_a_render_mode_rendering_warns() -> None:
    env = truco_v0.env()
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
