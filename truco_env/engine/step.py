"""One action: what it changes, and who acts next (the transition table of rules.md 1.5)."""

from __future__ import annotations

from truco_env.engine.envido import accept_envido, call_envido, refuse_envido
from truco_env.engine.flor import accept_flor, open_poll, pass_flor, raise_flor, refuse_flor, settle_flores, sing
from truco_env.engine.hand import count_numbers, end_hand, finish_trick
from truco_env.engine.jit import hot_rule, rule
from truco_env.engine.leave import give_up_hand, leave_alone
from truco_env.engine.legal import find_phase, is_legal, legal_actions
from truco_env.engine.log import record
from truco_env.engine.record import (
    CONTRAFLOR_SAID,
    ENVIDO_ANSWER,
    EV_ANSWER,
    FLOR_ANSWER,
    POLL_ENVIDO,
    POLL_TRUCO,
    RESTO_SAID,
    ROUND_OPEN,
    TRUCO_REFUSED,
)
from truco_env.engine.record_types import GameRecord, RulesRecord
from truco_env.engine.seats import side_of
from truco_env.engine.senas import FIRST_SENA, make_sena
from truco_env.engine.tricks import discard, play_card
from truco_env.engine.truco import TRUCO, accept_truco, call_truco, truco_worth
from truco_env.rules.actions import Action

_DISCARD_0, _JOC_FORA = int(Action.DISCARD_0), int(Action.JOC_FORA)
_FALTA, _FLOR = int(Action.FALTA_ENVIDO), int(Action.FLOR)
_CONTRAFLOR, _RESTO = int(Action.CONTRAFLOR), int(Action.CONTRAFLOR_AL_RESTO)
_QUIERO, _NO_QUIERO = int(Action.QUIERO), int(Action.NO_QUIERO)
_MAZO, _CERRARSE, _PASO = int(Action.MAZO), int(Action.CERRARSE), int(Action.PASO)


@hot_rule
def apply_action(g: GameRecord, r: RulesRecord, action: int) -> None:
    """Carry out a legal action of the seat to act, then find the next decision. Legality is the caller's to check."""
    seat = int(g.to_act)
    if action < _DISCARD_0:
        play_card(g, r, seat, action)
    elif action >= FIRST_SENA:
        make_sena(g, r, seat, action - FIRST_SENA)
        g.fresh = 0
    else:
        g.fresh = 0
        _call(g, r, seat, action)
    find_decision(g, r)


@rule
def try_to(g: GameRecord, r: RulesRecord, action: int) -> bool:
    """Carry out an action of the seat to act if it is legal; whether it was."""
    if not is_legal(g, action):
        return False
    apply_action(g, r, action)
    return True


@hot_rule
def find_decision(g: GameRecord, r: RulesRecord) -> None:
    """Settle what no longer waits for anybody, then set phase, seat to act and legal actions."""
    if g.flor_round == ROUND_OPEN and g.poll == 0 and g.flor_waits < 0 and not g.hand_over:
        settle_flores(g, r)
    if g.turn < 0 and not g.hand_over:
        finish_trick(g, r)
    if g.hand_over:
        g.revealed = int(g.revealed) | int(g.shown)
    find_phase(g, r)
    g.legal = legal_actions(g, r)


@hot_rule
def _call(g: GameRecord, r: RulesRecord, seat: int, action: int) -> None:
    if action == _QUIERO:
        _accept(g, r, seat)
    elif action == _NO_QUIERO:
        _refuse(g, r, seat)
    elif action < TRUCO:
        discard(g, seat, action - _DISCARD_0)
        count_numbers(g, r, seat)
        g.fresh = 1
    elif action <= _JOC_FORA:
        call_truco(g, r, seat, action - TRUCO + 1)
        open_poll(g, r, seat, POLL_TRUCO + action - TRUCO)
    elif action <= _FALTA:
        call_envido(g, r, seat, action)
        open_poll(g, r, seat, POLL_ENVIDO + int(g.n_envidos) - 1)
    elif action == _FLOR:
        sing(g, r, seat)
    elif action == _CONTRAFLOR:
        raise_flor(g, r, seat, CONTRAFLOR_SAID)
    elif action == _RESTO:
        raise_flor(g, r, seat, RESTO_SAID)
    elif action == _MAZO:
        give_up_hand(g, r, seat)
    elif action == _CERRARSE:
        leave_alone(g, r, seat)
    elif action == _PASO:
        pass_flor(g, seat)


@rule
def _accept(g: GameRecord, r: RulesRecord, seat: int) -> None:
    if g.phase == FLOR_ANSWER:
        accept_flor(g, r, seat)
    elif g.phase == ENVIDO_ANSWER:
        accept_envido(g, r, seat)
    else:
        accept_truco(g, seat)


@rule
def _refuse(g: GameRecord, r: RulesRecord, seat: int) -> None:
    if g.phase == FLOR_ANSWER:
        refuse_flor(g, r, seat)
    elif g.phase == ENVIDO_ANSWER:
        refuse_envido(g, r, seat)
    else:
        record(g, EV_ANSWER, seat, _NO_QUIERO, 0)
        g.truco_waits = 0
        end_hand(g, r, 1 - side_of(g, seat), truco_worth(g), TRUCO_REFUSED)
