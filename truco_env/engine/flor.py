"""Flor: the right to sing, polls, the flor round, its ladder and fines (rules.md 1.6, 2.4, 4.4, 5.4)."""

from __future__ import annotations

from truco_env.engine.jit import hot_rule, rule
from truco_env.engine.log import record
from truco_env.engine.option_codes import (
    FALTA_HALF,
    FLOR_MODE_OFF,
    FLOR_MODE_PENALTY,
    FLOR_OPPOSED_BEST_OWN,
    FLOR_OPPOSED_BEST_TAKES_ALL,
    FLOR_POLL_UNIFORM,
    REVEAL_ENVIDO_ALL,
    REVEAL_ENVIDO_WINNER,
)
from truco_env.engine.record import (
    CONTRAFLOR_SAID,
    ENVIDO_WAITS,
    ENVIDO_WIPED,
    EV_ANSWER,
    EV_CALL,
    EV_FLOR_VALUE,
    EV_PASO,
    FLOR_NOT_SHOWN,
    FLOR_PLAIN,
    FLOR_REFUSED,
    FLOR_SUNG,
    FLOR_UNSUNG,
    FLOR_WON,
    NO_ROUND,
    NOBODY,
    POLL_ENVIDO,
    POLL_FLOR,
    RESTO_SAID,
    ROUND_OPEN,
    ROUND_OVER,
)
from truco_env.engine.record_types import GameRecord, RulesRecord
from truco_env.engine.rules_record import FLOR_CLARIN, FLOR_COMPARE6, FLOR_TRUCOMANO, SINGER_LOSES, SINGER_SHOWN
from truco_env.engine.score import falta_points, pay
from truco_env.engine.seats import first_after, first_from, has, played_no_card, seats_in, side_of
from truco_env.engine.tricks import has_played_three
from truco_env.rules.actions import Action
from truco_env.rules.cards import VALUES

_FLOR, _CONTRAFLOR, _RESTO = int(Action.FLOR), int(Action.CONTRAFLOR), int(Action.CONTRAFLOR_AL_RESTO)
_QUIERO, _NO_QUIERO = int(Action.QUIERO), int(Action.NO_QUIERO)


@hot_rule
def flor_value(a: int, b: int, c: int) -> int:
    """The flor of three card ids, 20-38, or 0 (rules.md 1.3)."""
    if a & 3 != b & 3 or a & 3 != c & 3:
        return 0
    return 20 + int(VALUES[a]) + int(VALUES[b]) + int(VALUES[c])


@hot_rule
def may_sing(g: GameRecord, r: RulesRecord, seat: int) -> bool:
    """The right to sing (rules.md 1.6)."""
    if g.flor[seat] == 0 or r.flor_mode == FLOR_MODE_OFF or g.flor_round == ROUND_OVER:
        return False
    return has(int(g.active), seat) and played_no_card(g, seat) and not has(int(g.flor_lost) | int(g.flor_sung), seat)


@hot_rule
def open_poll(g: GameRecord, r: RulesRecord, caller: int, after: int) -> None:
    """After a call, ask who may sing, from mano, the caller left out; ``uniform`` asks all without a card (rules.md 1.6)."""
    if r.flor_mode == FLOR_MODE_OFF or g.flor_round != NO_ROUND or g.trick != 0:
        return
    g.poll = _asked(g, r, caller)
    g.poll_from = g.mano
    g.poll_after = after


@rule
def _asked(g: GameRecord, r: RulesRecord, but: int) -> int:
    asked = 0
    for seat in range(r.players):
        if r.flor_poll == FLOR_POLL_UNIFORM:
            if has(int(g.active), seat) and played_no_card(g, seat):
                asked |= 1 << seat
        elif may_sing(g, r, seat):
            asked |= 1 << seat
    return asked & ~(1 << but)


@hot_rule
def next_asked(g: GameRecord, r: RulesRecord) -> int:
    """The seat that the poll asks now."""
    return first_from(int(g.poll), int(g.poll_from), int(r.players))


@rule
def pass_flor(g: GameRecord, seat: int) -> None:
    """PASO: announced to nobody; after an envido call the right to sing is lost (rules.md 1.6)."""
    g.poll = int(g.poll) & ~(1 << seat)
    g.passed[seat] = int(g.passed[seat]) | 1 << int(g.poll_after)
    if POLL_ENVIDO <= g.poll_after < POLL_FLOR:
        g.flor_lost = int(g.flor_lost) | 1 << seat
    record(g, EV_PASO, seat, 0, 0)


