"""Write a seat's observation from a game's record (the layout is ``observation.py``'s)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from truco_env.engine.envido import envido_if_refused, envido_stake
from truco_env.engine.flor import may_sing
from truco_env.engine.jit import hot_rule, rule
from truco_env.engine.legal import seen_decision
from truco_env.engine.option_codes import SCORING_TIME_END_OF_HAND
from truco_env.engine.record import (
    ENVIDO_ACCEPTED,
    ENVIDO_WAITS,
    FLOR_POLL,
    NOBODY,
    PARDA,
    PICA,
    UNDECIDED,
)
from truco_env.engine.record_types import GameRecord, RulesRecord
from truco_env.engine.seats import has, side_of
from truco_env.engine.tricks import tier_of
from truco_env.engine.truco import truco_worth
from truco_env.observation.layout import CARD_WIDTH, N_POLLS, F
from truco_env.rules.actions import Action
from truco_env.rules.cards import N_CARDS, N_TIERS, TIERS

(
    _HAND, _HELD, _BEATS, _TIES, _ENVIDO, _ENVIDO_AT_LEAST, _FLOR, _DISCARDED, _TABLE, _BEST, _TRICK_WON, _TRICK, _LEADER, _MANO, _TURN,
    _FRESH, _ACTIVE, _LEFT_AT, _CLOCK, _PHASE, _TO_ACT, _WORTH, _TRUCO_ACCEPTED, _TRUCO_WAITS, _TRUCO_CALLER, _TRUCO_CLOCK, _TRUCO_RIGHT,
    _TRUCO_ANNULLED, _TRUCO_ANSWERER, _ENVIDO_STATE, _ENVIDO_CALL, _ENVIDO_CALLER, _ENVIDO_CLOCK, _ENVIDO_OVER_TRUCO, _ENVIDO_ANSWERER,
    _ENVIDO_STAKE, _ENVIDO_REFUSED, _TOLD, _FLOR_ROUND, _FLOR_RUNG, _FLOR_SINGER, _FLOR_CALLER, _FLOR_CONTRA, _FLOR_ANSWER,
    _FLOR_ANSWERER, _FLOR_SUNG, _FLOR_AT, _FLOR_TOLD, _MAY_SING, _PASSED, _ANNOUNCED, _SCORE, _START_SCORE, _TO_GO, _WON, _UNPOSTED, _SHOWN,
    _KIND, _DUEL, _SENAS,
) = (int(member) for member in F)  # fmt: skip
_SIZE = len(F)
_AT_LEAST = (np.arange(40)[:, None] >= np.arange(20, 34)).astype(np.int8).reshape(-1)  # by envido number


def _card_images() -> npt.NDArray[np.int8]:
    """What is written of a card, by its place in ``TIERS_OR_NONE``: one of ``N_TIERS`` ranks and one of four suits, or nothing."""
    images = np.zeros((len(TIERS), N_CARDS + 1, CARD_WIDTH), dtype=np.int8)
    for deck, card in np.argwhere(TIERS > 0).tolist():
        images[deck, card + 1, TIERS[deck, card] - 1] = 1
        images[deck, card + 1, N_TIERS + card % 4] = 1
    return images.reshape(-1)


_IMAGES = _card_images()
_FIRST_ENVIDO = int(Action.ENVIDO)
_QUIERO = int(Action.QUIERO)


@hot_rule
def encode(g: GameRecord, r: RulesRecord, at: Any, base: int, me: int, o: Any) -> None:
    """Write the observation of seat ``me`` into ``o[base : base + size]``, int8; ``at`` holds the layout's offsets.

    A flat array and a start, since numba counts a reference for every row that it slices off. A table for two is compiled by itself:
    loops over a number of seats that the compiler knows take a tenth less of a batched step.
    """
    if r.players == 2:
        _encode(g, r, 2, at, base, me, o)
    else:
        _encode_many(g, r, at, base, me, o)


@rule
def _encode_many(g: GameRecord, r: RulesRecord, at: Any, base: int, me: int, o: Any) -> None:
    _encode(g, r, int(r.players), at, base, me, o)


@hot_rule
def _encode(g: GameRecord, r: RulesRecord, players: int, at: Any, base: int, me: int, o: Any) -> None:
    for i in range(at[_SIZE]):
        put(o, base + i, 0)
    us = side_of(g, me)
    _write_hand(g, r, players, at, base, me, o)
    if players == 3:
        _write_fourth_card(g, r, at, base, me, o)
    _write_tricks(g, r, players, at, base, me, us, o)
    _write_phase(g, players, at, base, me, o)
    _write_truco(g, players, at, base, me, us, o)
    if g.n_envidos:
        _write_envido(g, r, players, at, base, me, us, o)
    if g.flor_round:
        _write_flor(g, players, at, base, me, o)
    _write_score(g, r, players, at, base, me, us, o)
    if g.revealed:
        _write_shown(g, players, at, base, me, o)
    if players == 6 and at[_DUEL] > at[_KIND]:  # seats first, here and below: that ends it for two when this is compiled
        put(o, base + at[_KIND] + g.kind, 1)
        put(o, base + at[_DUEL] + g.duel, 1)
    if players > 2 and at[_SIZE] > at[_SENAS]:
        _write_senas(g, players, at, base, me, o)


@hot_rule
def put(o: Any, i: int, value: float) -> None:
    """``o[i] = value`` for an ``i`` that is never negative: unsigned indices skip numba's wrap-around, a third of this module's work."""
    o[np.uintp(i)] = value


@hot_rule
def _seen_from(me: int, seat: int, players: int) -> int:
    """The seat counted relative to ``me``."""
    if players == 2:
        return seat ^ me
    away = seat - me
    return away + players if away < 0 else away


@hot_rule
def _mark(o: Any, start: int, me: int, seat: int, players: int) -> None:
    if seat != NOBODY:
        put(o, start + _seen_from(me, seat, players), 1)


@hot_rule
def _write_seats(o: Any, start: int, me: int, seats: int, players: int) -> None:
    """Write a set of seats, relative to ``me``."""
    turned = (seats >> me) | (seats << (players - me))
    for i in range(players):
        put(o, start + i, (turned >> i) & 1)


@hot_rule
def write_card(o: Any, start: int, r: RulesRecord, card: int) -> None:
    """Write a card, or nothing for -1."""
    image = (int(r.first_tier) + card) * CARD_WIDTH
    for i in range(CARD_WIDTH):
        put(o, start + i, _IMAGES[np.uintp(image + i)])


@hot_rule
def _write_hand(g: GameRecord, r: RulesRecord, players: int, at: Any, base: int, me: int, o: Any) -> None:
    _write_slot(g, r, at, base, me, 0, o)  # a loop over the slots is measurably slower
    _write_slot(g, r, at, base, me, 1, o)
    _write_slot(g, r, at, base, me, 2, o)
    _write_seats(o, base + at[_BEST], me, int(g.best_seats), players)
    number = int(g.envido[me])
    put(o, base + at[_ENVIDO], number)
    start = base + at[_ENVIDO_AT_LEAST]
    for i in range(14):
        put(o, start + i, _AT_LEAST[np.uintp(number * 14 + i)])
    put(o, base + at[_FLOR], g.flor[me])
    put(o, base + at[_MAY_SING], may_sing(g, r, me))
    if g.passed[me]:
        for i in range(N_POLLS):
            put(o, base + at[_PASSED] + i, (int(g.passed[me]) >> i) & 1)


@rule
def _write_fourth_card(g: GameRecord, r: RulesRecord, at: Any, base: int, me: int, o: Any) -> None:
    """Gallo's dealer has a fourth slot until the discard, and then knows what he discarded."""
    _write_slot(g, r, at, base, me, 3, o)
    if g.discarded >= 0 and me == g.dealer:
        write_card(o, base + at[_DISCARDED], r, int(g.discarded))


