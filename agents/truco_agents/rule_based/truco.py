"""The truco: when to call it, and how to answer."""

from __future__ import annotations

from typing import Any

from truco_agents.rule_based.duel import N_KINDS
from truco_agents.rule_based.plan import take
from truco_agents.rule_based.stakes import after, gamble, least_defence
from truco_env.engine.jit import hot_rule, rule
from truco_env.rules.actions import Action

_TRUCO, _QUIERO, _NO_QUIERO = int(Action.TRUCO), int(Action.QUIERO), int(Action.NO_QUIERO)
_NONE = -1
_JOC_FORA = 4
_LITTLE = -9.0
_SURE = 0.999  # from here on the cards win whatever the rivals hold, but for rounding


@hot_rule
def _play_for(s: Any, m: Any, chance: float, rung: int) -> float:
    """The worth of playing the hand out at an accepted rung; a joc fora is played for the match."""
    if rung == _JOC_FORA:
        return chance
    return gamble(s, m, chance, rung + 1, rung + 1)


@hot_rule
def _gain(s: Any, m: Any, c: Any, chance: float, rung: int) -> float:
    """What calling ``rung`` adds to playing on for less, in chances of the match; very little if called on too little.

    Rivals refuse or accept it by what they hold.
    """
    accepts, raises = c.beliefs.accepts[s.trick, rung - 1], c.beliefs.raises[s.trick, rung - 1]
    hands, quiero, wins, raised, wins_raised = 1e-9, 1e-9, 0.0, 1e-9, 0.0
    for kind in range(N_KINDS):
        share, win = s.belief[kind] * s.share[kind], s.belief[kind] * s.win[kind]
        hands += share
        quiero += share * accepts[kind] * (1.0 - raises[kind])
        wins += win * accepts[kind] * (1.0 - raises[kind])
        raised += share * accepts[kind] * raises[kind]
        wins_raised += win * accepts[kind] * raises[kind]
    dares = (wins + wins_raised) / (quiero + raised) - c.caution
    if dares < c.value[s.trick]:
        return _LITTLE
    called = (hands - quiero - raised) * after(s, m, rung, 0) + quiero * _play_for(s, m, wins / quiero - c.caution, rung)
    called += raised * max(after(s, m, 0, rung), _play_for(s, m, wins_raised / raised, rung + 1))
    return called / hands - _play_for(s, m, chance, rung - 1)


@hot_rule
def call_truco(s: Any, m: Any, c: Any, mask: Any, plan: Any, rest: float) -> float:
    """Plan the next rung, if it should be called now; return the rest of the plan."""
    rung = max(int(s.rung), int(s.waits)) + 1
    if rung > _JOC_FORA or not mask[_TRUCO + rung - 1]:
        return rest
    if _gain(s, m, c, s.chance, rung) > 0.0:
        may_wait = s.duel and s.trick < 2 and s.chance < _SURE
        return take(plan, rest, _TRUCO + rung - 1, 1.0 - c.patience if may_wait else 1.0)
    return take(plan, rest, _TRUCO + rung - 1, c.bluff[s.trick]) if s.chance > 0.0 else rest


@rule
def _chance_against_anybody(s: Any) -> float:
    """Our chance if the calls tell nothing of the cards."""
    hands, wins = 1e-9, 0.0
    for kind in range(N_KINDS):
        hands += s.share[kind]
        wins += s.win[kind]
    return wins / hands


@rule
def answer_truco(s: Any, m: Any, c: Any, mask: Any, plan: Any, rest: float) -> None:
    """Plan QUIERO, NO QUIERO or the next rung; what the table shows as won or lost is not weighed by taste."""
    rung, chance = int(s.waits), s.chance
    if 0.0 < chance < _SURE:
        chance = max(chance - c.caution + c.option, 0.0)
    accept, refuse = _play_for(s, m, chance, rung), after(s, m, 0, rung)
    defends = _chance_against_anybody(s) >= 1.0 - c.defence * least_defence(refuse, after(s, m, rung, 0), _play_for(s, m, 1.0, rung))
    can_raise = rung < _JOC_FORA and mask[_TRUCO + rung]
    if accept >= refuse or defends:
        if can_raise and _gain(s, m, c, s.chance, rung + 1) > 0.0:
            rest = take(plan, rest, _TRUCO + rung, 1.0 - c.patience if s.duel and s.trick < 2 else 1.0)
        plan[_QUIERO] += rest
        return
    if can_raise and s.chance > 0.0:
        rest = take(plan, rest, _TRUCO + rung, c.bluff_raise)
    plan[_NO_QUIERO] += rest
