"""What a player knows of a table before the first card: its rules, and the odds of cards, numbers and scores."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Final

import numpy as np
import numpy.typing as npt

from truco_agents.rule_based.beliefs import N_NUMBER_KINDS, NUMBER_KINDS
from truco_agents.rule_based.duel import TABLES_DTYPE, duel_odds
from truco_env.engine.rules_record import RULES_DTYPE, record_of
from truco_env.rules.cards import DECKS, FULL_DECK, N_TIERS, TIERS, VALUES
from truco_env.rules.options import Rules

Floats = npt.NDArray[np.float64]

_MOST_MATES: Final = 3
_MOST_RIVALS: Final = 4
_MOST_HIDDEN: Final = 3 * _MOST_RIVALS  #: cards of one side that a player does not see
_NUMBERS: Final = 39  #: envido numbers and flores, 0..38
_TOO_PUBLIC: Final = 0.5  #: no seña is made where so many are caught
MOST_POINTS: Final = 40  #: points to go that are told apart

#: How hands between good players end, rounded: points of the side that gets more, of the other, and how often.
_HANDS: Final = (
    (1, 0, 0.32), (2, 0, 0.20), (1, 1, 0.15), (3, 0, 0.08), (4, 0, 0.07),
    (2, 1, 0.06), (3, 1, 0.04), (5, 0, 0.03), (6, 0, 0.03), (4, 1, 0.02),
)  # fmt: skip

MESA_DTYPE: Final = np.dtype(
    [
        ("players", np.int8),
        ("truc", np.int8),
        ("manos_pardas", np.float64),  # what three pardas are worth to mano's side: 1, 0, or 0.5 where nobody scores
        ("senas", np.int8),  # whether to make any
        # trick[m, k, t]: chance that a card of tier t stays above k hidden cards of the others, m hidden cards of its side helping.
        ("trick", np.float64, (_MOST_HIDDEN + 1, _MOST_HIDDEN + 1, N_TIERS + 1)),
        ("tie", np.float64, (_MOST_HIDDEN + 1, _MOST_HIDDEN + 1, N_TIERS + 1)),
        # The best number of k rivals by kind: number_share[k] is how often, number_win[tie, m, k, n] how often with ours (n, or
        # a number of m mates) the best; tie = equal numbers are ours.
        ("number_share", np.float64, (_MOST_RIVALS + 1, N_NUMBER_KINDS)),
        ("number_win", np.float64, (2, _MOST_MATES + 1, _MOST_RIVALS + 1, _NUMBERS, N_NUMBER_KINDS)),
        ("best_flor", np.float64, (2, _NUMBERS)),  # against one rival who holds a flor
        ("leg", np.float64, (MOST_POINTS + 1, MOST_POINTS + 1)),  # [we need, they need]: chance to win the leg
        ("match", np.float64, (3, 3)),  # [legs we won, legs they won]: chance to win the match
        ("rules", RULES_DTYPE),
        ("duel", TABLES_DTYPE),
    ],
    align=True,
)


def _best_of(cdf: Floats, count: int) -> Floats:
    """Distribution of the best of ``count`` draws."""
    return np.diff(cdf**count, prepend=0.0)


def _best_hidden(counts: npt.NDArray[np.int64], cards: int) -> Floats:
    """Distribution over tiers of the best of ``cards`` cards drawn from a deck with ``counts`` cards of each tier."""
    total = int(counts.sum())
    cdf = [comb(int(below), cards) / comb(total, cards) for below in np.cumsum(counts)]
    return np.diff(cdf, prepend=0.0)


def _fill_tricks(mesa: npt.NDArray[np.void], deck: int) -> None:
    counts = np.bincount(TIERS[deck, DECKS[deck]], minlength=N_TIERS + 1)
    for tier in np.flatnonzero(counts).tolist():
        others = counts - (np.arange(N_TIERS + 1) == tier)
        for mates in range(_MOST_HIDDEN + 1):
            mine = _best_hidden(others, mates) if mates else np.zeros(N_TIERS + 1)
            mine[tier] = 1 - mine[tier + 1 :].sum()
            mine[:tier] = 0
            for rivals in range(_MOST_HIDDEN + 1):
                theirs = _best_hidden(others, rivals)
                mesa["trick"][0, mates, rivals, tier] = mine[1:] @ np.cumsum(theirs)[:-1]
                mesa["tie"][0, mates, rivals, tier] = mine @ theirs


@lru_cache
def _hand_numbers(deck: int, *, flor: bool) -> tuple[Floats, Floats]:
    """How often each number and each flor is held; with ``flor`` who holds one has no number."""
    numbers, flores = np.zeros(_NUMBERS), np.zeros(_NUMBERS)
    for hand in combinations(DECKS[deck].tolist(), 3):
        if flor and len({card % 4 for card in hand}) == 1:
            flores[20 + VALUES[list(hand)].sum()] += 1
            continue
        best = max(int(VALUES[card]) for card in hand)
        for a, b in combinations(hand, 2):
            if a % 4 == b % 4:
                best = max(best, 20 + int(VALUES[a]) + int(VALUES[b]))
        numbers[best] += 1
    return numbers / numbers.sum(), flores / max(flores.sum(), 1)


def _kinds_of_numbers(numbers: Floats) -> npt.NDArray[np.int64]:
    """The kind of each number: as good as the number of the full deck that beats as many others."""
    usual, _ = _hand_numbers(FULL_DECK, flor=False)
    borders = np.cumsum(usual)[list(NUMBER_KINDS)]
    middle = np.cumsum(numbers) - numbers / 2
    return np.searchsorted(borders, middle).clip(max=N_NUMBER_KINDS - 1)


def _fill_numbers(mesa: npt.NDArray[np.void], deck: int, *, flor: bool) -> None:
    numbers, flores = _hand_numbers(deck, flor=flor)
    cdf = np.cumsum(numbers)
    kinds = _kinds_of_numbers(numbers)
    for rivals in range(1, _MOST_RIVALS + 1):
        theirs = _best_of(cdf, rivals)
        mesa["number_share"][0, rivals] = np.bincount(kinds, theirs, N_NUMBER_KINDS)
        for mates in range(_MOST_MATES + 1):
            ours = _best_of(cdf, mates) if mates else np.zeros(_NUMBERS)
            for number in range(_NUMBERS):
                mine = ours.copy()
                mine[number] = 1 - mine[number + 1 :].sum()
                mine[:number] = 0
                not_below = np.cumsum(mine[::-1])[::-1]
                for tie in range(2):
                    wins = not_below if tie else not_below - mine
                    mesa["number_win"][0, tie, mates, rivals, number] = np.bincount(kinds, theirs * wins, N_NUMBER_KINDS)
    below = np.concatenate([[0.0], np.cumsum(flores)[:-1]])
    mesa["best_flor"][0, 0] = below
    mesa["best_flor"][0, 1] = below + flores


def _fill_score(mesa: npt.NDArray[np.void], legs: int) -> None:
    leg = mesa["leg"][0]
    leg[0, :] = 1.0  # who gets more is paid first
    for total in range(2, 2 * MOST_POINTS + 1):
        for ours in range(max(1, total - MOST_POINTS), min(MOST_POINTS, total - 1) + 1):
            theirs = total - ours
            leg[ours, theirs] = sum(
                0.5 * chance * (leg[max(ours - more, 0), max(theirs - less, 0)] + 1 - leg[max(theirs - more, 0), max(ours - less, 0)])
                for more, less, chance in _HANDS
            )
    for ours in range(3):
        for theirs in range(3):
            won, lost = ours >= legs, theirs >= legs
            mesa["match"][0, ours, theirs] = 1.0 if won else 0.0 if lost else 0.5 + 0.25 * (ours - theirs) * (legs - 1)


@lru_cache(maxsize=32)
def mesa_of(rules: Rules) -> npt.NDArray[np.void]:
    """Return what is known of a table: an array of one ``MESA_DTYPE`` record, read-only."""
    mesa = np.zeros(1, dtype=MESA_DTYPE)
    mesa["players"] = rules.players
    mesa["truc"] = rules.ruleset == "truc_valencia"
    manos_pardas = {"mano_side": 1.0, "nobody": 0.5, "dealer_side": 0.0}[rules.all_parda]
    mesa["manos_pardas"] = manos_pardas
    mesa["senas"] = rules.senas != "off" and rules.sena_catch < _TOO_PUBLIC
    _fill_tricks(mesa, rules.deck)
    _fill_numbers(mesa, rules.deck, flor=rules.flor_mode != "off")
    _fill_score(mesa, rules.legs_to_win)
    mesa["rules"] = record_of(rules)
    mesa["duel"] = duel_odds(rules.deck, manos_pardas, manos_lead=rules.parda_leader != "last_tied").tables
    mesa.setflags(write=False)
    return mesa
