"""The entry points: what Python calls. All take an array of games and the one-record array of the rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from truco_env.engine.hand import begin_hand, deal, prepare_next_hand, start_match
from truco_env.engine.jit import entry
from truco_env.engine.step import find_decision, try_to


@entry
def begin_match(games: Any, i: int, rules: Any, seed: Any) -> None:
    """Start the match of ``seed`` in ``games[i]``, before its first deal."""
    start_match(games[i], rules[0], seed)


@entry
def move_deal_on(games: Any, i: int, rules: Any) -> None:
    """Prepare the next hand of ``games[i]``: dealer, kind and score are set, cards are not."""
    prepare_next_hand(games[i], rules[0])


@entry
def deal_next(games: Any, i: int, rules: Any) -> None:
    """Deal the next hand of ``games[i]`` from its seed."""
    deal(games[i], rules[0], np.empty(40, dtype=np.int8))
    find_decision(games[i], rules[0])


@entry
def set_up_hand(games: Any, i: int, rules: Any) -> None:
    """Begin the hand whose cards, dealer, kind and scores are already in ``games[i]``."""
    begin_hand(games[i], rules[0])
    find_decision(games[i], rules[0])


@entry
def try_action(games: Any, i: int, rules: Any, action: int) -> bool:
    """Carry out ``action`` for the seat to act if it is legal; return whether it was."""
    return try_to(games[i], rules[0], action)
