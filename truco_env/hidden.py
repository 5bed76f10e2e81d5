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
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from truco_env.actions import Action
from truco_env.cards import DECK_TABLE
from truco_env.engine.chance import _GOLDEN, below, mix
from truco_env.engine.compile import entry, rule
from truco_env.engine.hand import begin_hand
from truco_env.engine.record import (
    ENVIDO_ANSWER,
    ENVIDO_WAITS,
    EV_ANSWER,
    EV_CALL,
    EV_DISCARD,
    EV_FOLD,
    EV_PASO,
    EV_PLAY,
    EV_SENA,
    FLOR_ANSWER,
    FLOR_POLL,
    MAX_SEATS,
    NOBODY,
    ROUND_OPEN,
    TRUCO_ANSWER,
)
from truco_env.engine.seats import has
from truco_env.engine.step import apply_action, find_decision

_DISCARD_0, _FLOR, _PASO = int(Action.DISCARD_0), int(Action.FLOR), int(Action.PASO)
_ONE = np.uint64(1)
_FIRST_BATCH: Final = 8  #: deals drawn at once: most positions accept one of a few
_BATCH: Final = 64
_FREE_TRIES: Final = 64  #: deals rejected before lists of hands are made
_MANY_TRIES: Final = 16384  #: deals rejected before every hidden seat gets a list
_MAX_TRIES: Final = 10_000_000
_PROBES: Final = 32  #: hands tried to see whether a seat needs a list
_ENOUGH: Final = 0.4  #: share of a seat's hands that must agree to do without a list
_MAX_CLASHES = 1_000_000


@rule
def public_decision(g: Any, seat: int) -> int:
    """The phase and seat to act as ``seat`` sees them: 16 * phase + seat to act + 1 (0 = nobody).

    Being asked for a flor is known to the asked seat only; the others see what waits behind the question (rules.md 1.14).
    """
    phase, to_act = int(g.phase), int(g.to_act)
    asked = phase == FLOR_POLL or (phase == FLOR_ANSWER and g.flor_waits == NOBODY)
    if asked and to_act != seat:
        if g.flor_round == ROUND_OPEN:
            phase, to_act = FLOR_POLL, NOBODY
        elif g.envido_state == ENVIDO_WAITS:
            phase, to_act = ENVIDO_ANSWER, int(g.envido_answerer)
        else:
            phase, to_act = TRUCO_ANSWER, int(g.truco_answerer)
    return 16 * phase + to_act + 1


@rule
def _is_visible(packed: int, seat: int) -> bool:
    kind, who = packed >> 22, packed >> 18 & 15
    if kind == EV_PASO:
        return who == seat
    if kind == EV_SENA:
        return who == seat or has((packed & 4095) - 1024, seat)
    return True


@rule
def _public_part(packed: int, seat: int) -> int:
    """A visible log entry without what ``seat`` does not know of it: a discarded card, who else saw a seña."""
    kind = packed >> 22
    if kind == EV_SENA or (kind == EV_DISCARD and packed >> 18 & 15 != seat):
        return packed & ~4095
    return packed


@rule
def _slot_of(g: Any, seat: int, card: int) -> int:
    for slot in range(4):
        if g.cards[seat, slot] == card:
            return slot
    return 15


@rule
def _next_visible(g: Any, seat: int, t: int) -> int:
    """The first entry from ``t`` on that ``seat`` knows of; ``n_log`` if there is none."""
    while t < g.n_log and not _is_visible(int(g.log[t]), seat):
        t += 1
    return t


@rule
def _compare_logs(truth: Any, twin: Any, seat: int, c: int, t: int) -> int:
    """Compare the twin's new entries, from ``c``, with the true log from ``t``; return where that goes on, -1 if they differ."""
    for i in range(c, twin.n_log):
        packed = int(twin.log[i])
        if _is_visible(packed, seat):
            t = _next_visible(truth, seat, t)
            if t == truth.n_log or _public_part(packed, seat) != _public_part(int(truth.log[t]), seat):
                return -1
            t += 1
    return _next_visible(truth, seat, t)


@rule
def _do(g: Any, r: Any, action: int) -> bool:
    if action >= 64 or (g.legal >> action) & 1 == 0:
        return False
    apply_action(g, r, action)
    return True