@hot_rule
def _write_slot(g: GameRecord, r: RulesRecord, at: Any, base: int, me: int, slot: int, o: Any) -> None:
    card = int(g.cards[me, slot])
    tier, held = tier_of(r, card), (int(g.held[me]) >> slot) & 1
    write_card(o, base + at[_HAND] + slot * CARD_WIDTH, r, card)
    put(o, base + at[_HELD] + slot, held)
    put(o, base + at[_BEATS] + slot, held & (1 if tier > g.best_tier else 0))
    put(o, base + at[_TIES] + slot, held & (1 if tier == g.best_tier else 0))


@hot_rule
def _write_tricks(g: GameRecord, r: RulesRecord, players: int, at: Any, base: int, me: int, us: int, o: Any) -> None:
    for trick in range(3 if g.kind == PICA else int(g.trick) + 1):
        start = base + at[_TABLE] + trick * players * CARD_WIDTH
        for seat in range(players):
            write_card(o, start + _seen_from(me, seat, players) * CARD_WIDTH, r, int(g.table[trick, seat]))
        winner = int(g.trick_winner[trick])
        if winner != UNDECIDED:
            put(o, base + at[_TRICK_WON] + trick * 3 + (2 if winner == PARDA else winner ^ us), 1)
    put(o, base + at[_TRICK] + g.trick, 1)
    _mark(o, base + at[_LEADER], me, int(g.leader), players)
    _mark(o, base + at[_MANO], me, int(g.mano), players)
    _mark(o, base + at[_TURN], me, int(g.turn), players)
    _write_seats(o, base + at[_ACTIVE], me, int(g.active), players)
    for seat in range(players):
        put(o, base + at[_LEFT_AT] + _seen_from(me, seat, players), g.left_at[seat])
    if me == g.turn:  # a seña ends the freshness, and not everybody has seen it
        put(o, base + at[_FRESH], g.fresh)
    put(o, base + at[_CLOCK], g.clock)


