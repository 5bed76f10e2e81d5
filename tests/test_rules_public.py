"""What everybody knows of a hand that is over (rules.md 1.14): boundaries that cases and traces cannot express."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from truco_env import truco_v0
from truco_env.game.game import Game

_BETTER, _WORSE = "7O 6O 4O", "7B 5B 12B"  # flores of 37 and 32


@pytest.mark.parametrize(("reveal", "shown"), [("winner", [1]), ("all", [0, 1]), ("none", [])])
def test_after_flores_were_compared_the_cards_that_reveal_envido_names_are_shown(reveal: str, shown: list[int]) -> None:
    game = Game("argentino", 2, reveal_envido=reveal)
    game.deal([_WORSE, _BETTER], dealer=1, scores=(0, 0), seed=0)
    for move in ("flor", "flor", "mazo"):
        assert not game.view(0).shown
        game.play(move)
    assert sorted(game.view(0).shown) == shown


def test_after_flores_were_compared_a_better_first_singer_shows_his_own_cards() -> None:
    game = Game("argentino", 2)
    game.deal([_BETTER, _WORSE], dealer=1, scores=(0, 0), seed=0)
    for move in ("flor", "flor", "mazo"):
        game.play(move)
    assert sorted(game.view(1).shown) == [0]


def seen(deal: list[str], played: str, seat: int, **table: Any) -> dict[str, npt.NDArray[np.int8]]:
    """What a seat sees after some moves, by field; seat 0 is mano."""
    env = truco_v0.raw_env(episode="hand", **table)
    env.reset(seed=1, options={"deals": [deal], "dealer": len(deal) - 1})
    for move in played.split():
        env.step({env.game.action_name(action): action for action in env.game.legal_actions}[move])
    return env.layout.views(env.observe(f"player_{seat}")["observation"])


def test_that_a_rival_must_answer_a_flor_tells_nobody_but_him_who_holds_one() -> None:
    """Seat 1 or seat 3 is the first opposing holder: their partners and rivals see the same until he has spoken (1.6, 1.14)."""
    mine, none, holds = "1E 2E 3E", "12C 1C 4B", "5O 6O 7O"
    here, there = ([mine, holds, "10C 11C 2B", none], [mine, none, "10C 11C 2B", holds])
    for seat in (0, 2):
        one, other = seen(here, "flor", seat, players=4), seen(there, "flor", seat, players=4)
        assert {name for name in one if not np.array_equal(one[name], other[name])} == set()


def test_a_refused_truco_waits_for_nobody() -> None:
    hands = ["1E 2B 3C", "4O 5C 6B"]
    assert seen(hands, "truco", 0, flor_mode="off")["truco_waits"].any()
    assert not seen(hands, "truco no_quiero", 0, flor_mode="off")["truco_waits"].any()


@pytest.mark.parametrize(("answer", "place"), [("quiero", 0), ("no_quiero", 1)])
def test_how_a_contraflor_was_answered_is_seen(answer: str, place: int) -> None:
    assert seen(["7B 5B 12B", "7O 6O 4O"], f"flor contraflor {answer}", 1)["flor_answer"].ravel()[place] == 1
