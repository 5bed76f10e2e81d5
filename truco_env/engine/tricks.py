"""Cards and tricks: playing, the order of a trick, who wins it and the hand (rules.md 1.4)."""

from __future__ import annotations

import numpy as np

from truco_env.engine.jit import hot_rule, rule
from truco_env.engine.log import record
from truco_env.engine.option_codes import ALL_PARDA_MANO_SIDE, ALL_PARDA_NOBODY, PARDA_LEADER_FIRST_TIED, PARDA_LEADER_MANO
from truco_env.engine.record import EV_DISCARD, EV_PLAY, EV_TRICK, NOBODY, PARDA, UNDECIDED
from truco_env.engine.record_types import GameRecord, RulesRecord
from truco_env.engine.seats import first_after, first_from, side_of
from truco_env.rules.cards import TIERS_OR_NONE


@hot_rule
def tier_of(r: RulesRecord, card: int) -> int:
    """The truco rank of a card, 0 for -1 (no card). The index is unsigned to skip numba's wrap-around."""
    return int(TIERS_OR_NONE[np.uintp(r.first_tier + card)])


@hot_rule
def open_trick(g: GameRecord, r: RulesRecord, leader: int) -> None:
    """Begin a trick; a leader who has left is replaced by the next active seat (A17)."""
    players = int(r.players)
    g.leader = first_from(int(g.active), leader, players)
    g.owes = g.active
    g.turn = g.leader
    g.best_tier = 0
    g.best_seats = 0
    g.fresh = 1


@hot_rule
def play_card(g: GameRecord, r: RulesRecord, seat: int, slot: int) -> None:
    """Put the card of ``slot`` on the table and pass the turn on."""
    card = int(g.cards[seat, slot])
    g.held[seat] = int(g.held[seat]) & ~(1 << slot)
    g.table[g.trick, seat] = card
    tier = tier_of(r, card)
    if tier > g.best_tier:
        g.best_tier = tier
        g.best_seats = 1 << seat
    elif tier == g.best_tier:
        g.best_seats = int(g.best_seats) | 1 << seat
    record(g, EV_PLAY, seat, 0, card)
    pass_turn(g, r, seat)


@hot_rule
def pass_turn(g: GameRecord, r: RulesRecord, seat: int) -> None:
    """``seat`` owes nothing more to this trick; the next seat that does is about to play (nobody: the trick is complete)."""
    g.owes = int(g.owes) & int(g.active) & ~(1 << seat)
    g.turn = first_after(int(g.owes), seat, int(r.players))
    g.fresh = 1


@rule
def discard(g: GameRecord, seat: int, slot: int) -> None:
    """Gallo: the dealer puts one of four cards away, face down; the three kept are sorted anew (rules.md 6.2)."""
    g.discarded = g.cards[seat, slot]
    record(g, EV_DISCARD, seat, 0, int(g.discarded))
    for i in range(slot, 3):
        g.cards[seat, i] = g.cards[seat, i + 1]
    g.cards[seat, 3] = -1
    g.held[seat] = 7


@hot_rule
def close_trick(g: GameRecord, r: RulesRecord) -> int:
    """Decide the complete trick, note its winner, and return who leads the next."""
    players, tied = int(r.players), int(g.best_seats)
    first = first_from(tied, int(g.leader), players)
    parda = tied & int(g.side_mask[0]) != 0 and tied & int(g.side_mask[1]) != 0
    g.trick_winner[g.trick] = PARDA if parda else side_of(g, first)
    record(g, EV_TRICK, int(g.trick) + 1, int(g.trick_winner[g.trick]), 0)
    if not parda or r.parda_leader == PARDA_LEADER_FIRST_TIED:
        return first
    if r.parda_leader == PARDA_LEADER_MANO:
        return int(g.mano)
    last = first
    while tied & ~(1 << last):
        tied &= ~(1 << last)
        last = first_after(tied, last, players)
    return last


@hot_rule
def hand_winner(g: GameRecord) -> int:
    """The side that the table of rules.md 1.4 gives the hand after this trick; PARDA for three pardas, else UNDECIDED."""
    one, two, three = int(g.trick_winner[0]), int(g.trick_winner[1]), int(g.trick_winner[2])
    if g.trick == 0:
        return UNDECIDED
    if g.trick == 1:
        if one == PARDA:
            return UNDECIDED if two == PARDA else two
        return one if two == PARDA or two == one else UNDECIDED
    return three if three != PARDA else one


@rule
def winner_of_three_pardas(g: GameRecord, r: RulesRecord) -> int:
    """The side that wins three pardas, or nobody (``all_parda``)."""
    if r.all_parda == ALL_PARDA_NOBODY:
        return NOBODY
    manos = side_of(g, int(g.mano))
    return manos if r.all_parda == ALL_PARDA_MANO_SIDE else 1 - manos


@rule
def has_played_three(g: GameRecord, seat: int) -> bool:
    """Whether all three cards of a seat lie on the table."""
    return g.table[0, seat] >= 0 and g.table[1, seat] >= 0 and g.table[2, seat] >= 0