@rule
def sing(g: GameRecord, r: RulesRecord, seat: int) -> None:
    """FLOR: opens the flor round, or is one more flor (or the plain reply) in it."""
    record(g, EV_CALL, seat, _FLOR, 0)
    g.flor_at[seat] = g.clock
    g.flor_sung = int(g.flor_sung) | 1 << seat
    if g.flor_round == ROUND_OPEN:
        g.poll = int(g.poll) & ~(1 << seat)
        return
    g.announced = 1
    g.flor_round = ROUND_OPEN
    g.flor_rung = FLOR_SUNG
    g.flor_singer = seat
    g.flor_caller = seat
    if g.envido_state == ENVIDO_WAITS:
        g.envido_state = ENVIDO_WIPED
    g.flor_rival = _first_rival_holder(g, r, seat) if r.flor_answers else NOBODY
    g.poll = _asked(g, r, seat)
    if g.flor_rival != NOBODY:
        g.poll = int(g.poll) | 1 << int(g.flor_rival)
    g.poll_from = 0 if seat + 1 == r.players else seat + 1
    g.poll_after = POLL_FLOR


@rule
def _first_rival_holder(g: GameRecord, r: RulesRecord, singer: int) -> int:
    """The first opposing holder without a card on the table, even one who lost the right to sing (rules.md 1.6)."""
    rivals = int(g.active) & int(g.side_mask[1 - side_of(g, singer)])
    holders = 0
    for seat in range(r.players):
        if has(rivals, seat) and g.flor[seat] > 0 and played_no_card(g, seat):
            holders |= 1 << seat
    return first_after(holders, singer, int(r.players))


@rule
def flor_answers(g: GameRecord, r: RulesRecord) -> int:
    """What the seat that must answer a flor call may say, as a set of actions (rules.md 4.4, 5.4)."""
    answers = (1 << _QUIERO) | (1 << _NO_QUIERO)
    if g.flor_rung == RESTO_SAID:
        return answers
    if g.flor_rung == CONTRAFLOR_SAID:
        return answers | 1 << _RESTO
    if r.flor_answers == FLOR_TRUCOMANO:
        return answers | (1 << _CONTRAFLOR if r.contraflor else 0)
    answers |= (1 << _CONTRAFLOR) | (1 << _RESTO)
    if r.flor_answers == FLOR_COMPARE6:
        answers = answers & ~(1 << _QUIERO) | (1 << _FLOR)
    return answers


@rule
def raise_flor(g: GameRecord, r: RulesRecord, seat: int, rung: int) -> None:
    """CONTRAFLOR or AL RESTO: no more polls; the other of the two must answer."""
    _excuse(g, r)
    g.poll = 0
    g.flor_waits = g.flor_singer if seat == g.flor_rival else g.flor_rival
    g.flor_rung = rung
    if rung == CONTRAFLOR_SAID:
        g.flor_contra = 1
    g.flor_caller = seat
    g.flor_sung = int(g.flor_sung) | 1 << seat
    record(g, EV_CALL, seat, _CONTRAFLOR if rung == CONTRAFLOR_SAID else _RESTO, 0)


@rule
def accept_flor(g: GameRecord, r: RulesRecord, seat: int) -> None:
    """QUIERO: every flor sung or still singable is compared and so has been sung; the best side gets the rung's points."""
    _excuse(g, r)
    record(g, EV_ANSWER, seat, _QUIERO, 0)
    g.flor_answered = int(g.flor_sung) | int(g.flor_excused) | 1 << int(g.flor_rival)
    best = _compare_flores(g, r, int(g.flor_answered))
    side = side_of(g, best)
    points = 6
    if g.flor_rung == RESTO_SAID:
        points = falta_points(g, r, side, FALTA_HALF if r.flor_answers == FLOR_CLARIN else int(r.falta))
    elif g.flor_rung == FLOR_SUNG:
        points = int(r.flor_quiero) if r.flor_answers == FLOR_TRUCOMANO else 4
    _close_round(g, _QUIERO, seat)
    _mark_paid(g, side)
    pay(g, r, side, points, FLOR_WON)


@rule
def refuse_flor(g: GameRecord, r: RulesRecord, seat: int) -> None:
    """NO QUIERO (con flor me achico, which says it too): only the last caller's side scores."""
    _excuse(g, r)
    g.flor_answered = 1 << seat
    record(g, EV_ANSWER, seat, _NO_QUIERO, 0)
    points = 4
    if g.flor_rung == RESTO_SAID:
        points = 6 if g.flor_contra else 4
    elif r.flor_answers == FLOR_TRUCOMANO or (r.flor_answers == FLOR_CLARIN and g.flor_rung == FLOR_SUNG):
        points = 3
    side = side_of(g, int(g.flor_caller))
    _close_round(g, _NO_QUIERO, seat)
    _mark_paid(g, side)
    pay(g, r, side, points, FLOR_REFUSED)


@rule
def _have_sung(g: GameRecord) -> int:
    """The seats that have sung, with a call of their own or by what followed one (rules.md 2.4)."""
    return int(g.flor_sung) | int(g.flor_answered)


