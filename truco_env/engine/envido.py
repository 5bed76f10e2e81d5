"""Envido: when it opens, the chain, telling the numbers, paying (rules.md 1.10-1.12, 2.3, 3.3, 4.3)."""

from __future__ import annotations

from truco_env.engine.jit import hot_rule, rule
from truco_env.engine.log import record
from truco_env.engine.option_codes import (
    ENVIDO_FIRST_ANNUL,
    ENVIDO_TIE_MANO_TEAM,
    ENVIDO_TIE_NEAREST_MANO,
    ENVIT_REFUSED_FLAT1,
    REVEAL_ENVIDO_ALL,
    REVEAL_ENVIDO_WINNER,
    TRUCO_RESPONDER_PIE,
)
from truco_env.engine.record import (
    ENVIDO_ACCEPTED,
    ENVIDO_NONE,
    ENVIDO_REFUSED,
    ENVIDO_WAITS,
    ENVIDO_WON,
    EV_ANSWER,
    EV_CALL,
    EV_NUMBER,
    REFUSED_ENVIDO,
)
from truco_env.engine.record_types import GameRecord, RulesRecord
from truco_env.engine.score import falta_points, pay
from truco_env.engine.seats import (
    first_after,
    first_from,
    owes_first_card,
    pie_of,
    played_no_card,
    responder,
    side_of,
    steps,
)
from truco_env.engine.truco import annul_truco
from truco_env.rules.actions import Action
from truco_env.rules.cards import VALUES

_ENVIDO, _REAL, _TORNE, _FALTA = (int(a) for a in (Action.ENVIDO, Action.REAL_ENVIDO, Action.TORNE, Action.FALTA_ENVIDO))
_QUIERO, _NO_QUIERO = int(Action.QUIERO), int(Action.NO_QUIERO)


@hot_rule
def envido_number(a: int, b: int, c: int) -> int:
    """The envido number of three card ids (rules.md 1.3)."""
    x, y, z = int(VALUES[a]), int(VALUES[b]), int(VALUES[c])
    with_ab = 20 + x + y if a & 3 == b & 3 else max(x, y)
    with_ac = 20 + x + z if a & 3 == c & 3 else max(x, z)
    with_bc = 20 + y + z if b & 3 == c & 3 else 0
    return max(with_ab, max(with_ac, with_bc))


@hot_rule
def may_open_envido(g: GameRecord, r: RulesRecord, seat: int) -> bool:
    """Whether a seat may open envido at its turn or over a waiting truco (rules.md 1.12)."""
    if g.trick != 0 or g.envido_state != ENVIDO_NONE or g.flor_sung != 0 or g.truco_accepted != 0:
        return False
    if r.pies_open and pie_of(g, r, side_of(g, seat)) != seat:
        return False
    if g.truco_waits == 0:
        return played_no_card(g, seat)
    if g.truco_waits > 1:
        return False
    return played_no_card(g, seat) or (r.envido_open_after_own_card != 0 and owes_first_card(g) != 0)


@hot_rule
def opening_envidos(r: RulesRecord) -> int:
    """The calls that open envido, as a set of actions."""
    if r.truc:
        return (1 << _ENVIDO) | (1 << _FALTA if r.falta_direct else 0)
    return (1 << _ENVIDO) | (1 << _REAL) | (1 << _FALTA)


@hot_rule
def envido_raises(g: GameRecord, r: RulesRecord) -> int:
    """The raises over the waiting chain, as a set of actions (rules.md 2.3, 3.3, 4.3)."""
    count = int(g.n_envidos)
    last = int(g.envido_calls[count - 1])
    if last == _FALTA:
        return 0
    if r.truc:
        if last == _TORNE:
            return 1 << _FALTA
        return (1 << _TORNE) | (1 << _FALTA if r.falta_direct else 0)
    reals = 0
    for i in range(count):
        reals += g.envido_calls[i] == _REAL
    raises = 1 << _FALTA
    if count < r.envido_max_calls:
        if reals == 0 and count < r.plain_envidos:
            raises |= 1 << _ENVIDO
        if reals < r.real_repeat:
            raises |= 1 << _REAL
    return raises


