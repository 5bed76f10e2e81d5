"""The truco ladder: calling, accepting, refusing (rules.md 1.7, 1.9)."""

from __future__ import annotations

from truco_env.engine.jit import hot_rule, rule
from truco_env.engine.log import record
from truco_env.engine.option_codes import RETRUCO_RIGHT_EITHER, TRUCO_RESPONDER_PIE
from truco_env.engine.record import EV_ANSWER, EV_CALL, NOBODY
from truco_env.engine.record_types import GameRecord, RulesRecord
from truco_env.engine.seats import responder, side_of
from truco_env.rules.actions import Action

TRUCO = int(Action.TRUCO)
_QUIERO = int(Action.QUIERO)
JOC_FORA_RUNG = 4


@hot_rule
def truco_worth(g: GameRecord) -> int:
    """What the hand is worth now: 1, 2, 3 or 4; an accepted joc fora (the match) counts as 5."""
    return 1 + int(g.truco_accepted)


@hot_rule
def next_rung(g: GameRecord, r: RulesRecord) -> int:
    """The rung that may be called over what waits or was accepted, 0 at the top of the ladder."""
    rung = max(int(g.truco_waits), int(g.truco_accepted)) + 1
    return rung if rung <= r.top_rung else 0


@hot_rule
def may_call_truco(g: GameRecord, r: RulesRecord, seat: int) -> bool:
    """Whether a seat may call the next rung at its turn: the right is the accepting side's (rules.md 1.9)."""
    if next_rung(g, r) == 0:
        return False
    if g.truco_accepted == 0 or g.truco_right == side_of(g, seat):
        return True
    return g.truco_accepted == 1 and r.retruco_right == RETRUCO_RIGHT_EITHER


@hot_rule
def call_truco(g: GameRecord, r: RulesRecord, seat: int, rung: int) -> None:
    """Call a rung; over a waiting one it accepts that first (rules.md 1.7)."""
    if g.truco_waits:
        g.truco_accepted = g.truco_waits
        g.truco_right = side_of(g, seat)
    g.truco_waits = rung
    g.truco_caller[rung] = seat
    g.truco_answerer = responder(g, r, seat, r.truco_responder == TRUCO_RESPONDER_PIE)
    g.announced = 1
    record(g, EV_CALL, seat, TRUCO + rung - 1, 0)
    g.truco_clock[rung] = g.clock


@hot_rule
def accept_truco(g: GameRecord, seat: int) -> None:
    """QUIERO: the hand is worth the rung that waited, and the next one belongs to the accepting side."""
    g.truco_accepted = g.truco_waits
    g.truco_waits = 0
    g.truco_right = side_of(g, seat)
    record(g, EV_ANSWER, seat, _QUIERO, 0)


@rule
def annul_truco(g: GameRecord) -> None:
    """``envido_first=annul``: an envido strikes the waiting truco, which may be called again (rules.md 1.6)."""
    g.truco_annulled = g.truco_caller[1]
    g.truco_waits = 0
    g.truco_caller[1] = NOBODY
