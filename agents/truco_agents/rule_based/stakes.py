"""Stakes: what points mean for the match."""

from __future__ import annotations

from typing import Any

from truco_agents.rule_based.mesa import MOST_POINTS
from truco_env.engine.jit import hot_rule


@hot_rule
def after(s: Any, m: Any, ours: int, theirs: int) -> float:
    """The chance to win the match once our side has got ``ours`` points more and theirs ``theirs``; ours are posted first."""
    need, they_need = min(int(s.to_go_us) - ours, MOST_POINTS), min(int(s.to_go_them) - theirs, MOST_POINTS)
    leg = 1.0 if need <= 0 else 0.0 if they_need <= 0 else m.leg[need, they_need]
    won, lost = m.match[s.won_us + 1, s.won_them], m.match[s.won_us, s.won_them + 1]
    return leg * won + (1.0 - leg) * lost


@hot_rule
def gamble(s: Any, m: Any, chance: float, ours: int, theirs: int) -> float:
    """The chance to win the match when with ``chance`` we get ``ours`` points, else they get ``theirs``."""
    return chance * after(s, m, ours, 0) + (1.0 - chance) * after(s, m, 0, theirs)
