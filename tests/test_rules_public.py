"""What everybody knows of a hand that is over (rules.md 1.14): boundaries that cases and traces cannot express."""

from __future__ import annotations

import pytest

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