@hot_rule
def _write_phase(g: GameRecord, players: int, at: Any, base: int, me: int, o: Any) -> None:
    phase, seat = seen_decision(g, me)
    if phase == FLOR_POLL and seat == NOBODY:
        return
    put(o, base + at[_PHASE] + phase, 1)
    _mark(o, base + at[_TO_ACT], me, seat, players)


@hot_rule
def _write_truco(g: GameRecord, players: int, at: Any, base: int, me: int, us: int, o: Any) -> None:
    put(o, base + at[_WORTH], truco_worth(g))
    put(o, base + at[_TRUCO_ACCEPTED] + g.truco_accepted, 1)
    _mark(o, base + at[_TRUCO_ANNULLED], me, int(g.truco_annulled), players)
    if g.truco_caller[1] == NOBODY:
        return
    for rung in range(1, 5):
        if g.truco_caller[rung] == NOBODY:
            break
        _mark(o, base + at[_TRUCO_CALLER] + (rung - 1) * players, me, int(g.truco_caller[rung]), players)
        put(o, base + at[_TRUCO_CLOCK] + rung - 1, g.truco_clock[rung])
    if g.truco_waits:
        put(o, base + at[_TRUCO_WAITS] + g.truco_waits - 1, 1)
        _mark(o, base + at[_TRUCO_ANSWERER], me, int(g.truco_answerer), players)
    if g.truco_accepted:
        put(o, base + at[_TRUCO_RIGHT] + (int(g.truco_right) ^ us), 1)


