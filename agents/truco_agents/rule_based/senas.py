"""Señas: what to tell the partner."""

from __future__ import annotations

from typing import Any

from truco_agents.rule_based.sight import SENA_TIERS
from truco_env.engine.jit import rule
from truco_env.rules.actions import Action

_FIRST, _CIEGO = int(Action.SENA_AS_ESPADAS), int(Action.SENA_CIEGO)
_TANTO_27, _TANTO_30 = int(Action.SENA_TANTO_27), int(Action.SENA_TANTO_30)
_NONE = -1


@rule
def make_sena(s: Any, mask: Any) -> int:
    """The true seña that tells most: a great number while envido is open, else the best card from a two up; -1 for none."""
    if s.trick == 0 and s.envidos == 0 and s.rung == 0:
        if mask[_TANTO_30] and s.envido >= 30:
            return _TANTO_30
        if mask[_TANTO_27] and 27 <= s.envido < 30:
            return _TANTO_27
    best = int(s.cards[s.n_held - 1])
    for i in range(len(SENA_TIERS)):
        if SENA_TIERS[i] == best and mask[_FIRST + i]:
            return _FIRST + i
    return _CIEGO if mask[_CIEGO] and best <= 4 else _NONE
