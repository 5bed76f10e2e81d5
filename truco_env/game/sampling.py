"""Hidden: draw the cards that a seat cannot see, consistently with everything it knows.

Method. What a seat knows of a hand is its own cards and the public part of the log. A drawn deal is *consistent* if replaying
that public history on it, with the engine, is legal, writes the same public log and leads to the same decision. What others did in
secret is chosen anew: a holder who was asked for a flor and was not heard passed; gallo's discard is drawn with the dealer's cards;
señas that the seat did not see are left out (they change nothing in the game).

Cards are drawn uniformly among those the seat has not seen and rejected unless consistent, so consistent deals are equally likely
(in gallo: pairs of a deal and a discard). Where that rejects too often, the seats that cause it get a list of all their possible
hands, found by replaying the history with that one hand changed. This is exact because what is public binds each seat by itself:
numbers and flor values are told or bounded by told ones, a duty to sing binds its holder, and seats bind each other in nothing but
that they share no card. Hands are then drawn from the lists, overlapping ones rejected, and every drawn deal is still replayed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final

import numpy as np
import numpy.typing as npt

from truco_env.engine.known import check_deals, draw_deals, survey
from truco_env.engine.record import MAX_SEATS

_FIRST_BATCH: Final = 8  #: deals drawn at once: most positions accept one of a few
_BATCH: Final = 64
_FREE_TRIES: Final = 64  #: deals rejected before lists of hands are made
_MANY_TRIES: Final = 16384  #: deals rejected before every hidden seat gets a list
_MAX_TRIES: Final = 10_000_000
_PROBES: Final = 32  #: hands tried to see whether a seat needs a list
_ENOUGH: Final = 0.4  #: share of a seat's hands that must agree to do without a list


@dataclass(frozen=True)
class HandLists:
    """The possible hidden parts of hands of the seats that need a list, for one position seen by one seat."""

    hands: npt.NDArray[np.int8]  #: (n, 3), padded with -1
    ends: npt.NDArray[np.int64]  #: (8,)


_NO_LISTS: Final = HandLists(np.zeros((1, 3), dtype=np.int8), np.zeros(MAX_SEATS, dtype=np.int64))


@lru_cache(maxsize=128)
def _combinations(size: int, count: int) -> npt.NDArray[np.int64]:
    """All ways to take ``count`` of ``size`` things, int64 (ways, count)."""
    return np.array(list(combinations(range(size), count)), dtype=np.int64)


class Sampler:
    """Draws deals for one position seen by one seat, and keeps the lists of hands it had to make.

    Args:
        games: one record, in any state of a dealt hand.
        rules: the compiled rules.
        seat: whose knowledge is kept.
        blank: the bytes of a record: the match before the deal of this hand (number, kind, dealer, scores, legs).
    """

    def __init__(self, games: npt.NDArray[np.void], rules: npt.NDArray[np.void], seat: int, blank: npt.NDArray[np.uint8]) -> None:
        self.seat = seat
        self.blank = blank
        self._table = (games, 0, rules, seat)
        self._lists = _NO_LISTS
        self._tries = _FREE_TRIES

    def draw(self, twins: npt.NDArray[np.void], rng: np.random.Generator) -> None:
        """Draw into ``twins[0]`` a record that the seat cannot tell from the true one.

        Args:
            twins: two records, the second of ``blank``.
            rng: source of the draw; the seed of the twin's later deals comes from it too.
        """
        random = np.array([rng.integers(0, 2**64, dtype=np.uint64)])
        twins["seed"][1] = rng.integers(0, 2**64, dtype=np.uint64)
        batch, tried = _FIRST_BATCH, 0
        while tried < _MAX_TRIES:
            if tried >= self._tries:
                self._make_lists(twins, rng, everybody=self._lists is not _NO_LISTS)
                tried = 0
            deals, discards = np.empty((batch, MAX_SEATS, 4), dtype=np.int8), np.empty(batch, dtype=np.int8)
            drawn = draw_deals(*self._table, self._lists.hands, self._lists.ends, random, deals, discards)
            flags = np.empty(batch, dtype=np.bool_)
            if drawn and check_deals(*self._table, twins, deals[:drawn], discards[:drawn], flags, True):
                return
            tried, batch = tried + batch, _BATCH
        raise RuntimeError(f"no deal agrees with what seat {self.seat} knows, not even the true one")

    def _make_lists(self, twins: npt.NDArray[np.void], rng: np.random.Generator, *, everybody: bool) -> None:
        """List the hands of the seats whose random hands mostly fail, or of every seat with hidden cards."""
        rules = self._table[2]
        known, counts = np.full((MAX_SEATS, 4), -1, dtype=np.int8), np.zeros(MAX_SEATS, dtype=np.int8)
        missing, pool = np.zeros(MAX_SEATS, dtype=np.int8), np.empty(40, dtype=np.int8)
        size = survey(*self._table, known, counts, missing, pool)
        ends = np.zeros(MAX_SEATS, dtype=np.int64)
        parts: list[npt.NDArray[np.int8]] = []
        for other in range(int(rules["players"][0])):
            hidden = int(missing[other])
            if 0 < hidden < 4:
                hands = pool[_combinations(size, hidden)]
                probes = hands[rng.integers(0, len(hands), size=_PROBES)]
                if everybody or self._agreeing(twins, other, int(counts[other]), known, probes).mean() < _ENOUGH:
                    hands = hands[self._agreeing(twins, other, int(counts[other]), known, hands)]
                    parts.append(np.pad(hands, ((0, 0), (0, 3 - hidden)), constant_values=-1))
            ends[other:] = sum(map(len, parts))
        self._lists = HandLists(np.concatenate([*parts, _NO_LISTS.hands]), ends)
        self._tries = 2 * _MAX_TRIES if everybody else _MANY_TRIES

    def _agreeing(
        self, twins: npt.NDArray[np.void], other: int, count: int, known: npt.NDArray[np.int8], hands: npt.NDArray[np.int8]
    ) -> npt.NDArray[np.bool_]:
        """Which hidden parts of a hand of ``other`` agree with what the seat knows, bool (len(hands),).

        The other hidden hands are the true ones meanwhile: they agree with the history, and bind ``other`` in nothing.
        """
        games = self._table[0]
        deal = games["cards"][0].copy()
        discarded = games["discarded"][0]
        if discarded >= 0:
            deal[games["dealer"][0], 3] = discarded
        deals = np.repeat(deal[None], len(hands), axis=0)
        deals[:, other, :count] = known[other, :count]
        deals[:, other, count:3] = hands
        flags = np.empty(len(hands), dtype=np.bool_)
        check_deals(*self._table, twins, deals, np.full(len(hands), discarded, dtype=np.int8), flags, False)
        return flags
