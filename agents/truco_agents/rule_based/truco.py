"""The truco: when to call it, and how to answer."""

from __future__ import annotations

from typing import Any

from truco_agents.rule_based.duel import N_KINDS
from truco_agents.rule_based.stakes import after, gamble
from truco_env.engine.jit import hot_rule, rule
from truco_env.rules.actions import Action

_TRUCO, _QUIERO, _NO_QUIERO = int(Action.TRUCO), int(Action.QUIERO), int(Action.NO_QUIERO)
_NONE = -1
_JOC_FORA = 4
_LITTLE = -9.0


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
def call_truco(s: Any, m: Any, c: Any, mask: Any, draws: Any) -> int:
    """The next rung if it should be called now, else -1."""
    rung = max(int(s.rung), int(s.waits)) + 1
    if rung > _JOC_FORA or not mask[_TRUCO + rung - 1]:
        return _NONE
    chance = s.chance
    if _gain(s, m, c, chance, rung) > 0.0:
        may_wait = s.duel and s.trick < 2 and chance < 0.999
        return _NONE if may_wait and draws[0] < c.patience else _TRUCO + rung - 1
    return _TRUCO + rung - 1 if draws[1] < c.bluff[s.trick] else _NONE


@rule
def answer_truco(s: Any, m: Any, c: Any, mask: Any, draws: Any) -> int:
    """QUIERO, NO QUIERO or the next rung."""
    rung, chance = int(s.waits), s.chance
    accept, refuse = _play_for(s, m, max(chance - c.caution + c.option, 0.0), rung), after(s, m, 0, rung)
    can_raise = rung < _JOC_FORA and mask[_TRUCO + rung]
    if accept >= refuse:
        raises = can_raise and _gain(s, m, c, chance, rung + 1) > 0.0
        return _TRUCO + rung if raises and (not s.duel or s.trick == 2 or draws[0] >= c.patience) else _QUIERO
    return _TRUCO + rung if can_raise and draws[1] < c.bluff_raise else _NO_QUIERO
