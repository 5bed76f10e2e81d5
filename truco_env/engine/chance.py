"""The only randomness of the game: deals, the first dealer, and the draws of ``sena_catch``.

Everything is a function of the match seed and the number of the hand, so deal ``k`` does not depend on the play before it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truco_env.engine.jit import hot_rule, rule
from truco_env.engine.option_codes import FIRST_DEALER_SEAT0
from truco_env.engine.record_types import GameRecord, RulesRecord
from truco_env.rules.cards import DECK_TABLE

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_HAND = np.uint64(0xD1342543DE82EF95)
_DEALER = np.uint64(0xA0761D6478BD642F)
_SENAS = np.uint64(0xE7037ED1A0B428DB)
_S30, _S27, _S31, _S32, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32), np.uint64(11)


@hot_rule
def mix(state: Any) -> Any:
    """Return 64 well-mixed bits of a counter (the finaliser of splitmix64)."""
    z = state
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@hot_rule
def below(bits: Any, bound: Any) -> Any:
    """Map 64 random bits to 0..bound-1."""
    return np.int64(((bits >> _S32) * np.uint64(bound)) >> _S32)


@rule
def next_match_seed(seed: Any) -> Any:
    """The seed of the match that follows the match of ``seed`` where matches run on."""
    return mix(seed + GOLDEN)


@rule
def draw_first_dealer(g: GameRecord, r: RulesRecord) -> Any:
    """Every seat equally likely, or seat 0 (``first_dealer``, rules.md 2.1, V2, W1)."""
    if r.first_dealer == FIRST_DEALER_SEAT0:
        return 0
    return below(mix(g.seed ^ _DEALER), r.players)


@rule
def seed_senas(g: GameRecord) -> None:
    """Start this hand's stream of ``sena_catch`` draws (rules.md 6.3.6)."""
    g.sena_stream = mix(mix(g.seed ^ _SENAS) + np.uint64(g.hand_no) * _HAND)


@rule
def draw_catch(g: GameRecord, r: RulesRecord) -> bool:
    """One draw of ``sena_catch``."""
    g.sena_stream = g.sena_stream + GOLDEN
    return bool(np.float64(mix(g.sena_stream) >> _S11) * (1.0 / 9007199254740992.0) < r.sena_catch)


@hot_rule
def draw_cards(g: GameRecord, r: RulesRecord, deck: Any) -> None:
    """Deal this hand's cards into ``g.cards``: three each, four to gallo's dealer (rules.md 1.4, 6.2).

    ``deck`` is scratch space, int8 of at least 40.
    """
    size = int(r.deck_size)
    for i in range(40):
        deck[i] = DECK_TABLE[r.deck, i]
    state: Any = mix(g.seed + np.uint64(g.hand_no + 1) * _HAND)
    top = 0
    for seat in range(r.players):
        for slot in range(3):
            state = state + GOLDEN
            g.cards[seat, slot] = _draw_card(deck, top, size, state)
            top += 1
        g.cards[seat, 3] = -1
        if r.gallo and seat == g.dealer:
            state = state + GOLDEN
            g.cards[seat, 3] = _draw_card(deck, top, size, state)
            top += 1


@hot_rule
def _draw_card(deck: Any, top: int, size: int, state: Any) -> Any:
    """Take one of ``deck[top:size]``; the card that was on top takes its place."""
    pick = top + below(mix(state), size - top)
    card = deck[np.uintp(pick)]
    deck[np.uintp(pick)] = deck[np.uintp(top)]
    return card