@hot_rule
def _write_envido(g: GameRecord, r: RulesRecord, players: int, at: Any, base: int, me: int, us: int, o: Any) -> None:
    put(o, base + at[_ENVIDO_STATE] + g.envido_state - 1, 1)
    for i in range(g.n_envidos):
        put(o, base + at[_ENVIDO_CALL] + 4 * i + g.envido_calls[i] - _FIRST_ENVIDO, 1)
        _mark(o, base + at[_ENVIDO_CALLER] + i * players, me, int(g.envido_callers[i]), players)
        put(o, base + at[_ENVIDO_CLOCK] + i, g.envido_clock[i])
    put(o, base + at[_ENVIDO_OVER_TRUCO], g.envido_over_truco)
    if g.envido_state == ENVIDO_WAITS:
        _mark(o, base + at[_ENVIDO_ANSWERER], me, int(g.envido_answerer), players)
    if g.envido_state == ENVIDO_ACCEPTED:
        for seat in range(players):
            put(o, base + at[_TOLD] + _seen_from(me, seat, players), g.told[seat])
    if g.envido_state == ENVIDO_WAITS or (r.truc and g.envido_state == ENVIDO_ACCEPTED):
        put(o, base + at[_ENVIDO_STAKE], min(envido_stake(g, r, us), 127))
        put(o, base + at[_ENVIDO_STAKE] + 1, min(envido_stake(g, r, 1 - us), 127))
        put(o, base + at[_ENVIDO_REFUSED], envido_if_refused(g, r))


@hot_rule
def _write_flor(g: GameRecord, players: int, at: Any, base: int, me: int, o: Any) -> None:
    put(o, base + at[_FLOR_ROUND] + g.flor_round - 1, 1)
    put(o, base + at[_FLOR_RUNG] + g.flor_rung - 1, 1)
    _mark(o, base + at[_FLOR_SINGER], me, int(g.flor_singer), players)
    _mark(o, base + at[_FLOR_CALLER], me, int(g.flor_caller), players)
    put(o, base + at[_FLOR_CONTRA], g.flor_contra)
    if g.flor_answer != NOBODY:
        put(o, base + at[_FLOR_ANSWER] + (0 if g.flor_answer == _QUIERO else 1), 1)
        _mark(o, base + at[_FLOR_ANSWERER], me, int(g.flor_answerer), players)
    _write_seats(o, base + at[_FLOR_SUNG], me, int(g.flor_sung), players)
    for seat in range(players):
        rel = _seen_from(me, seat, players)
        put(o, base + at[_FLOR_AT] + rel, g.flor_at[seat])
        put(o, base + at[_FLOR_TOLD] + rel, g.flor_told[seat])


@hot_rule
def _write_score(g: GameRecord, r: RulesRecord, players: int, at: Any, base: int, me: int, us: int, o: Any) -> None:
    put(o, base + at[_ANNOUNCED], g.announced)
    for i in range(3 if players == 3 else 2):
        account = (me + i) % 3 if players == 3 else us ^ i
        score = int(g.scores[account])
        put(o, base + at[_SCORE] + i, min(max(score, 0), 127))
        put(o, base + at[_START_SCORE] + i, min(max(int(g.start_scores[account]), 0), 127))
        put(o, base + at[_TO_GO] + i, min(max(int(r.leg_target) - score, 0), 127))
        put(o, base + at[_WON] + i, g.won[account])
    if r.scoring_time == SCORING_TIME_END_OF_HAND:
        put(o, base + at[_UNPOSTED], min(max(int(g.unposted[us]), -127), 127))
        put(o, base + at[_UNPOSTED] + 1, min(max(int(g.unposted[1 - us]), -127), 127))


@rule
def _write_shown(g: GameRecord, players: int, at: Any, base: int, me: int, o: Any) -> None:
    for seat in range(players):
        if has(int(g.revealed), seat):
            for slot in range(3):
                put(o, base + at[_SHOWN] + 3 * _seen_from(me, seat, players) + slot, g.cards[seat, slot] + 1)


@rule
def _write_senas(g: GameRecord, players: int, at: Any, base: int, me: int, o: Any) -> None:
    for trick in range(int(g.trick) + 1):
        for seat in range(players):
            if g.sena[trick, seat] and (seat == me or has(int(g.sena_seen[trick, seat]), me)):
                start = base + at[_SENAS] + (_seen_from(me, seat, players) * 3 + trick) * 13
                put(o, start + g.sena[trick, seat] - 1, 1)
