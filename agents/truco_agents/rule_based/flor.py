"""The flor: how to answer one with another."""

from __future__ import annotations

from typing import Any

from truco_agents.rule_based.stakes import after, gamble
from truco_env.engine.jit import rule
from truco_env.engine.option_codes import FALTA_HALF
from truco_env.engine.record import CONTRAFLOR_SAID, FLOR_SUNG, RESTO_SAID
from truco_env.engine.rules_record import FLOR_CLARIN, FLOR_TRUCOMANO
from truco_env.engine.score import falta_points
from truco_env.rules.actions import Action

_FLOR, _CONTRAFLOR, _RESTO = int(Action.FLOR), int(Action.CONTRAFLOR), int(Action.CONTRAFLOR_AL_RESTO)
_QUIERO, _NO_QUIERO = int(Action.QUIERO), int(Action.NO_QUIERO)


@rule
def _resto(s: Any, r: Any, winner: int) -> int:
    return falta_points(s, r, winner, FALTA_HALF if r.flor_answers == FLOR_CLARIN else int(r.falta))


@rule
def _compared(s: Any, r: Any, winner: int) -> int:
    """Points of an accepted flor call (rules.md 4.4, 5.4)."""
    if s.flor_rung == RESTO_SAID:
        return _resto(s, r, winner)
    if s.flor_rung == CONTRAFLOR_SAID:
        return 6
    return int(r.flor_quiero) if r.flor_answers == FLOR_TRUCOMANO else 4 if r.flor_answers == FLOR_CLARIN else 6


@rule
def _refused(s: Any, r: Any) -> int:
    if s.flor_rung == RESTO_SAID and s.flor_contra:
        return 6
    low = r.flor_answers == FLOR_TRUCOMANO or (r.flor_answers == FLOR_CLARIN and s.flor_rung == FLOR_SUNG)
    return 3 if low else 4


@rule
def _against_better(chance: float, weaker: float) -> float:
    """The chance to beat a random flor, turned into the chance to beat one that is not among the ``weaker`` share of them."""
    return max(0.0, chance - weaker) / (1.0 - weaker)


@rule
def answer_flor(s: Any, m: Any, c: Any, mask: Any) -> int:
    """The answer to a flor call of a rival: the one that is worth most."""
    r = m.rules
    chance = m.best_flor[s.nearest, s.flor]
    if s.flor_rung != FLOR_SUNG:
        chance = _against_better(chance, c.flor_respect)
    choice, best = _NO_QUIERO, after(s, m, 0, _refused(s, r))
    compare = _QUIERO if mask[_QUIERO] else _FLOR
    if mask[compare]:
        worth = gamble(s, m, chance, _compared(s, r, 0), _compared(s, r, 1))
        if worth > best:
            choice, best = compare, worth
    for call in (_CONTRAFLOR, _RESTO):
        if mask[call]:
            ours, theirs = (6, 6) if call == _CONTRAFLOR else (_resto(s, r, 0), _resto(s, r, 1))
            refused = 6 if s.flor_rung == CONTRAFLOR_SAID else 3 if r.flor_answers == FLOR_TRUCOMANO else 4
            accepted = gamble(s, m, _against_better(chance, c.flor_fold), ours, theirs)
            worth = c.flor_fold * after(s, m, refused, 0) + (1.0 - c.flor_fold) * accepted
            if worth > best:
                choice, best = call, worth
    return choice if mask[choice] else _QUIERO
