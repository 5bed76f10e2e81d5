"""The envido: when to open it, and how to answer."""

from __future__ import annotations

from typing import Any

from truco_agents.rule_based.beliefs import N_NUMBER_KINDS, chain
from truco_agents.rule_based.plan import take
from truco_agents.rule_based.stakes import after, gamble, least_defence
from truco_env.engine.jit import hot_rule, rule
from truco_env.engine.option_codes import ENVIT_REFUSED_FLAT1
from truco_env.engine.score import falta_points
from truco_env.rules.actions import Action

_ENVIDO, _REAL, _TORNE, _FALTA = (int(a) for a in (Action.ENVIDO, Action.REAL_ENVIDO, Action.TORNE, Action.FALTA_ENVIDO))
_QUIERO, _NO_QUIERO = int(Action.QUIERO), int(Action.NO_QUIERO)
_NONE = -1
_BIG = 7  # points that may well decide the leg


@rule
def _falta(s: Any, m: Any, winner: int) -> int:
    return falta_points(s, m.rules, winner, int(m.rules.falta))


@hot_rule
def _wins(s: Any, m: Any, kind: int) -> float:
    """How often the rivals' best number is of this kind and ours is better."""
    return float(m.number_win[s.nearest, s.mates, s.rivals, max(int(s.envido), int(s.mate_number)), kind])


@rule
def _number_odds(s: Any, m: Any, told: Any) -> float:
    """Our chance to have the best number; ``told``: how likely each kind of number of the rivals makes what they said."""
    hands, won = 1e-9, 0.0
    for kind in range(N_NUMBER_KINDS):
        hands += told[kind] * m.number_share[s.rivals, kind]
        won += told[kind] * _wins(s, m, kind)
    return won / hands


@rule
def _beaten(s: Any, m: Any) -> float:
    """How often our number is better than the rivals', if calls tell nothing of it."""
    won = 0.0
    for kind in range(N_NUMBER_KINDS):
        won += _wins(s, m, kind)
    return won


@rule
def _call_worth(s: Any, m: Any, c: Any, told: Any, call: int) -> float:
    """The worth of an envido call over the chain so far, 0 if called on too little: rivals answer by the number they hold."""
    stake = int(s.stake_us) if s.envidos else 0
    refused = 1 if s.envidos == 0 or m.rules.envit_refused == ENVIT_REFUSED_FLAT1 else stake
    ours = stake + (3 if call == _REAL else 2)
    theirs = ours
    if call == _FALTA:
        ours, theirs = _falta(s, m, 0), _falta(s, m, 1)
    accepts = c.beliefs.chain_accepts[chain(int(s.envidos) + 1, ours, False)]
    if ours > _BIG and _beaten(s, m) < c.great:
        return 0.0
    hands, accepted, won = 1e-9, 1e-9, 0.0
    for kind in range(N_NUMBER_KINDS):
        hands += told[kind] * m.number_share[s.rivals, kind]
        accepted += told[kind] * m.number_share[s.rivals, kind] * accepts[kind]
        won += told[kind] * _wins(s, m, kind) * accepts[kind]
    dares = won / accepted - c.envido_caution
    if dares < c.envido_value:
        return 0.0
    quiero = accepted / hands
    return (1.0 - quiero) * after(s, m, refused, 0) + quiero * gamble(s, m, dares, ours, theirs)


@rule
def _best_call(s: Any, m: Any, c: Any, mask: Any, told: Any, floor: float) -> int:
    """The call that is worth most, if it is worth more than ``floor``; else -1."""
    choice = _NONE
    for call in range(_ENVIDO, _FALTA + 1):
        if mask[call]:
            worth = _call_worth(s, m, c, told, call)
            if worth > floor:
                choice, floor = call, worth
    return choice


@rule
def _bluff(c: Any, mask: Any, plan: Any, rest: float, share: float) -> float:
    """Bluff with a share of the plan: the lowest call there is, or the falta; return what is left."""
    lowest = _NONE
    for call in range(_FALTA, _ENVIDO - 1, -1):
        if mask[call]:
            lowest = call
    if lowest == _NONE:
        return rest
    falta = c.envido_bluff_falta if mask[_FALTA] else 0.0
    plan[_FALTA] += rest * share * falta
    plan[lowest] += rest * share * (1.0 - falta)
    return rest * (1.0 - share)


@hot_rule
def open_envido(s: Any, m: Any, c: Any, mask: Any, plan: Any, rest: float) -> float:
    """Plan an opening of the envido, if it should be made now; return the rest of the plan."""
    if not mask[_ENVIDO]:
        return rest
    told = c.beliefs.chain[chain(0, 0, s.rivals_to_play < s.rivals)]
    call = _best_call(s, m, c, mask, told, after(s, m, 0, 0))
    if call != _NONE:
        waits = s.rivals_to_play > 0 and s.waits == 0
        return take(plan, rest, call, 1.0 - c.envido_patience if waits else 1.0)
    return _bluff(c, mask, plan, rest, c.envido_bluff)


@rule
def answer_envido(s: Any, m: Any, c: Any, mask: Any, plan: Any) -> None:
    """Plan QUIERO, NO QUIERO or a raise: by the odds against what such a caller holds, and by what the stake is worth in the match."""
    told = c.beliefs.chain[chain(int(s.envidos), int(s.stake_them), False)]
    chance = max(_number_odds(s, m, told) - c.envido_caution, 0.0)
    accept, refuse = gamble(s, m, chance, int(s.stake_us), int(s.stake_them)), after(s, m, 0, int(s.refused))
    call = _best_call(s, m, c, mask, told, max(accept, refuse))
    least = least_defence(refuse, after(s, m, 0, 0), after(s, m, int(s.stake_us), 0))
    defends = _beaten(s, m) >= 1.0 - c.envido_defence * least
    rest = 1.0
    if call != _NONE:
        rest = take(plan, rest, call, 1.0 - c.envido_patience)
    if accept >= refuse or defends:
        plan[_QUIERO] += rest
    else:
        plan[_NO_QUIERO] += _bluff(c, mask, plan, rest, c.envido_bluff_raise)
