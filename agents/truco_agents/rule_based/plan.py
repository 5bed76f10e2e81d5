"""The plan of a decision: with which probability each action is taken."""

from __future__ import annotations

from typing import Any

from truco_env.engine.jit import hot_rule, rule
from truco_env.rules.actions import N_ACTIONS


@hot_rule
def take(plan: Any, rest: float, action: int, share: float) -> float:
    """Give ``action`` a share of the ``rest`` of the plan, and return what is left of it."""
    plan[action] += rest * share
    return rest * (1.0 - share)


@rule
def draw(plan: Any, u: float) -> int:
    """The action of a plan at ``u``, uniform in [0, 1)."""
    last = 0
    for action in range(N_ACTIONS):
        if plan[action] > 0.0:
            last = action
            u -= plan[action]
            if u < 0.0:
                return action
    return last
