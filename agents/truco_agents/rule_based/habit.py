"""Habits: what a simple character always does, whatever its cards; each punishes one weakness of players who think."""

from __future__ import annotations

from typing import Any, Final

from truco_agents.rule_based.sight import AT_TURN, ENVIDO_ASKED, TRUCO_ASKED
from truco_env.engine.jit import hot_rule, rule
from truco_env.rules.actions import Action

#: Names of the habits; a habit's place is its code, and the first is none.
HABITS: Final = ("", "station", "falta", "raise", "stay", "fold", "open")
_STATION, _FALTA_BACK, _RAISE, _STAY, _FOLD, _OPEN = range(1, len(HABITS))

_TRUCO, _ENVIDO, _FALTA = int(Action.TRUCO), int(Action.ENVIDO), int(Action.FALTA_ENVIDO)
_QUIERO, _NO_QUIERO, _MAZO, _CERRARSE = int(Action.QUIERO), int(Action.NO_QUIERO), int(Action.MAZO), int(Action.CERRARSE)
_RUNGS: Final = 4
_OPENS_FROM: Final = 28
_SEES_FROM: Final = 26
_BAD_CARD: Final = 5  # rank of a 10; the false sevens and what is below are lower


@rule
def _only(plan: Any, action: int) -> None:
    plan[:] = 0.0
    plan[action] = 1.0


@rule
def _leave_out(plan: Any, action: int, instead: int) -> None:
    plan[instead] += plan[action]
    plan[action] = 0.0


@rule
def _best_card(s: Any) -> int:
    return int(s.cards[s.n_held - 1])


@rule
def _like_a_station(s: Any, mask: Any, plan: Any) -> None:
    """Never bluff, and accept by fixed numbers: an envido opened from 28 and seen from 26, a truco seen unless all cards are bad."""
    if s.phase == ENVIDO_ASKED:
        _only(plan, _QUIERO if s.envido >= _SEES_FROM else _NO_QUIERO)
    elif s.phase == TRUCO_ASKED:
        _only(plan, _QUIERO if s.n_held == 0 or _best_card(s) > _BAD_CARD else _NO_QUIERO)
    elif s.phase == AT_TURN and mask[_ENVIDO] and s.envido >= _OPENS_FROM:
        _only(plan, _ENVIDO)


@hot_rule
def follow_habit(s: Any, c: Any, mask: Any, plan: Any) -> None:
    """Change the plan of a decision to what the habit of the character demands, where it demands anything."""
    asked = s.phase == ENVIDO_ASKED or s.phase == TRUCO_ASKED
    if c.habit == _STATION:
        _like_a_station(s, mask, plan)
    elif c.habit == _FALTA_BACK and s.phase == ENVIDO_ASKED:
        _only(plan, _FALTA if mask[_FALTA] else _QUIERO)
    elif c.habit == _RAISE and s.phase == TRUCO_ASKED:
        _only(plan, _highest(mask))
    elif c.habit == _STAY:
        if asked:
            _leave_out(plan, _NO_QUIERO, _QUIERO)
        elif plan[_MAZO] > 0.0:
            _leave_out(plan, _MAZO, int(s.held[0]))
    elif c.habit == _FOLD and asked:
        _only(plan, _NO_QUIERO)
    elif c.habit == _OPEN and s.phase == AT_TURN and mask[_ENVIDO]:
        _only(plan, _ENVIDO)


@rule
def _highest(mask: Any) -> int:
    """The next rung of the truco where it may be called, else QUIERO."""
    for rung in range(_RUNGS):
        if mask[_TRUCO + rung]:
            return _TRUCO + rung
    return _QUIERO
