"""Judging the tricks: how likely our side is to win the hand against each kind of holding, and which card serves it best.

One against one the odds are counted (``duel.py``). At larger tables they are put together from the chances that a card
stays the best on the table, with the cards of the others hidden and partners and rivals alike playing to win.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from truco_agents.rule_based.duel import AHEAD, BEHIND, KINDS, LEVEL, N_KINDS, hand_id, pair_id
from truco_agents.rule_based.sight import BOTH, THEM, US
from truco_env.engine.jit import hot_rule, rule

_SHARES: Final = np.diff(KINDS, prepend=0.0)
_FROM: Final = np.array([0.0, *KINDS[:-1]])
_TEAM_BLUR: Final = 0.5  #: how little a rival's own holding tells of his side's


@hot_rule
def judge(s: Any, m: Any) -> None:
    """Find the card that serves our side best in this trick, the weakest of equals, and the chance to win the hand with it.

    Fills ``s.choice`` and ``s.chance``; ``s.share`` and ``s.win`` hold how often rivals have each kind of holding, and how
    often that meets with our winning.
    """
    s.choice = -1
    if not s.i_play:
        s.chance = _weigh(s, m, -1)
        return
    s.chance = -1.0
    last = min(int(s.n_held), 3 - int(s.trick)) - 1
    for i in range(last + 1):
        chance = _weigh(s, m, i)
        if chance > s.chance + 1e-6:
            s.choice, s.chance = i, chance
    if s.choice != last:
        _weigh(s, m, int(s.choice))


@hot_rule
def _weigh(s: Any, m: Any, played: int) -> float:
    """Fill ``s.share`` and ``s.win`` for my ``played``-th weakest card in this trick (-1: I play none); return the chance."""
    if s.duel:
        if s.trick == 0:
            return _weigh_first(s, m.duel, played)
        if s.trick == 1:
            return _weigh_second(s, m.duel, played)
        return _weigh_last(s, m)
    return _weigh_known(s, chance_of(s, m, played))


@hot_rule
def _take(s: Any, cell: Any) -> float:
    """Take shares and wins from a table; our chance is theirs, each kind weighed by what the calls say of it."""
    hands, wins = 1e-9, 0.0
    for kind in range(N_KINDS):
        s.share[kind] = cell[kind, 0]
        s.win[kind] = cell[kind, 1]
        hands += s.belief[kind] * cell[kind, 0]
        wins += s.belief[kind] * cell[kind, 1]
    return wins / hands


@hot_rule
def _weigh_known(s: Any, chance: float) -> float:
    """The same from a chance that does not tell kinds apart: the better our chance, the better the kinds that we beat."""
    hands, wins = 1e-9, 0.0
    for kind in range(N_KINDS):
        share = _SHARES[kind]
        beaten = min(max((chance - _FROM[kind]) / share, 0.0), 1.0)
        s.share[kind] = share
        s.win[kind] = share * (_TEAM_BLUR * chance + (1.0 - _TEAM_BLUR) * beaten)
        hands += s.belief[kind] * share
        wins += s.belief[kind] * s.win[kind]
    return wins / hands


@hot_rule
def _weigh_first(s: Any, d: Any, played: int) -> float:
    low, middle, high = int(s.dealt[0]), int(s.dealt[1]), int(s.dealt[2])
    me = hand_id(low, middle, high)
    if not s.i_play:  # mine is on the table
        return _take(s, d.lead[me, 0 if s.top == low else 1 if s.top == middle else 2])
    if s.i_lead:
        return _take(s, d.lead[me, played])
    return _take(s, d.reply[me, s.top, played]) if s.top else _take(s, d.wait[me])


@hot_rule
def _weigh_second(s: Any, d: Any, played: int) -> float:
    level = 1 if s.won[0] == BOTH else 0
    if not s.i_play:
        mine, kept = int(s.top), int(s.cards[0])
        return _take(s, d.lead2[level, pair_id(min(mine, kept), max(mine, kept)), 1 if mine > kept else 0])
    pair = pair_id(int(s.cards[0]), int(s.cards[1]))
    if s.i_lead:
        return _take(s, d.lead2[level, pair, played])
    return _take(s, d.reply2[level, pair, s.top, played]) if s.top else _take(s, d.wait2[level, pair])


@hot_rule
def _weigh_last(s: Any, m: Any) -> float:
    first = AHEAD if s.won[0] == US else BEHIND if s.won[0] == THEM else LEVEL
    mine = int(s.cards[0]) if s.i_play else int(s.top)
    if s.top == 0 or not s.i_play:
        return _take(s, m.duel.last[first, mine])
    win = 1.0 if mine > s.top else 0.0
    if mine == s.top:
        win = 1.0 if first == AHEAD else 0.0 if first == BEHIND else _all_parda(s, m)
    return _weigh_known(s, win)


@rule
def chance_of(s: Any, m: Any, played: int) -> float:
    """The chance that our side wins the hand if I play my ``played``-th weakest card to this trick (-1: I have none to play)."""
    card = int(s.cards[played]) if played >= 0 else 0
    low, high = 0, 0  # what I keep
    for i in range(s.n_held):
        if i != played:
            low, high = high, int(s.cards[i])
    win, tie = _trick(s, m, card)
    lose = 1.0 - win - tie
    mate = int(s.mate_card)
    if mate > high:
        low, high = high, mate
    elif mate > low:
        low = mate
    if s.trick == 0:
        return win * _ahead(s, m, low, high) + tie * _level(s, m, low, high) + lose * _behind(s, m, low, high)
    if s.trick == 1:
        if s.won[0] == US:
            return win + tie + lose * (1.0 - _last_lost(s, m, high))
        if s.won[0] == THEM:
            return win * _last_won(s, m, high)
        return win + tie * _last_level(s, m, high)
    if s.won[0] == US:
        return win + tie
    if s.won[0] == THEM:
        return win
    return win + tie * _all_parda(s, m)


@rule
def _trick(s: Any, m: Any, card: int) -> tuple[float, float]:
    """The chances to win and to tie this trick with ``card`` (0 = I play none), everybody else playing to win."""
    cards = 3 - int(s.trick)
    mates, rivals = int(s.mates_to_play) * cards, int(s.rivals_to_play) * cards
    ours = max(card, int(s.top)) if int(s.top_side) & US else card
    theirs = int(s.top) if int(s.top_side) & THEM else 0
    if mates:
        ours = max(ours, int(s.mate_card))
    if rivals:
        theirs = max(theirs, int(s.rival_card))
    if ours > theirs:
        return m.trick[mates, rivals, ours], m.tie[mates, rivals, ours]
    if theirs > ours:
        return 1.0 - m.trick[rivals, mates, theirs] - m.tie[rivals, mates, theirs], m.tie[rivals, mates, theirs]
    if ours == 0:
        return 0.5, 0.0
    win = 1.0 - m.trick[rivals, mates, ours] - m.tie[rivals, mates, ours]
    return win, m.trick[mates, rivals, ours] + m.tie[mates, rivals, ours] - win


@rule
def _ahead(s: Any, m: Any, low: int, high: int) -> float:
    """We won the first trick: they must win both others."""
    lose = 1.0 - m.trick[2 * s.mates, 2 * s.rivals, high] - m.tie[2 * s.mates, 2 * s.rivals, high]
    return 1.0 - lose * _last_lost(s, m, low)


@rule
def _behind(s: Any, m: Any, low: int, high: int) -> float:
    """They won the first trick: we must win both others."""
    return float(m.trick[2 * s.mates, 2 * s.rivals, high]) * _last_won(s, m, low)


@rule
def _level(s: Any, m: Any, low: int, high: int) -> float:
    """The first trick was parda: the next that is won decides."""
    return float(m.trick[2 * s.mates, 2 * s.rivals, high]) + m.tie[2 * s.mates, 2 * s.rivals, high] * _last_level(s, m, low)


@rule
def _last_won(s: Any, m: Any, card: int) -> float:
    return float(m.trick[s.mates, s.rivals, card])


@rule
def _last_lost(s: Any, m: Any, card: int) -> float:
    return 1.0 - m.trick[s.mates, s.rivals, card] - m.tie[s.mates, s.rivals, card]


@rule
def _last_level(s: Any, m: Any, card: int) -> float:
    return float(m.trick[s.mates, s.rivals, card]) + m.tie[s.mates, s.rivals, card] * _all_parda(s, m)


@hot_rule
def _all_parda(s: Any, m: Any) -> float:
    """What three pardas are worth to us: the hand, nothing, or (nobody scores) half of it."""
    return m.manos_pardas if s.we_are_mano else 1.0 - m.manos_pardas