@rule
def _repeat_step(truth: Any, twin: Any, r: Any, seat: int, t: int, discard: int) -> bool:
    """Let the twin do entry ``t`` of the true log, or pass a flor in silence before it; return whether it can."""
    packed = int(truth.log[t])
    kind, who, extra, value = packed >> 22, packed >> 18 & 15, packed >> 12 & 63, (packed & 4095) - 1024
    sings = kind == EV_CALL and extra == _FLOR and who == twin.to_act
    if twin.phase == FLOR_POLL and twin.to_act != seat and not sings:
        return _do(twin, r, _PASO)
    if who != twin.to_act:
        return False
    if kind == EV_PLAY:
        return _do(twin, r, _slot_of(twin, who, value))
    if kind == EV_DISCARD:
        return _do(twin, r, _DISCARD_0 + _slot_of(twin, who, value if who == seat else discard))
    if kind == EV_PASO:
        return _do(twin, r, _PASO)
    if kind == EV_SENA:
        return _repeat_sena(twin, r, seat, who, extra)
    if kind in (EV_CALL, EV_ANSWER, EV_FOLD):
        return _do(twin, r, extra)
    return False


@rule
def _repeat_sena(twin: Any, r: Any, seat: int, who: int, sign: int) -> bool:
    """A seña that ``seat`` made or saw; that it saw it is not drawn anew."""
    trick, last = int(twin.trick), int(twin.n_log)
    if not _do(twin, r, sign):
        return False
    if who != seat and not has(int(twin.sena_seen[trick, who]), seat):
        twin.sena_seen[trick, who] = int(twin.sena_seen[trick, who]) | 1 << seat
        twin.log[last] = int(twin.log[last]) + (1 << seat)
    return True


@rule
def _replays(truth: Any, twin: Any, r: Any, seat: int, discard: int) -> bool:
    """Play the history known to ``seat`` on the deal in ``twin``; return whether the two agree in all that it knows."""
    begin_hand(twin, r)
    find_decision(twin, r)
    t = _compare_logs(truth, twin, seat, 0, 0)
    while 0 <= t < truth.n_log:
        c = int(twin.n_log)
        if twin.hand_over or not _repeat_step(truth, twin, r, seat, t, discard):
            return False
        t = _compare_logs(truth, twin, seat, c, t)
    while t >= 0 and truth.to_act == seat and twin.to_act != seat:
        c = int(twin.n_log)
        if twin.phase != FLOR_POLL or not _do(twin, r, _PASO):
            return False
        t = _compare_logs(truth, twin, seat, c, t)
    if t < 0 or (twin.to_act == seat) != (truth.to_act == seat):
        return False
    return public_decision(twin, seat) == public_decision(truth, seat)


@entry
def check_deals(games: Any, i: int, rules: Any, seat: int, twins: Any, deals: Any, discards: Any, consistent: Any, stop: int) -> int:
    """Replay what ``seat`` knows of ``games[i]`` on each of ``deals``, int8 (k, 8, 4), and note in ``consistent`` whether it agrees.

    ``twins[1]`` is the match before the deal; ``discards``, int8 (k,), the card that gallo's dealer puts away. Returns the number of
    consistent deals. With ``stop`` it ends at the first, which is then left, replayed, in ``twins[0]``.
    """
    truth, twin, r = games[i], twins[0], rules[0]
    count = 0
    for k in range(len(deals)):
        twins[0] = twins[1]
        for s in range(r.players):
            for slot in range(4):
                twin.cards[s, slot] = deals[k, s, slot]
        consistent[k] = _replays(truth, twin, r, seat, int(discards[k]))
        count += consistent[k]
        if stop and count:
            break
    return count


@rule
def _conceals_discard(g: Any, r: Any, seat: int, other: int) -> bool:
    return r.gallo == 1 and other == g.dealer and other != seat and g.discarded >= 0


