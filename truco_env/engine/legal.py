"""Phases and legal actions: who acts, and what that seat may do (rules.md 1.5)."""

from __future__ import annotations

from typing import Any

from truco_env.engine.bits import count_bits
from truco_env.engine.envido import envido_raises, may_open_envido, opening_envidos
from truco_env.engine.flor import flor_answers, may_sing, next_asked
from truco_env.engine.jit import hot_rule
from truco_env.engine.leave import ways_to_leave
from truco_env.engine.option_codes import FLOR_MODE_FORCED
from truco_env.engine.record import (
    DISCARD,
    ENVIDO_ANSWER,
    ENVIDO_WAITS,
    FLOR_ANSWER,
    FLOR_POLL,
    HAND_OVER,
    NOBODY,
    ROUND_OPEN,
    TRUCO_ANSWER,
    TURN,
)
from truco_env.engine.record_types import GameRecord, RulesRecord
from truco_env.engine.senas import senas_of
from truco_env.engine.truco import TRUCO, may_call_truco, next_rung
from truco_env.rules.actions import N_ACTIONS, Action

_DISCARD_0, _FLOR, _PASO = int(Action.DISCARD_0), int(Action.FLOR), int(Action.PASO)
_ANSWERS = (1 << int(Action.QUIERO)) | (1 << int(Action.NO_QUIERO))


@hot_rule
def find_phase(g: GameRecord, r: RulesRecord) -> None:
    """Set phase and seat to act: the first line of the table that holds."""
    if g.hand_over:
        g.phase, g.to_act = HAND_OVER, NOBODY
    elif r.gallo and g.cards[g.dealer, 3] >= 0:
        g.phase, g.to_act = DISCARD, g.dealer
    elif g.flor_waits != NOBODY:
        g.phase, g.to_act = FLOR_ANSWER, g.flor_waits
    elif g.poll:
        seat = next_asked(g, r)
        must_answer = g.flor_round == ROUND_OPEN and seat == g.flor_rival
        g.phase, g.to_act = FLOR_ANSWER if must_answer else FLOR_POLL, seat
    elif g.envido_state == ENVIDO_WAITS:
        g.phase, g.to_act = ENVIDO_ANSWER, g.envido_answerer
    elif g.truco_waits:
        g.phase, g.to_act = TRUCO_ANSWER, g.truco_answerer
    else:
        g.phase, g.to_act = TURN, g.turn


@hot_rule
def seen_decision(g: GameRecord, seat: int) -> tuple[int, int]:
    """The phase and seat to act as ``seat`` sees them.

    Being asked for a flor is known to the asked seat only (rules.md 1.14): the others see what waits behind the question, and in a flor
    round that there is one (``FLOR_POLL`` of nobody).
    """
    asked = g.phase == FLOR_POLL or (g.phase == FLOR_ANSWER and g.flor_waits == NOBODY)
    if not asked or g.to_act == seat:
        return int(g.phase), int(g.to_act)
    if g.flor_round == ROUND_OPEN:
        return FLOR_POLL, NOBODY
    if g.envido_state == ENVIDO_WAITS:
        return ENVIDO_ANSWER, int(g.envido_answerer)
    return TRUCO_ANSWER, int(g.truco_answerer)


@hot_rule
def legal_actions(g: GameRecord, r: RulesRecord) -> int:
    """The legal actions of the seat to act, as a set; empty when the hand is over."""
    seat = int(g.to_act)
    if g.phase == TURN:
        return _at_turn(g, r, seat)
    if g.phase == TRUCO_ANSWER:
        rung = next_rung(g, r)
        actions = _ANSWERS | (1 << (TRUCO + rung - 1) if rung else 0)
        return actions | opening_envidos(r) if may_open_envido(g, r, seat) else actions
    if g.phase == ENVIDO_ANSWER:
        return _ANSWERS | envido_raises(g, r)
    if g.phase == FLOR_POLL:
        if not may_sing(g, r, seat):
            return 1 << _PASO
        return 1 << _FLOR if r.flor_mode == FLOR_MODE_FORCED else (1 << _FLOR) | (1 << _PASO)
    if g.phase == FLOR_ANSWER:
        return flor_answers(g, r)
    return 15 << _DISCARD_0 if g.phase == DISCARD else 0


@hot_rule
def _at_turn(g: GameRecord, r: RulesRecord, seat: int) -> int:
    actions = int(g.held[seat]) | ways_to_leave(g, r, seat) | senas_of(g, r, seat)
    if g.trick == 0:
        if may_sing(g, r, seat):
            if r.flor_mode == FLOR_MODE_FORCED:
                return 1 << _FLOR
            actions |= 1 << _FLOR
        if may_open_envido(g, r, seat):
            actions |= opening_envidos(r)
    if may_call_truco(g, r, seat):
        actions |= 1 << (TRUCO + next_rung(g, r) - 1)
    return actions


@hot_rule
def is_legal(g: GameRecord, action: Any) -> Any:
    """Whether an action, any integer, is legal now."""
    return action >= 0 and action < N_ACTIONS and (g.legal >> action) & 1 == 1


@hot_rule
def nth_action(actions: int, n: int) -> int:
    """The ``n``-th action of a set, from 0: found by halving, since processors guess a loop of ``n`` steps wrong."""
    action = 0
    for halving in range(6):
        width = 32 >> halving
        below = count_bits(actions & ((1 << width) - 1))
        beyond = 1 if n >= below else 0
        n -= beyond * below
        actions >>= beyond * width
        action += beyond * width
    return action
