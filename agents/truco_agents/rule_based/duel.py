"""The odds of a duel: every hand against every other, played out and counted, one against one.

Nothing is drawn: all pairs of hands (as ranks) are weighed by how many deals give them, and all cards that the player might
choose are tried against a rival who plays well and errs a little. The counts of one round give both sides their play for
the next. What is counted also tells what kind of hand the rival was dealt, so that calls can be believed or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from truco_env.engine.jit import entry, rule
from truco_env.rules.cards import DECKS, N_TIERS, TIERS

#: Kinds of what a rival may hold, weakest first: up to which share of all holdings each goes.
KINDS: Final = (0.35, 0.6, 0.8, 0.92, 1.0)
N_KINDS: Final = len(KINDS)
_HANDS: Final = 560  # ranks of three cards, whatever their order
_PAIRS: Final = 105
_ROUNDS: Final = 3
_ERRS: Final = 0.06  # how often the rival plays some other card
AHEAD, BEHIND, LEVEL = 0, 1, 2  #: we won the first trick, they did, it was parda

#: Counts and wins by rival's kind of hand, in the last axis: [..., kind, (hands, wins)].
TABLES_DTYPE: Final = np.dtype(
    [
        ("lead", np.float32, (_HANDS, 3, N_KINDS, 2)),  # [hand, card]: I lead the first trick with it
        ("reply", np.float32, (_HANDS, N_TIERS + 1, 3, N_KINDS, 2)),  # [hand, their card, card]
        ("wait", np.float32, (_HANDS, N_KINDS, 2)),  # they are about to lead the first trick
        ("lead2", np.float32, (2, _PAIRS, 2, N_KINDS, 2)),  # [0 I won the first, 1 parda; pair left, card]
        ("reply2", np.float32, (2, _PAIRS, N_TIERS + 1, 2, N_KINDS, 2)),  # [0 they won the first, 1 parda; ...]
        ("wait2", np.float32, (2, _PAIRS, N_KINDS, 2)),
        ("last", np.float32, (3, N_TIERS + 1, N_KINDS, 2)),  # [AHEAD, BEHIND, LEVEL; my card]: theirs is hidden
    ],
    align=True,
)
_PLAY_DTYPE: Final = np.dtype(
    [
        ("lead", np.int8, _HANDS),
        ("reply", np.int8, (_HANDS, N_TIERS + 1)),
        ("lead2", np.int8, (2, _PAIRS)),
        ("reply2", np.int8, (2, _PAIRS, N_TIERS + 1)),
    ],
    align=True,
)
_KINDS_DTYPE: Final = np.dtype(
    [
        ("hand", np.int8, _HANDS),
        ("pair", np.int8, (3, _PAIRS)),  # [first trick, as the holder sees it; pair]
        ("card", np.int8, (3, N_TIERS + 1)),  # [AHEAD, BEHIND, LEVEL, as the holder sees it; card]
    ],
    align=True,
)


@rule
def hand_id(a: int, b: int, c: int) -> int:
    """Number the ranks a <= b <= c (1-14) of three cards."""
    return (c - 1) * c * (c + 1) // 6 + b * (b - 1) // 2 + a - 1


@rule
def pair_id(a: int, b: int) -> int:
    """Number the ranks a <= b (1-14) of two cards."""
    return b * (b - 1) // 2 + a - 1


@rule
def _count(cell: Any, kind: int, weight: float, value: float) -> None:
    cell[kind, 0] += weight
    cell[kind, 1] += weight * value


@rule
def _chance(chosen: int, card: int, cards: int) -> float:
    """How often a player whose choice is ``chosen`` plays ``card``."""
    return 1.0 - _ERRS if card == chosen else _ERRS / (cards - 1)


@rule
def _other(first: int) -> int:
    """The first trick as the rival sees it."""
    return LEVEL if first == LEVEL else 1 - first


@rule
def _third(t: Any, kinds: Any, first: int, mine: int, theirs: int, pardas: float, weight: float) -> float:
    if mine != theirs:
        value = 1.0 if mine > theirs else 0.0
    else:
        value = 1.0 if first == AHEAD else 0.0 if first == BEHIND else pardas
    _count(t.last[first, mine], int(kinds.card[_other(first), theirs]), weight, value)
    return value


@rule
def _second(t: Any, kinds: Any, first: int, mine: int, theirs: int, left: int, right: int, pardas: float, weight: float) -> float:
    """The second trick with ``mine`` against ``theirs``; ``left`` and ``right`` are kept for the third."""
    if first == AHEAD and mine >= theirs:
        return 1.0
    if first == BEHIND and mine <= theirs:
        return 0.0
    if first == LEVEL and mine != theirs:
        return 1.0 if mine > theirs else 0.0
    return _third(t, kinds, first, left, right, pardas, weight)


@rule
def _two_tricks(t: Any, play: Any, kinds: Any, first: int, i_lead: bool, mine: Any, theirs: Any, pardas: float, weight: float) -> float:
    """The rest of the hand with two cards each (sorted); every choice of mine is counted, and the value of the best is returned."""
    my_pair, their_pair = pair_id(mine[0], mine[1]), pair_id(theirs[0], theirs[1])
    level = 1 if first == LEVEL else 0
    kind = int(kinds.pair[_other(first), their_pair])
    total = 0.0
    if i_lead:
        chosen = play.lead2[level, my_pair]
        for i in range(2):
            reach = weight * _chance(chosen, i, 2)
            value = 0.0
            for j in range(2):
                p = _chance(play.reply2[level, their_pair, mine[i]], j, 2)
                value += p * _second(t, kinds, first, mine[i], theirs[j], mine[1 - i], theirs[1 - j], pardas, reach * p)
            _count(t.lead2[level, my_pair, i], kind, weight, value)
            if i == chosen:
                total = value
        return total
    their_choice = play.lead2[level, their_pair]
    for j in range(2):
        p = _chance(their_choice, j, 2)
        chosen = play.reply2[level, my_pair, theirs[j]]
        for i in range(2):
            reach = weight * p * _chance(chosen, i, 2)
            value = _second(t, kinds, first, mine[i], theirs[j], mine[1 - i], theirs[1 - j], pardas, reach)
            _count(t.reply2[level, my_pair, theirs[j], i], kind, weight * p, value)
            if i == chosen:
                total += p * value
    _count(t.wait2[level, my_pair], kind, weight, total)
    return total


@rule
def _without(hand: Any, card: int, pair: Any) -> None:
    pair[0] = hand[1] if card == 0 else hand[0]
    pair[1] = hand[1] if card == 2 else hand[2]


@rule
def _first_trick(
    t: Any, play: Any, kinds: Any, i: int, j: int, mine: Any, theirs: Any, my_pair: Any, their_pair: Any, mano: bool, pardas: float,
    manos_lead: bool, weight: float,
) -> float:  # fmt: skip
    _without(mine, i, my_pair)
    _without(theirs, j, their_pair)
    if mine[i] > theirs[j]:
        return _two_tricks(t, play, kinds, AHEAD, True, my_pair, their_pair, pardas, weight)
    if mine[i] < theirs[j]:
        return _two_tricks(t, play, kinds, BEHIND, False, my_pair, their_pair, pardas, weight)
    return _two_tricks(t, play, kinds, LEVEL, mano == manos_lead, my_pair, their_pair, pardas, weight)


@rule
def _hand_against_hand(
    t: Any, play: Any, kinds: Any, mine: Any, theirs: Any, pairs: Any, mano_pardas: float, manos_lead: bool, weight: float
) -> None:
    me, them = hand_id(mine[0], mine[1], mine[2]), hand_id(theirs[0], theirs[1], theirs[2])
    kind = int(kinds.hand[them])
    for i in range(3):  # I am mano
        reach = weight * _chance(play.lead[me], i, 3)
        value = 0.0
        for j in range(3):
            p = _chance(play.reply[them, mine[i]], j, 3)
            value += p * _first_trick(t, play, kinds, i, j, mine, theirs, pairs[0], pairs[1], True, mano_pardas, manos_lead, reach * p)
        _count(t.lead[me, i], kind, weight, value)
    total = 0.0
    for j in range(3):  # they are
        p = _chance(play.lead[them], j, 3)
        chosen = play.reply[me, theirs[j]]
        for i in range(3):
            reach = weight * p * _chance(chosen, i, 3)
            value = _first_trick(t, play, kinds, i, j, mine, theirs, pairs[0], pairs[1], False, 1.0 - mano_pardas, manos_lead, reach)
            _count(t.reply[me, theirs[j], i], kind, weight * p, value)
            if i == chosen:
                total += p * value
    _count(t.wait[me], kind, weight, total)


@entry
def _count_all(tables: Any, plays: Any, kinds: Any, hands: Any, deals: Any, mano_pardas: float, manos_lead: bool) -> None:
    """Every hand against every other; ``deals[h, o]`` says how many deals give the two."""
    pairs = np.empty((2, 2), dtype=np.int64)
    for h in range(len(hands)):
        for o in range(len(hands)):
            if deals[h, o] > 0:
                _hand_against_hand(tables[0], plays[0], kinds[0], hands[h], hands[o], pairs, mano_pardas, manos_lead, deals[h, o])


def _all_hands() -> npt.NDArray[np.int64]:
    """The ranks of every hand, ascending in each, in the order of ``hand_id``."""
    ranks = range(1, N_TIERS + 1)
    return np.array([(a, b, c) for c in ranks for b in ranks if b <= c for a in ranks if a <= b], dtype=np.int64)


def _ways(counts: npt.NDArray[np.int64], hands: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """In how many ways a deck with ``counts[..., rank]`` cards gives each of ``hands``; shape (..., hands)."""
    a, b, c = hands.T
    n_a, n_b, n_c = counts[..., a], counts[..., b] - (a == b), counts[..., c] - (a == c) * 1 - (b == c) * 1
    ways = np.maximum(n_a, 0) * np.maximum(n_b, 0) * np.maximum(n_c, 0)
    orders = np.where((a == b) & (b == c), 6, np.where((a == b) | (b == c), 2, 1))
    return np.asarray(ways / orders, dtype=np.float64)


def _first_play(hands: npt.NDArray[np.int64]) -> npt.NDArray[np.void]:
    """The play to begin with: lead the middle card; reply with the cheapest card that wins, else throw the lowest."""
    play = np.zeros(1, dtype=_PLAY_DTYPE)
    play["lead"] = 1
    play["lead2"] = 1
    ranks = np.arange(N_TIERS + 1)
    wins = hands[:, None, :] > ranks[None, :, None]
    play["reply"][0] = np.where(wins.any(axis=2), wins.argmax(axis=2), 0)
    pairs = np.array([(a, b) for b in range(1, N_TIERS + 1) for a in range(1, b + 1)])
    wins = pairs[:, None, :] > ranks[None, :, None]
    play["reply2"][0] = np.where(wins.any(axis=2), wins.argmax(axis=2), 0)
    return play


def _share(cells: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """Wins over hands, all kinds of rivals together."""
    sums = cells.astype(np.float64).sum(axis=-2)
    return np.asarray(sums[..., 1] / np.maximum(sums[..., 0], 1e-9))


def _best_play(tables: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
    play = np.zeros(1, dtype=_PLAY_DTYPE)
    for name in ("lead", "reply", "lead2", "reply2"):
        play[name][0] = (_share(tables[name][0]) - 1e-6 * np.arange(tables[name][0].shape[-3])).argmax(axis=-1)
    return play


def _grade(strength: npt.NDArray[np.float64], often: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Sort holdings by strength into ``KINDS``, by how often each comes up."""
    order = np.argsort(strength, kind="stable")
    middle = (np.cumsum(often[order]) - 0.5 * often[order]) / often.sum()
    kinds = np.empty(len(order), dtype=np.int64)
    kinds[order] = np.minimum(np.searchsorted(KINDS, middle), N_KINDS - 1)
    return kinds


