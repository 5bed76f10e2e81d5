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
from truco_agents.rule_based.habit import follow_habit
from truco_agents.rule_based.judge import judge
from truco_agents.rule_based.mesa import mesa_of
from truco_agents.rule_based.plan import draw
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
from truco_env.rules.actions import N_ACTIONS, Action
from truco_env.rules.options import Rules

_FLOR, _MAZO, _PASO = int(Action.FLOR), int(Action.MAZO), int(Action.PASO)


@hot_rule
def _decide(o: Any, at: Any, s: Any, m: Any, c: Any, mask: Any, plan: Any) -> None:
    """Plan the decision of the seat whose observation ``o`` is: how likely it takes each action."""
    plan[:] = 0.0
    look(o, at, int(m.players), s)
    if s.phase == DISCARDING:
        plan[choose_discard(o, at, s, m)] = 1.0
    elif s.phase == AT_TURN:
        _at_turn(s, m, c, mask, plan)
    elif s.phase == TRUCO_ASKED:
        rest = open_envido(s, m, c, mask, plan, 1.0)
        believe(s, c.beliefs)
        judge(s, m)
        answer_truco(s, m, c, mask, plan, rest)
    elif s.phase == ENVIDO_ASKED:
        answer_envido(s, m, c, mask, plan)
    elif s.phase == FLOR_ASKED:
        plan[answer_flor(s, m, c, mask)] = 1.0
    else:
        plan[_FLOR if mask[_FLOR] else _PASO] = 1.0
    if c.habit:
        follow_habit(s, c, mask, plan)


@hot_rule
def _at_turn(s: Any, m: Any, c: Any, mask: Any, plan: Any) -> None:
    if mask[_FLOR]:
        plan[_FLOR] = 1.0
        return
    if m.senas:
        sign = make_sena(s, mask)
        if sign >= 0:
            plan[sign] = 1.0
            return
    rest = open_envido(s, m, c, mask, plan, 1.0)
    if rest <= 0.0:
        return
    believe(s, c.beliefs)
    judge(s, m)
    rest = call_truco(s, m, c, mask, plan, rest)
    lost = mask[_MAZO] and s.trick > 0 and s.chance <= 0.0
    plan[_MAZO if lost else int(s.held[s.choice])] += rest


@rule
def _is_within(o: Any, low: Any, high: Any) -> bool:
    """Whether every entry is within its bounds: indices are read from them."""
    beyond = False
    for i in range(len(low)):
        beyond |= (o[i] < low[i]) | (o[i] > high[i])
    return not beyond


@entry
def _plan_rows(observations: Any, masks: Any, at: Any, low: Any, high: Any, mesa: Any, character: Any, scratch: Any, plans: Any) -> int:
    """Write a plan per row and return -1; or the first row whose observation is none."""
    for k in range(len(observations)):
        if not _is_within(observations[k], low, high):
            return k
        _decide(observations[k], at, scratch[0], mesa[0], character[0], masks[k], plans[k])
    return -1


@entry
def _act_rows(
    observations: Any, masks: Any, at: Any, low: Any, high: Any, mesa: Any, character: Any, scratch: Any, draws: Any, actions: Any
) -> int:
    """Write an action per row and return -1; or the first row whose observation is none."""
    plan = np.empty(N_ACTIONS, dtype=np.float64)
    for k in range(len(observations)):
        if not _is_within(observations[k], low, high):
            return k
        _decide(observations[k], at, scratch[0], mesa[0], character[0], masks[k], plan)
        actions[k] = draw(plan, draws[k])
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
        observations, masks = self._checked(observations, masks)
        actions = np.empty(len(observations), dtype=np.int64)
        self._refuse(_act_rows(observations, masks, *self._table(), rng.random(len(observations)), actions))
        return actions

    def probabilities(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        rows: npt.NDArray[np.int64],
        seats: npt.NDArray[np.int8] | None = None,
    ) -> npt.NDArray[np.float64]:
        """Return how likely each action is (see ``truco_env.players.protocol.Askable``)."""
        observations, masks = self._checked(observations, masks)
        plans = np.empty((len(observations), N_ACTIONS), dtype=np.float64)
        self._refuse(_plan_rows(observations, masks, *self._table(), plans))
        return plans

    def _table(self) -> tuple[Any, Any, Any, Any, Any, Any]:
        return self._layout.offsets, *self._bounds, self._mesa, self._character, np.zeros(1, dtype=SIGHT_DTYPE)

    def _refuse(self, row: int) -> None:
        if row >= 0:
            raise AgentError(f"{self.name} cannot act: observation {row} has entries that no observation of its table has")

    def _checked(
        self, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        observations, masks = check_views(self.name, self.rules, observations, masks)
        return observations, without_senas(masks) if self.mute else masks
