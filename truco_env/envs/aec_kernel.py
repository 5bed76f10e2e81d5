"""One game as PettingZoo's environment plays it, in compiled code: its desk, a step, a look, the state of the whole table."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from truco_env.batch.rewards import HAND_EPISODE, earn_once, restart, result_of_hand
from truco_env.batch.terms import TERMS_DTYPE
from truco_env.engine.bits import spread_bits
from truco_env.engine.flor import may_sing
from truco_env.engine.hand import deal
from truco_env.engine.jit import entry
from truco_env.engine.legal import is_legal
from truco_env.engine.record import GAME_DTYPE
from truco_env.engine.seats import n_accounts
from truco_env.engine.step import find_decision
from truco_env.observation.encode import encode, write_card
from truco_env.observation.layout import CARD_WIDTH, N_POLLS
from truco_env.rules.actions import N_SENAS

#: Flags of ``play_one``, above the seat.
EARNED: Final = 16
OVER: Final = 32
HELD: Final = 64

#: Bytes that hold the longest observation with its mask.
MAX_VIEW: Final = 1280

#: One game on its own, as PettingZoo's environment plays it: few arguments make a quick call.
DESK_DTYPE: Final = np.dtype(
    [
        ("game", GAME_DTYPE),
        ("terms", TERMS_DTYPE),
        ("hold", np.int64),  # 1 = do not deal the next hand: its cards are given
        ("before", np.float64, 3),  # scores when the episode began
        ("earned", np.float64, 3),  # what each account earned by the last action
        ("result", np.float64, 3),  # of an episode that is over: 1 won, -1 lost, 0 a hand with equal points
        ("seen", np.int8, MAX_VIEW),  # observation and mask of the seat to act
        ("looked", np.int8, MAX_VIEW),  # the same of the seat that ``look_one`` was asked for
    ],
    align=True,
)


@entry
def begin_one(desk: Any) -> int:
    """Start the match of the seed in the record at 0-0, and return the seat to act."""
    d = desk[0]
    for account in range(3):
        d.before[account] = 0.0
    restart(d.game, d.terms.rules, d.game.seed, np.empty(40, dtype=np.int8))
    return int(d.game.to_act)


@entry
def play_one(desk: Any, action: int) -> int:
    """Carry out one action of one game, go on to the next hand, and write the view of the seat to act where the episode goes on.

    Args:
        desk: ``DESK_DTYPE``, one entry.
        action: any integer.

    Returns:
        The seat to act, plus ``EARNED`` if an account earned something, ``OVER`` if the episode is over, ``HELD`` if a hand is over and
        the next is to be dealt; -1 if the action is not legal, and then nothing has changed.
    """
    d = desk[0]
    g, terms, earned = d.game, d.terms, d.earned
    r, at = terms.rules, terms.at
    if not is_legal(g, action):
        return -1
    earn_once(g, r, terms.episode, terms.reward, d.before, action, earned)
    status = EARNED if earned[0] != 0.0 or earned[1] != 0.0 or earned[2] != 0.0 else 0
    if g.hand_over:
        if g.match_over or terms.episode == HAND_EPISODE:
            for account in range(n_accounts(r)):
                d.result[account] = result_of_hand(g, r, d.before, account)
            return status | OVER
        if d.hold:
            return status | HELD
        deal(g, r, np.empty(40, dtype=np.int8))
        find_decision(g, r)
    encode(g, r, at, 0, int(g.to_act), d.seen)
    spread_bits(g.legal, d.seen, at[-1])
    return status | int(g.to_act)


@entry
def look_one(desk: Any, seat: int) -> None:
    """Write what ``seat`` sees of one game into ``looked``; off turn its mask is all zero."""
    d = desk[0]
    g = d.game
    terms = d.terms
    encode(g, terms.rules, terms.at, 0, seat, d.looked)
    spread_bits(g.legal if seat == g.to_act else 0, d.looked, terms.at[-1])


@entry
def write_hidden(desk: Any, hidden: Any, state: Any) -> None:
    """Write into ``state``, int8 (state layout's size,), what seat 0 does not see; ``hidden`` are the layout's ``hidden_offsets``."""
    g, r, at = desk[0].game, desk[0].terms.rules, hidden[0]
    players, slots = int(r.players), 4 if r.gallo else 3
    for i in range(at.hands, at.end):
        state[i] = 0
    for seat in range(players):
        for slot in range(slots):
            if g.cards[seat, slot] >= 0:
                write_card(state, at.hands + (seat * slots + slot) * CARD_WIDTH, r, int(g.cards[seat, slot]))
            state[at.holds + seat * slots + slot] = (int(g.held[seat]) >> slot) & 1
        state[at.envidos + seat] = g.envido[seat]
        state[at.flores + seat] = g.flor[seat]
        state[at.can_sing + seat] = may_sing(g, r, seat)
        state[at.asked + seat] = seat == g.to_act
        for poll in range(N_POLLS):
            state[at.pasos + seat * N_POLLS + poll] = (int(g.passed[seat]) >> poll) & 1
    if r.gallo and g.discarded >= 0:
        write_card(state, at.face_down, r, int(g.discarded))
    if at.end > at.senas_made:
        for seat in range(players):
            for trick in range(int(g.trick) + 1):
                if g.sena[trick, seat]:
                    state[at.senas_made + (seat * 3 + trick) * N_SENAS + g.sena[trick, seat] - 1] = 1
                    for viewer in range(players):
                        state[at.senas_seen + (seat * 3 + trick) * players + viewer] = (int(g.sena_seen[trick, seat]) >> viewer) & 1
