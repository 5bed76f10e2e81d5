"""The gallo's discard: which three of the dealer's four cards to keep (rules.md 6.2)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from truco_agents.rule_based.judge import chance_of
from truco_agents.rule_based.sight import suit_of, tier_of
from truco_env.engine.jit import rule
from truco_env.rules.actions import Action
from truco_env.rules.cards import DECKS, FULL_DECK, N_TIERS, TIERS, VALUES

_DISCARD_0: Final = int(Action.DISCARD_0)
_FLOR_WORTH: Final = 3.0
_HAND_WORTH: Final = 2.0  #: points at stake in the truco, and in the envido, of a usual hand
_VALUES: Final = np.zeros(N_TIERS + 1, dtype=np.int64)
_VALUES[TIERS[FULL_DECK, DECKS[FULL_DECK]]] = VALUES[DECKS[FULL_DECK]]  # a rank has one value


@rule
def choose_discard(o: Any, at: Any, s: Any, m: Any) -> int:
    """Keep the three cards that promise most points in truco, envido and flor."""
    choice, best = 0, -1.0
    for slot in range(4):
        worth = _worth_without(o, at, s, m, slot)
        if worth > best:
            choice, best = slot, worth
    return _DISCARD_0 + choice


@rule
def _worth_without(o: Any, at: Any, s: Any, m: Any, dropped: int) -> float:
    number, suits, s.n_held = 0, 0, 0
    for slot in range(4):
        if slot == dropped:
            continue
        rank, suit = tier_of(o, at, slot), suit_of(o, at, slot)
        suits |= 1 << suit
        number = max(number, _VALUES[rank])
        for other in range(slot):
            if other != dropped and suit_of(o, at, other) == suit:
                number = max(number, 20 + _VALUES[rank] + _VALUES[tier_of(o, at, other)])
        i = int(s.n_held)
        while i > 0 and s.cards[i - 1] > rank:
            s.cards[i] = s.cards[i - 1]
            i -= 1
        s.cards[i] = rank
        s.n_held += 1
    truco, envido = 0.0, 0.0
    for i in range(3):
        truco = max(truco, chance_of(s, m, i))
    for win in m.number_win[s.nearest, s.mates, s.rivals, number]:
        envido += win
    flor = _FLOR_WORTH if m.rules.flor_mode and suits & (suits - 1) == 0 else 0.0
    return _HAND_WORTH * (truco + envido) + flor
