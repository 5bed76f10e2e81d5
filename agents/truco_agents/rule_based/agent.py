"""The rule-based agent: a character at a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from truco_agents.rule_based.beliefs import believe
from truco_agents.rule_based.character import Character
from truco_agents.rule_based.discard import choose_discard
from truco_agents.rule_based.envido import answer_envido, open_envido
from truco_agents.rule_based.flor import answer_flor
from truco_agents.rule_based.judge import judge
from truco_agents.rule_based.mesa import mesa_of
from truco_agents.rule_based.senas import make_sena
from truco_agents.rule_based.sight import (
    AT_TURN,
    DISCARDING,
    ENVIDO_ASKED,
    FLOR_ASKED,
    SIGHT_DTYPE,
    TRUCO_ASKED,
    look,
)
from truco_agents.rule_based.truco import answer_truco, call_truco
from truco_env.engine.jit import JIT, entry, hot_rule, rule
from truco_env.observation.layout import layout_of
from truco_env.players.protocol import AgentError, check_views, refuse_other_table, without_senas
from truco_env.rules.actions import Action
from truco_env.rules.options import Rules

_FLOR, _MAZO, _PASO = int(Action.FLOR), int(Action.MAZO), int(Action.PASO)
_DRAWS = 4  #: random numbers a decision may use


@hot_rule
def _decide(s: Any, m: Any, c: Any, mask: Any, draws: Any) -> int:
    if s.phase == AT_TURN:
        return _at_turn(s, m, c, mask, draws)
    if s.phase == TRUCO_ASKED:
        call = open_envido(s, m, c, mask, draws)
        if call >= 0:
            return call
        believe(s, c.beliefs)
        judge(s, m)
        return answer_truco(s, m, c, mask, draws)
    if s.phase == ENVIDO_ASKED:
        return answer_envido(s, m, c, mask, draws)
    if s.phase == FLOR_ASKED:
        return answer_flor(s, m, c, mask)
    return _FLOR if mask[_FLOR] else _PASO


@hot_rule
def _at_turn(s: Any, m: Any, c: Any, mask: Any, draws: Any) -> int:
    if mask[_FLOR]:
        return _FLOR
    if m.senas:
        sign = make_sena(s, mask)
        if sign >= 0:
            return sign
    call = open_envido(s, m, c, mask, draws)
    if call >= 0:
        return call
    believe(s, c.beliefs)
    judge(s, m)
    call = call_truco(s, m, c, mask, draws)
    if call >= 0:
        return call
    if mask[_MAZO] and s.trick > 0 and s.chance <= 0.0:
        return _MAZO
    return int(s.held[s.choice])


@rule
def _is_within(o: Any, low: Any, high: Any) -> bool:
    """Whether every entry is within its bounds: indices are read from them."""
    beyond = False
    for i in range(len(low)):
        beyond |= (o[i] < low[i]) | (o[i] > high[i])
    return not beyond


@entry
def _act(
    observations: Any, masks: Any, at: Any, low: Any, high: Any, mesa: Any, character: Any, draws: Any, scratch: Any, actions: Any
) -> int:
    """Write an action per row and return -1; or the first row whose observation is none."""
    m, c, s = mesa[0], character[0], scratch[0]
    for k in range(len(observations)):
        if not _is_within(observations[k], low, high):
            return k
        look(observations[k], at, int(m.players), s)
        if s.phase == DISCARDING:
            actions[k] = choose_discard(observations[k], at, s, m)
        else:
            actions[k] = _decide(s, m, c, masks[k], draws[k])
    return -1


class Truquero:
    """A rule-based player: a character at a table.

    Args:
        character: how it plays.
        rules: the table.
        mute: make no señas.

    Raises:
        AgentError: numba's compiler is off.
    """

    def __init__(self, character: Character, rules: Rules, *, mute: bool = False) -> None:
        if not JIT:
            raise AgentError(f"{character.name} needs numba's compiler: unset NUMBA_DISABLE_JIT")
        self.name = f"{character.name}:mute" if mute else character.name
        self.rules = rules
        self.mute = mute
        self._layout = layout_of(rules)
        self._bounds = self._layout.low, self._layout.high
        self._mesa = mesa_of(rules)
        self._character = character.record

    def check_table(self, rules: Rules) -> None:
        """Refuse any table but its own.

        Raises:
            AgentError: it was made for another.
        """
        refuse_other_table(self.name, self.rules, rules)

    def start(self, rows: npt.NDArray[np.int64]) -> None:
        """It remembers nothing."""

    def act(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        rng: np.random.Generator,
        rows: npt.NDArray[np.int64],
    ) -> npt.NDArray[np.int64]:
        """Return a legal action per row (see ``truco_env.players.protocol.Agent``)."""
        observations, masks = check_views(self.name, self.rules, observations, masks)
        if self.mute:
            masks = without_senas(masks)
        actions = np.empty(len(observations), dtype=np.int64)
        draws = rng.random((len(observations), _DRAWS))
        scratch = np.zeros(1, dtype=SIGHT_DTYPE)
        wrong = _act(observations, masks, self._layout.offsets, *self._bounds, self._mesa, self._character, draws, scratch, actions)
        if wrong >= 0:
            raise AgentError(f"{self.name} cannot act: observation {wrong} has entries that no observation of its table has")
        return actions