@rule
def _survey(g: Any, r: Any, seat: int, known: Any, counts: Any, missing: Any, pool: Any) -> int:
    """Note what ``seat`` sees of the cards of this deal and what it does not; return how many cards it does not see.

    ``known``: the cards it knows of each hand, int8 (8, 4), ``counts`` of them; ``missing``: how many it does not know (without a
    concealed discard), int8 (8,). ``pool``: the unseen cards, int8 (40,).
    """
    seen = np.uint64(0)
    for s in range(r.players):
        count = 0
        if s == seat or has(int(g.revealed), s):
            for slot in range(4):
                if g.cards[s, slot] >= 0:
                    known[s, count] = g.cards[s, slot]
                    count += 1
            if s == seat and r.gallo and s == g.dealer and g.discarded >= 0:
                known[s, count] = g.discarded
                count += 1
        else:
            for trick in range(3):
                if g.table[trick, s] >= 0:
                    known[s, count] = g.table[trick, s]
                    count += 1
        counts[s] = count
        missing[s] = max((4 if g.cards[s, 3] >= 0 else 3) - count, 0)
        for k in range(count):
            seen |= _ONE << np.uint64(known[s, k])
    size = 0
    for k in range(r.deck_size):
        card = int(DECK_TABLE[r.deck, k])
        if (seen >> np.uint64(card)) & _ONE == 0:
            pool[size] = card
            size += 1
    return size


@entry
def survey(games: Any, i: int, rules: Any, seat: int, known: Any, counts: Any, missing: Any, pool: Any) -> int:
    """Note what ``seat`` does not see of the deal of ``games[i]``; see ``_survey``."""
    return _survey(games[i], rules[0], seat, known, counts, missing, pool)


@entry
def draw_deals(games: Any, i: int, rules: Any, seat: int, lists: Any, ends: Any, random: Any, deals: Any, discards: Any) -> int:
    """Draw whole deals that agree with the cards ``seat`` has seen; return how many were drawn (fewer if lists clash all the time).

    ``lists``: hidden parts of hands, int8 (n, 3), of which a listed seat gets one of its own; ``ends``: where the list of each seat ends,
    int64 (8,), an empty list leaves the seat free; ``random``: state of the draw, uint64 (1,). The deals are written into ``deals``,
    int8 (k, 8, 4), the cards that gallo's dealer puts away into ``discards``, int8 (k,).
    """
    g, r = games[i], rules[0]
    players = int(r.players)
    known, counts, missing = np.full((MAX_SEATS, 4), -1, np.int8), np.zeros(MAX_SEATS, np.int8), np.zeros(MAX_SEATS, np.int8)
    pool, rest = np.empty(40, np.int8), np.empty(40, np.int8)
    size = _survey(g, r, seat, known, counts, missing, pool)
    drawn = 0
    for _ in range(_MAX_CLASHES):
        if drawn == len(deals):
            break
        deal = deals[drawn]
        taken, clash = np.uint64(0), False
        for s in range(players):
            for slot in range(4):
                deal[s, slot] = known[s, slot]
            start = 0 if s == 0 else ends[s - 1]
            if ends[s] > start:
                random[0] = random[0] + _GOLDEN
                row = start + below(mix(random[0]), ends[s] - start)
                for k in range(missing[s]):
                    card = lists[row, k]
                    deal[s, counts[s] + k] = card
                    clash |= (taken >> np.uint64(card)) & _ONE != np.uint64(0)
                    taken |= _ONE << np.uint64(card)
        if clash:
            continue
        left = 0
        for k in range(size):
            if (taken >> np.uint64(pool[k])) & _ONE == 0:
                rest[left] = pool[k]
                left += 1
        discards[drawn] = g.discarded
        for s in range(players):
            start = 0 if s == 0 else ends[s - 1]
            concealed = _conceals_discard(g, r, seat, s)
            first = int(counts[s]) + (int(missing[s]) if ends[s] > start else 0)
            for slot in range(first, int(counts[s]) + int(missing[s]) + (1 if concealed else 0)):
                random[0] = random[0] + _GOLDEN
                left -= 1
                pick = below(mix(random[0]), left + 1)
                deal[s, slot] = rest[pick]
                rest[pick] = rest[left]
            if concealed:
                discards[drawn] = deal[s, 3]
        drawn += 1
    return drawn


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
            deals, discards = np.empty((batch, MAX_SEATS, 4), dtype=np.int8), np.empty(batch, dtype=np.int8)
            drawn = draw_deals(*self._table, self._lists.hands, self._lists.ends, random, deals, discards)
            flags = np.empty(batch, dtype=np.bool_)
            if drawn and check_deals(*self._table, twins, deals[:drawn], discards[:drawn], flags, True):
                return
            tried, batch = tried + batch, _BATCH
            if tried >= self._tries:
                self._make_lists(twins, rng, everybody=self._lists is not _NO_LISTS)
                tried = 0
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