@rule
def _excuse(g: GameRecord, r: RulesRecord) -> None:
    """Who could still sing when an answer ends the round is never fined for silence (rules.md 2.4)."""
    for seat in range(r.players):
        if may_sing(g, r, seat):
            g.flor_excused = int(g.flor_excused) | 1 << seat


@rule
def _close_round(g: GameRecord, answer: int, seat: int) -> None:
    g.flor_round = ROUND_OVER
    g.flor_answer = answer
    g.flor_answerer = seat
    g.flor_waits = NOBODY
    g.poll = 0


@rule
def _mark_paid(g: GameRecord, side: int) -> None:
    g.flor_paid = int(g.flor_paid) | _have_sung(g) & int(g.side_mask[side])


@rule
def settle_flores(g: GameRecord, r: RulesRecord) -> None:
    """All have been asked: 3 for each flor sung, shared out by ``flor_opposed`` (rules.md 1.6)."""
    _close_round(g, NOBODY, NOBODY)
    flores_a, flores_b = 0, 0
    for seat in range(r.players):
        if has(int(g.flor_sung), seat):
            if side_of(g, seat) == 0:
                flores_a += 1
            else:
                flores_b += 1
    if flores_a == 0 or flores_b == 0:
        side = 0 if flores_a else 1
        _mark_paid(g, side)
        pay(g, r, side, 3 * (flores_a + flores_b), FLOR_PLAIN)
        return
    best = side_of(g, _compare_flores(g, r, int(g.flor_sung)))
    if r.flor_opposed == FLOR_OPPOSED_BEST_TAKES_ALL:
        _mark_paid(g, best)
        pay(g, r, best, 3 * (flores_a + flores_b), FLOR_WON)
    elif r.flor_opposed == FLOR_OPPOSED_BEST_OWN:
        _mark_paid(g, best)
        pay(g, r, best, 3 * (flores_b if best else flores_a), FLOR_WON)
    else:
        first = side_of(g, int(g.mano))
        for side in (first, 1 - first):
            if not g.hand_over:
                _mark_paid(g, side)
                pay(g, r, side, 3 * (flores_b if side else flores_a), FLOR_PLAIN)


@rule
def _compare_flores(g: GameRecord, r: RulesRecord, flores: int) -> int:
    """Make the values of ``flores`` public and return the owner of the best; ties by the sheet (2.3, 4.4, 5.4)."""
    players, mano = int(r.players), int(g.mano)
    manos = side_of(g, mano)
    best, value, seat = NOBODY, 0, mano
    for _ in range(players):
        if has(flores, seat):
            own = int(g.flor[seat])
            g.flor_told[seat] = own
            record(g, EV_FLOR_VALUE, seat, 0, own)
            if own > value or (own == value and r.flor_tie_side and side_of(g, best) != manos and side_of(g, seat) == manos):
                best, value = seat, own
        seat = 0 if seat + 1 == players else seat + 1
    if r.reveal_envido == REVEAL_ENVIDO_WINNER:
        g.shown = int(g.shown) | 1 << best
    elif r.reveal_envido == REVEAL_ENVIDO_ALL:
        g.shown = int(g.shown) | flores
    return best


@rule
def fine_unsung_flores(g: GameRecord, r: RulesRecord) -> None:
    """r30b: 3 to the rivals of a holder who never sang and whose three cards lie on the table (rules.md 2.4)."""
    if r.flor_mode != FLOR_MODE_PENALTY:
        return
    players, seat, seats = int(r.players), int(g.mano), seats_in(g, r)
    for _ in range(players):
        silent = g.flor[seat] > 0 and not has(_have_sung(g) | int(g.flor_excused), seat)
        if has(seats, seat) and silent and has_played_three(g, seat) and not g.hand_over:
            pay(g, r, 1 - side_of(g, seat), 3, FLOR_UNSUNG)
        seat = 0 if seat + 1 == players else seat + 1


@rule
def singers_leave(g: GameRecord, r: RulesRecord, leaving: int) -> None:
    """r30a: singers who leave show their cards, or lose the 3 points they were paid (``flor_auto_show``, rules.md 2.4)."""
    singers = leaving & _have_sung(g)
    if singers == 0 or r.leaving_singer == 0:
        return
    if r.leaving_singer == SINGER_SHOWN:
        g.shown = int(g.shown) | singers
    players, seat = int(r.players), int(g.mano)
    for _ in range(players):
        loses = r.leaving_singer == SINGER_LOSES and has(singers & int(g.flor_paid), seat)
        if loses and not has_played_three(g, seat) and not g.hand_over:
            side = side_of(g, seat)
            moved = min(3, int(g.scores[side]) + int(g.unposted[side]))  # a falta of 1 or 2 may have paid less than 3
            pay(g, r, side, -moved, FLOR_NOT_SHOWN)
            pay(g, r, 1 - side, moved, FLOR_NOT_SHOWN)
        seat = 0 if seat + 1 == players else seat + 1
