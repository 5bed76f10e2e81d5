"""The rule-based agent: a character at a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.compile import entry
from agents.truquero.character import Character
from truco_env.actions import N_ACTIONS, Action
from truco_env.engine.compile import rule
from truco_env.observation import CARD_WIDTH, N_TIERS, F, layout_of
from truco_env.rules import Rules

_HAND, _HELD, _BEATS, _ENVIDO, _FLOR = (int(f) for f in (F.HAND, F.HELD, F.BEATS, F.ENVIDO, F.FLOR))
_DISCARD_0, _TRUCO, _JOC_FORA = int(Action.DISCARD_0), int(Action.TRUCO), int(Action.JOC_FORA)
_ENVIDO_CALL, _REAL, _FLOR_CALL = int(Action.ENVIDO), int(Action.REAL_ENVIDO), int(Action.FLOR)
_QUIERO, _NO_QUIERO, _CONTRAFLOR = int(Action.QUIERO), int(Action.NO_QUIERO), int(Action.CONTRAFLOR)
_FIRST_RAISE_OF_ENVIDO, _FALTA = int(Action.ENVIDO), int(Action.FALTA_ENVIDO)
_PHASE, _TRUCO_WAITS = int(F.PHASE), int(F.TRUCO_WAITS)


@rule
def _tier(o: Any, start: int) -> int:
    for tier in range(N_TIERS):
        if o[start + tier]:
            return tier + 1
    return 0


@rule
def _strength(o: Any, at: Any, slots: int) -> float:
    """Mean tier of the two best cards held, as 0-1."""
    best, second = 0, 0
    for slot in range(slots):
        if o[at[_HELD] + slot]:
            tier = _tier(o, at[_HAND] + slot * CARD_WIDTH)
            if tier > best:
                best, second = tier, best
            elif tier > second:
                second = tier
    return (0.6 * best + 0.4 * second) / 14.0


@rule
def _choose_card(o: Any, at: Any, slots: int, mask: Any) -> int:
    """The cheapest card that wins the trick, else the lowest."""
    choice, value = -1, 99
    for slot in range(slots):
        if slot < 3 and mask[slot]:
            tier = _tier(o, at[_HAND] + slot * CARD_WIDTH)
            rank = tier if o[at[_BEATS] + slot] else tier + 20
            if rank < value:
                choice, value = slot, rank
    return choice


@rule
def _decide(o: Any, mask: Any, at: Any, slots: int, character: Any, draw: float) -> int:
    strength = _strength(o, at, slots)
    bluff = draw < character[3]
    if mask[_FLOR_CALL]:
        return _FLOR_CALL
    if mask[_QUIERO] or mask[_NO_QUIERO]:
        if o[at[_PHASE] + 4]:  # truco
            wants = strength >= character[1]
            for raised in range(_TRUCO, _JOC_FORA + 1):
                if mask[raised] and (strength >= character[0] + 0.15):
                    return raised
            if mask[_ENVIDO_CALL] and o[at[_ENVIDO]] >= character[2]:
                return _ENVIDO_CALL
            return _QUIERO if wants else _NO_QUIERO
        wants = o[at[_FLOR]] >= 28 if o[at[_PHASE] + 1] else o[at[_ENVIDO]] >= character[2]
        if wants:
            return _QUIERO if mask[_QUIERO] else _CONTRAFLOR
        return _NO_QUIERO
    if mask[_ENVIDO_CALL] and (o[at[_ENVIDO]] >= character[2] or bluff):
        return _ENVIDO_CALL
    for rung in range(_TRUCO, _JOC_FORA + 1):
        if mask[rung] and (strength >= character[0] or bluff):
            return rung
    card = _choose_card(o, at, slots, mask)
    if card >= 0:
        return card
    for action in range(_DISCARD_0, N_ACTIONS):
        if mask[action]:
            return action
    return 0


@entry
def _act(observations: Any, masks: Any, at: Any, slots: int, character: Any, draws: Any, actions: Any) -> None:
    for k in range(len(observations)):
        actions[k] = _decide(observations[k], masks[k], at, slots, character, draws[k])


class Truquero:
    """A rule-based player: a character at a table.

    Args:
        character: how it plays.
        rules: the table.
    """

    def __init__(self, character: Character, rules: Rules) -> None:
        self.name = character.name
        self._layout = layout_of(rules)
        self._character = np.array([character.call, character.accept, character.envido, character.bluff])

    def start(self, rows: npt.NDArray[np.int64]) -> None:
        """It remembers nothing."""

    def act(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        rng: np.random.Generator,
        rows: npt.NDArray[np.int64],
    ) -> npt.NDArray[np.int64]:
        """Return a legal action per row (see ``truco_env.agent.Agent``)."""
        actions = np.empty(len(observations), dtype=np.int64)
        draws = rng.random(len(observations))
        _act(observations, masks, self._layout.offsets, self._layout.slots, self._character, draws, actions)
        return actions
