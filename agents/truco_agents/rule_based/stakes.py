"""Stakes: what points mean for the match."""

from __future__ import annotations

from typing import Any

from truco_agents.rule_based.mesa import MOST_POINTS
from truco_env.engine.jit import hot_rule, rule


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


@rule
def least_defence(lose: float, quiet: float, called: float) -> float:
    """How often a call must be met, lest every bluff pays: the share at which a caller who cannot win is as well off if he is silent.

    All three are our chances to win the match: ``lose`` when we fold, ``quiet`` when he is silent and loses what is at stake without
    the call, ``called`` when he loses with it.
    """
    return min(max((quiet - lose) / max(called - lose, 1e-9), 0.0), 1.0)
