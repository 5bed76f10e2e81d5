"""Leaving the hand: CERRARSE and MAZO (rules.md 1.13, 2.6)."""

from __future__ import annotations

from truco_env.engine.flor import singers_leave
from truco_env.engine.hand import end_hand
from truco_env.engine.jit import hot_rule, rule
from truco_env.engine.log import record
from truco_env.engine.option_codes import FOLD_SCOPE_PLAYER, FOLD_SCOPE_SIDE
from truco_env.engine.record import EV_FOLD, LEFT, LEFT_FIRST_TRICK
from truco_env.engine.record_types import GameRecord, RulesRecord
from truco_env.engine.seats import active_of, has_mate, pie_of, side_of
from truco_env.engine.tricks import pass_turn
from truco_env.engine.truco import truco_worth
from truco_env.rules.actions import Action

MAZO, CERRARSE = int(Action.MAZO), int(Action.CERRARSE)


@hot_rule
def ways_to_leave(g: GameRecord, r: RulesRecord, seat: int) -> int:
    """MAZO and CERRARSE as a set of actions for a seat at its turn (table of rules.md 1.13)."""
    if not r.mazo:
        return 0
    if not has_mate(g, seat):
        return 1 << MAZO
    ways = 0
    if r.fold_scope != FOLD_SCOPE_SIDE:
        ways |= 1 << CERRARSE
    if r.fold_scope != FOLD_SCOPE_PLAYER and (r.anybody_mazo or pie_of(g, r, side_of(g, seat)) == seat):
        ways |= 1 << MAZO
    return ways


@rule
def leave_alone(g: GameRecord, r: RulesRecord, seat: int) -> None:
    """CERRARSE: this player is out; cards on the table stay, his number and his unsung flor do not count."""
    record(g, EV_FOLD, seat, CERRARSE, 0)
    g.left_at[seat] = g.clock
    g.active = int(g.active) & ~(1 << seat)
    singers_leave(g, r, 1 << seat)
    pass_turn(g, r, seat)


@rule
def give_up_hand(g: GameRecord, r: RulesRecord, seat: int) -> None:
    """MAZO: the other side gets what the hand is worth; unannounced in trick 1, ``mazo_first_trick``."""
    side = side_of(g, seat)
    record(g, EV_FOLD, seat, MAZO, 0)
    singers_leave(g, r, active_of(g, side))
    points, reason = truco_worth(g), LEFT
    if g.trick == 0 and not g.announced and r.mazo_first_trick > points:
        points, reason = int(r.mazo_first_trick), LEFT_FIRST_TRICK
    if not g.hand_over:
        end_hand(g, r, 1 - side, points, reason)