@rule
def call_envido(g: GameRecord, r: RulesRecord, seat: int, action: int) -> None:
    """Open envido or raise it. The caller loses the right to sing a flor (rules.md 1.6)."""
    if g.envido_state == ENVIDO_NONE:
        g.envido_over_truco = 1 if g.truco_waits else 0
        if g.truco_waits and r.envido_first == ENVIDO_FIRST_ANNUL:
            annul_truco(g)
    g.envido_state = ENVIDO_WAITS
    g.envido_calls[g.n_envidos] = action
    g.envido_callers[g.n_envidos] = seat
    record(g, EV_CALL, seat, action, 0)
    g.envido_clock[g.n_envidos] = g.clock
    g.n_envidos += 1
    g.envido_answerer = responder(g, r, seat, r.pies_envido != 0 or r.truco_responder == TRUCO_RESPONDER_PIE)
    g.flor_lost = int(g.flor_lost) | 1 << seat
    g.announced = 1


@hot_rule
def _chain_sum(g: GameRecord, count: int) -> int:
    total = 0
    for i in range(count):
        total += 3 if g.envido_calls[i] == _REAL else 2
    return total


@hot_rule
def envido_stake(g: GameRecord, r: RulesRecord, winner: int) -> int:
    """Points of the chain if accepted and won by side ``winner``; a falta replaces what is beneath it (A9)."""
    count = int(g.n_envidos)
    if g.envido_calls[count - 1] == _FALTA:
        return falta_points(g, r, winner, int(r.falta))
    return _chain_sum(g, count)


@hot_rule
def envido_if_refused(g: GameRecord, r: RulesRecord) -> int:
    """Points of the chain if refused now: what stood before the last call, 1 if nothing did (rules.md 1.7)."""
    count = int(g.n_envidos)
    if count == 1 or r.envit_refused == ENVIT_REFUSED_FLAT1:
        return 1
    return _chain_sum(g, count - 1)


@rule
def accept_envido(g: GameRecord, r: RulesRecord, seat: int) -> None:
    """QUIERO: numbers are told and paid; a truc envit stays secret until the hand ends (rules.md 3.3)."""
    g.envido_state = ENVIDO_ACCEPTED
    g.envido_seats = g.active
    g.flor_lost = int(g.flor_lost) | 1 << seat
    record(g, EV_ANSWER, seat, _QUIERO, 0)
    if not r.truc:
        compare_envido(g, r)


@rule
def refuse_envido(g: GameRecord, r: RulesRecord, seat: int) -> None:
    """NO QUIERO: the last caller's side is paid."""
    g.envido_state = ENVIDO_REFUSED
    g.flor_lost = int(g.flor_lost) | 1 << seat
    record(g, EV_ANSWER, seat, _NO_QUIERO, 0)
    caller = int(g.envido_callers[g.n_envidos - 1])
    pay(g, r, side_of(g, caller), envido_if_refused(g, r), REFUSED_ENVIDO)


@rule
def compare_envido(g: GameRecord, r: RulesRecord) -> None:
    """Tell the numbers and pay the winner's side."""
    winner = tell_numbers(g, r, int(g.envido_seats))
    if r.reveal_envido == REVEAL_ENVIDO_WINNER:
        g.shown = int(g.shown) | 1 << winner
    elif r.reveal_envido == REVEAL_ENVIDO_ALL:
        g.shown = int(g.shown) | int(g.envido_seats)
    side = side_of(g, winner)
    pay(g, r, side, envido_stake(g, r, side), ENVIDO_WON)


@rule
def tell_numbers(g: GameRecord, r: RulesRecord, speakers: int) -> int:
    """Tell the numbers round the table, no more than needed, and return the winning seat (rules.md 1.11)."""
    players = int(r.players)
    leader = first_from(speakers, int(g.mano), players)
    _tell(g, leader)
    seat = first_after(speakers, leader, players)
    while seat != leader:
        if side_of(g, seat) != side_of(g, leader) and _beats(g, r, seat, leader):
            _tell(g, seat)
            leader = seat
        seat = first_after(speakers, seat, players)
    return leader


@rule
def _tell(g: GameRecord, seat: int) -> None:
    g.told[seat] = g.envido[seat] + 1
    record(g, EV_NUMBER, seat, 0, int(g.envido[seat]))


@rule
def _beats(g: GameRecord, r: RulesRecord, seat: int, leader: int) -> bool:
    if g.envido[seat] != g.envido[leader]:
        return g.envido[seat] > g.envido[leader]
    if r.envido_tie == ENVIDO_TIE_MANO_TEAM:
        return side_of(g, seat) == side_of(g, int(g.mano))
    if r.envido_tie == ENVIDO_TIE_NEAREST_MANO:
        mano, players = int(g.mano), int(r.players)
        return steps(mano, seat, players) < steps(mano, leader, players)
    return False
