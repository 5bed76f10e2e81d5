"""Random play inside compiled code, without observations: what the rules alone cost."""

from __future__ import annotations

from typing import Any

import numpy as np

from truco_env.batch.rewards import restart
from truco_env.engine.bits import count_bits
from truco_env.engine.chance import GOLDEN, below, mix, next_match_seed
from truco_env.engine.hand import deal
from truco_env.engine.jit import entry
from truco_env.engine.legal import nth_action
from truco_env.engine.record import new_games
from truco_env.engine.rules_record import record_of
from truco_env.engine.step import apply_action, find_decision
from truco_env.rules.options import Rules


@entry
def _play(games: Any, rules: Any, stream: Any, rounds: int) -> None:
    r = rules[0]
    deck = np.empty(40, dtype=np.int8)
    state = stream[0]
    for _ in range(rounds):
        for i in range(len(games)):
            g = games[i]
            state = state + GOLDEN
            apply_action(g, r, nth_action(g.legal, below(mix(state), count_bits(g.legal))))
            if g.match_over:
                restart(g, r, next_match_seed(g.seed), deck)
            elif g.hand_over:
                deal(g, r, deck)
                find_decision(g, r)
    stream[0] = state


@entry
def _begin(games: Any, rules: Any, seeds: Any) -> None:
    deck = np.empty(40, dtype=np.int8)
    for i in range(len(games)):
        restart(games[i], rules[0], seeds[i], deck)


class Rollout:
    """``size`` matches of one table, played by uniform choice among the legal actions.

    Args:
        rules: the table.
        size: number of matches.
        seed: of deals and choices.

    Attributes:
        games: their records.
    """

    def __init__(self, rules: Rules, size: int, seed: int) -> None:
        self.rules = rules
        self.games = new_games(size)
        words = np.random.SeedSequence(seed).generate_state(size + 1, np.uint64)
        self._stream = words[:1]
        _begin(self.games, record_of(rules), words[1:])

    def play(self, rounds: int) -> None:
        """Carry out ``rounds`` actions in every match; a finished match is followed by another."""
        _play(self.games, record_of(self.rules), self._stream, rounds)