def _grade_all(t: np.void, dealt: npt.NDArray[np.float64]) -> npt.NDArray[np.void]:
    kinds = np.zeros(1, dtype=_KINDS_DTYPE)
    kinds["hand"][0] = _grade(_share(t["lead"]).max(axis=1) + _share(t["wait"]), dealt)
    lead, wait = _share(t["lead2"]).max(axis=-1), _share(t["wait2"])
    often = t["wait2"][..., 0].sum(axis=-1).astype(np.float64)
    for first, strength in ((AHEAD, lead[0]), (BEHIND, wait[0]), (LEVEL, lead[1] + wait[1])):
        kinds["pair"][0, first] = _grade(strength, often[1 if first == LEVEL else 0])
        kinds["card"][0, first] = _grade(np.arange(N_TIERS + 1.0), t["last"][first, ..., 0].sum(axis=-1).astype(np.float64))
    return kinds


@dataclass(frozen=True)
class Duel:
    """The odds of the tricks one against one.

    Attributes:
        tables: an array of one ``TABLES_DTYPE`` record.
        kinds: an array of one record with the kind of each hand, pair and card that may be held.
    """

    tables: npt.NDArray[np.void]
    kinds: npt.NDArray[np.void]


@lru_cache(maxsize=8)
def duel_odds(deck: int, mano_pardas: float, *, manos_lead: bool) -> Duel:
    """Count the odds of a duel.

    Args:
        deck: index into ``cards.DECKS``.
        mano_pardas: what three pardas are worth to mano, 0 to 1.
        manos_lead: whether mano leads after a parda.
    """
    hands = _all_hands()
    counts = np.bincount(TIERS[deck, DECKS[deck]], minlength=N_TIERS + 1).astype(np.int64)
    dealt = _ways(counts, hands)
    left = np.broadcast_to(counts, (len(hands), N_TIERS + 1)).copy()
    for column in range(3):
        np.subtract.at(left, (np.arange(len(hands)), hands[:, column]), 1)
    deals = dealt[:, None] * _ways(left, hands)
    deals /= deals.sum() / len(hands)
    play, kinds = _first_play(hands), np.zeros(1, dtype=_KINDS_DTYPE)
    for _ in range(_ROUNDS):
        tables = np.zeros(1, dtype=TABLES_DTYPE)
        _count_all(tables, play, kinds, hands, deals, mano_pardas, manos_lead)
        play, kinds = _best_play(tables), _grade_all(tables[0], dealt)
    return Duel(tables, kinds)
