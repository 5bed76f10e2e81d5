"""What a seat knows of a game: the decision and the part of the log that it sees, and deals that would have shown it the same."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from truco_env.engine.chance import GOLDEN, below, mix
from truco_env.engine.envido import envido_if_refused, envido_stake
from truco_env.engine.hand import begin_hand
from truco_env.engine.jit import entry, rule
from truco_env.engine.legal import seen_decision
from truco_env.engine.log import change_value, unpack
from truco_env.engine.record import (
    EV_ANSWER,
    EV_CALL,
    EV_DISCARD,
    EV_FOLD,
    EV_PASO,
    EV_PLAY,
    EV_SENA,
    FLOR_POLL,
    MAX_SEATS,
)
from truco_env.engine.record_types import GameRecord, RulesRecord
from truco_env.engine.seats import has, side_of
from truco_env.engine.step import find_decision, try_to
from truco_env.engine.truco import truco_worth
from truco_env.rules.actions import Action
from truco_env.rules.cards import DECK_TABLE

_DISCARD_0, _FLOR, _PASO = int(Action.DISCARD_0), int(Action.FLOR), int(Action.PASO)
_ONE = np.uint64(1)
_MAX_CLASHES = 1_000_000


class Facts(NamedTuple):
    """What ``describe`` derives from a game for one seat."""

    decision: int  #: see ``public_decision``
    worth: int  #: of the hand
    won_by_a: int  #: points of the envido chain, 0 where there is none
    won_by_b: int
    refused: int
    side: int  #: of the seat


@rule
def public_decision(g: GameRecord, seat: int) -> int:
    """The decision as ``seat`` sees it, in one number: 16 * phase + seat to act + 1 (0 = nobody)."""
    phase, to_act = seen_decision(g, seat)
    return 16 * phase + to_act + 1


@entry
def describe(games: Any, i: int, rules: Any, seat: int) -> tuple[int, int, int, int, int, int]:
    """Return what is derived from ``games[i]`` for ``seat``, in the order of the fields of ``Facts``."""
    g, r = games[i], rules[0]
    won_by_a, won_by_b, refused = 0, 0, 0
    if g.n_envidos:
        won_by_a, won_by_b, refused = envido_stake(g, r, 0), envido_stake(g, r, 1), envido_if_refused(g, r)
    return public_decision(g, seat), truco_worth(g), won_by_a, won_by_b, refused, side_of(g, seat)


@rule
def _is_visible(packed: int, seat: int) -> bool:
    kind, who, _, value = unpack(packed)
    if kind == EV_PASO:
        return who == seat
    if kind == EV_SENA:
        return who == seat or has(value, seat)
    return True


@rule
def _public_part(packed: int, seat: int) -> int:
    """A visible log entry without what ``seat`` does not know of it: a discarded card, who else saw a seña."""
    kind, who, _, _ = unpack(packed)
    if kind == EV_SENA or (kind == EV_DISCARD and who != seat):
        return change_value(packed, 0)
    return packed


@rule
def _slot_of(g: GameRecord, seat: int, card: int) -> int:
    for slot in range(4):
        if g.cards[seat, slot] == card:
            return slot
    return 15


@rule
def _next_visible(g: GameRecord, seat: int, t: int) -> int:
    """The first entry from ``t`` on that ``seat`` knows of; ``n_log`` if there is none."""
    while t < g.n_log and not _is_visible(int(g.log[t]), seat):
        t += 1
    return t


@rule
def _compare_logs(truth: GameRecord, twin: GameRecord, seat: int, c: int, t: int) -> int:
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
def _repeat_step(truth: GameRecord, twin: GameRecord, r: RulesRecord, seat: int, t: int, discard: int) -> bool:
    """Let the twin do entry ``t`` of the true log, or pass a flor in silence before it; return whether it can."""
    kind, who, code, value = unpack(int(truth.log[t]))
    sings = kind == EV_CALL and code == _FLOR and who == twin.to_act
    if twin.phase == FLOR_POLL and twin.to_act != seat and not sings:
        return try_to(twin, r, _PASO)
    if who != twin.to_act:
        return False
    if kind == EV_PLAY:
        return try_to(twin, r, _slot_of(twin, who, value))
    if kind == EV_DISCARD:
        return try_to(twin, r, _DISCARD_0 + _slot_of(twin, who, value if who == seat else discard))
    if kind == EV_PASO:
        return try_to(twin, r, _PASO)
    if kind == EV_SENA:
        return _repeat_sena(twin, r, seat, who, code)
    if kind in (EV_CALL, EV_ANSWER, EV_FOLD):
        return try_to(twin, r, code)
    return False


@rule
def _repeat_sena(twin: GameRecord, r: RulesRecord, seat: int, who: int, sign: int) -> bool:
    """A seña that ``seat`` made or saw; that it saw it is not drawn anew."""
    trick, last = int(twin.trick), int(twin.n_log)
    if not try_to(twin, r, sign):
        return False
    if who != seat and not has(int(twin.sena_seen[trick, who]), seat):
        twin.sena_seen[trick, who] = int(twin.sena_seen[trick, who]) | 1 << seat
        twin.log[last] = change_value(int(twin.log[last]), int(twin.sena_seen[trick, who]))
    return True


@rule
def _replays(truth: GameRecord, twin: GameRecord, r: RulesRecord, seat: int, discard: int) -> bool:
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
        if twin.phase != FLOR_POLL or not try_to(twin, r, _PASO):
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
def _conceals_discard(g: GameRecord, r: RulesRecord, seat: int, other: int) -> bool:
    return r.gallo == 1 and other == g.dealer and other != seat and g.discarded >= 0


@rule
def _survey(g: GameRecord, r: RulesRecord, seat: int, known: Any, counts: Any, missing: Any, pool: Any) -> int:
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
                random[0] = random[0] + GOLDEN
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
                random[0] = random[0] + GOLDEN
                left -= 1
                pick = below(mix(random[0]), left + 1)
                deal[s, slot] = rest[pick]
                rest[pick] = rest[left]
            if concealed:
                discards[drawn] = deal[s, 3]
        drawn += 1
    return drawn
