"""Cards of the Spanish deck: names, decks, truco rank and envido values.

A card is an ``int`` 0..47: ``(rank - 1) * 4 + suit`` with rank 1..12 and the suits in the order of ``SUITS``.
Sorting card ids therefore sorts by rank, then suit.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from truco_env.errors import CardError

SUITS: Final = "EBOC"  #: espadas, bastos, oros, copas
N_CARDS: Final = 48
N_TIERS: Final = 14  #: truco ranks run from 1 (weakest) to 14 (1E)

FULL_DECK: Final = 0  #: 40 cards, rules.md 1.1
SHORT_DECK: Final = 1  #: 22 cards of ``truc_valencia``, rules.md 1.2
LONG_DECK: Final = 2  #: ``deck30``: the short deck with the 8s and 9s

_TOP = {"1E": 14, "1B": 13, "7E": 12, "7O": 11}
_TIERS_FULL = {3: 10, 2: 9, 1: 8, 12: 7, 11: 6, 10: 5, 7: 4, 6: 3, 5: 2, 4: 1}
_TIERS_TRUC = {3: 10, 9: 9, 8: 8, 7: 7, 6: 6, 5: 5, 4: 4}


def card_name(card: int) -> str:
    """Return the text of a card id, such as ``"7O"``."""
    return f"{card // 4 + 1}{SUITS[card % 4]}"


_IDS: Final = {card_name(card): card for card in range(N_CARDS)}
_LONGEST_SHOWN: Final = 20


def parse_card(text: str) -> int:
    """Return the id of a card such as ``"7O"``.

    Raises:
        CardError: ``text`` is not a rank 1..12 followed by a suit letter.
    """
    card = _IDS.get(text)
    if card is None:
        shown = text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."
        raise CardError(f"{shown!r} is not a card: write a rank 1..12 and a suit letter of {SUITS}, as in 7O")
    return card


def _deck(ranks: tuple[int, ...], *extra: str) -> npt.NDArray[np.int8]:
    cards = {(rank - 1) * 4 + suit for rank in ranks for suit in range(4)}
    return np.array(sorted(cards | {parse_card(name) for name in extra}), dtype=np.int8)


#: Card ids of each deck, ascending.
DECKS: Final = (
    _deck((1, 2, 3, 4, 5, 6, 7, 10, 11, 12)),
    _deck((3, 4, 5, 6, 7), "1E", "1B"),
    _deck((3, 4, 5, 6, 7, 8, 9), "1E", "1B"),
)


def _tier_table() -> npt.NDArray[np.int8]:
    table = np.zeros((3, N_CARDS), dtype=np.int8)
    for deck, ranks in enumerate((_TIERS_FULL, _TIERS_TRUC, _TIERS_TRUC)):
        for card in DECKS[deck].tolist():
            table[deck, card] = _TOP.get(card_name(card), ranks.get(card // 4 + 1, 0))
    return table


#: ``TIERS[deck, card]``: truco rank 1..14, 0 for a card that is not in the deck. Equal rank is a parda.
TIERS: Final = _tier_table()

#: The rows of ``TIERS`` behind one another for compiled code, each after a 0 that stands for "no card": deck and card are found at
#: ``first_tier(deck) + card``, also card -1.
TIERS_OR_NONE: Final = np.pad(TIERS, ((0, 0), (1, 0))).reshape(-1)


def first_tier(deck: int) -> int:
    """Return where ``TIERS_OR_NONE`` has card 0 of a deck."""
    return deck * (N_CARDS + 1) + 1


#: ``VALUES[card]``: what a card counts for envido and flor (rules.md 1.3).
VALUES: Final = np.array([rank if rank < 10 else 0 for rank in range(1, 13) for _ in SUITS], dtype=np.int8)

#: The decks as one array, padded with -1, for compiled code: ``DECK_TABLE[deck, i]``.
DECK_TABLE: Final = np.full((3, 40), -1, dtype=np.int8)
for _index, _cards in enumerate(DECKS):
    DECK_TABLE[_index, : len(_cards)] = _cards
