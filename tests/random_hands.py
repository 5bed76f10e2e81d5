"""Random hands in compiled code, with the invariants of a game checked at every step."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from truco_env.engine.chance import GOLDEN, below, mix
from truco_env.engine.hand import deal, start_match
from truco_env.engine.jit import entry, rule
from truco_env.engine.log import unpack
from truco_env.engine.record import (
    DISCARD,
    EV_CLAMP,
    EV_POINTS,
    HAND_OVER,
    MAX_LOG,
    PICA,
    TURN,
)
from truco_env.engine.seats import n_accounts
from truco_env.engine.step import apply_action, find_decision

#: What is checked, by the bit that ``play_hands`` sets when it does not hold.
INVARIANTS: Final = (
    "a hand that is not over has a seat to act, with a legal action",
    "only a seat that takes part and has not left is asked for anything",
    "at its turn a seat owes a card",
    "every card dealt is held or on the table, and nowhere else",
    "no card is dealt twice",
    "scores stay between 0 and the points of a leg, unless totals decide",
    "the score moves by the points of the log, less what was clamped",
    "a hand ends within the log's room",
    "the match ends when somebody has the legs, and not before",
)


@rule
def _random_action(legal: Any, bits: Any) -> Any:
    count = 0
    rest = legal
    while rest:
        rest &= rest - 1
        count += 1
    for _ in range(below(bits, np.int64(count))):
        legal &= legal - 1
    action = 0
    while (legal >> action) & 1 == 0:
        action += 1
    return action


@rule
def _broken_step(g: Any, r: Any) -> int:
    broken = 0
    if g.legal == 0 or g.to_act < 0 or g.to_act >= r.players or g.phase == HAND_OVER:
        return 1
    if g.phase != DISCARD and (int(g.active) >> int(g.to_act)) & 1 == 0:
        broken |= 2
    if g.phase == TURN and (int(g.owes) >> int(g.to_act)) & 1 == 0:
        broken |= 4
    for seat in range(r.players):
        held = 0
        for slot in range(4):
            held += (int(g.held[seat]) >> slot) & 1
        played = 0
        for trick in range(3):
            played += g.table[trick, seat] >= 0
        if held + played != (4 if g.cards[seat, 3] >= 0 else 3):
            broken |= 8
    if r.scoring_time == 0:
        for account in range(n_accounts(r)):
            if g.scores[account] < 0 or (g.scores[account] >= r.leg_target and r.gallo_tie != 2):
                broken |= 32
    return broken


@rule
def _broken_deal(g: Any, r: Any) -> int:
    seen = 0
    for seat in range(r.players):
        for slot in range(4):
            card = int(g.cards[seat, slot])
            if card >= 0:
                if (seen >> card) & 1:
                    return 16
                seen |= 1 << card
    return 0


@rule
def _broken_hand(g: Any, r: Any, before: Any) -> int:
    broken = 0
    if g.n_log >= MAX_LOG:
        broken |= 128
    won = False
    for account in range(n_accounts(r)):
        logged = int(before[account])
        for k in range(g.n_log):
            event = int(g.log[k])
            kind, who, _, value = unpack(event)
            if (kind == EV_POINTS or kind == EV_CLAMP) and who == account:
                logged += value
        if logged != g.scores[account]:
            broken |= 64
        won = won or g.won[account] >= r.legs_to_win
    shared = (int(g.winners) & (int(g.winners) - 1)) != 0
    if (g.match_over == 1) != (won or shared):
        broken |= 256
    return broken


@entry
def play_hands(games: Any, rules: Any, seed: Any, hands: int) -> Any:
    """Play ``hands`` hands from a seed; return broken invariants as bits, the actions taken, the matches finished, the pica-pica deals."""
    g, r = games[0], rules[0]
    deck = np.empty(40, dtype=np.int8)
    before = np.zeros(3, dtype=np.int64)
    broken, actions, matches, picas = 0, 0, 0, 0
    stream = mix(seed)
    start_match(g, r, seed)
    for _ in range(hands):
        if g.match_over:
            matches += 1
            start_match(g, r, mix(g.seed + GOLDEN))
        deal(g, r, deck)
        find_decision(g, r)
        picas += g.kind == PICA
        for account in range(3):
            before[account] = g.scores[account]
        broken |= _broken_deal(g, r)
        while not g.hand_over:
            broken |= _broken_step(g, r)
            if broken:
                return broken, actions, matches, picas
            stream = stream + GOLDEN
            apply_action(g, r, _random_action(g.legal, mix(stream)))
            actions += 1
        broken |= _broken_hand(g, r, before)
    return broken, actions, matches, picas
