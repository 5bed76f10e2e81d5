"""What an agent is to the environments, and what agents check before they play."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from truco_env.errors import TrucoError
from truco_env.observation.arrays import check_masks, check_observations
from truco_env.observation.layout import layout_of
from truco_env.rules.actions import N_SENAS, Action
from truco_env.rules.options import Rules, describe_rules

_SENAS = slice(int(Action.SENA_AS_ESPADAS), int(Action.SENA_AS_ESPADAS) + N_SENAS)


class AgentError(TrucoError):
    """An agent that is not known, or cannot play at this table."""


@runtime_checkable
class Agent(Protocol):
    """A player that decides for many matches of one table at once. It sees only what the seat to act may see.

    An agent may play every seat of its side. ``rows`` are stable match numbers 0..size-1 of the caller, for agents with a memory:
    what an agent remembers of a row must be forgotten when ``start`` names that row.

    An agent that was made for one table should also have a method ``check_table(rules)`` that raises an ``AgentError`` for any other:
    whatever seats agents calls it.
    """

    name: str

    def start(self, rows: npt.NDArray[np.int64]) -> None:
        """New matches begin in ``rows`` (int64, any shape (k,))."""

    def act(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        rng: np.random.Generator,
        rows: npt.NDArray[np.int64],
    ) -> npt.NDArray[np.int64]:
        """Return a legal action per row.

        Args:
            observations: int8 (k, layout.size), each from the view of its seat to act; do not keep or change it.
            masks: int8 (k, N_ACTIONS), 1 where legal; every row has a legal action.
            rng: the only source of chance an agent may use.
            rows: int64 (k,), the matches these are.

        Returns:
            int64 (k,).
        """


@runtime_checkable
class Askable(Protocol):
    """An agent whose policy can be read: what it does is drawn from ``probabilities``, so it can be solved exactly."""

    def probabilities(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        rows: npt.NDArray[np.int64],
        seats: npt.NDArray[np.int8] | None = None,
    ) -> npt.NDArray[np.float64]:
        """Return the probability of every action at each decision.

        Args:
            observations: int8 (k, layout.size), as for ``Agent.act``.
            masks: int8 (k, N_ACTIONS), 1 where legal.
            rows: int64 (k,), the matches these are.
            seats: int8 (k,), the seats to act, for agents that remember each seat of a match apart.

        Returns:
            float64 (k, N_ACTIONS): 0 where not legal, every row sums to 1.
        """


def refuse_other_table(name: str, own: Rules, rules: Rules) -> None:
    """Refuse ``rules`` for an agent that was made for the table ``own``; a ``check_table`` for agents.

    Raises:
        AgentError: they are not the same.
    """
    if rules != own:
        raise AgentError(f"{name} was made for ({describe_rules(own)}), not for ({describe_rules(rules)})")


def check_views(
    name: str, own: Rules, observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Return observations and masks as contiguous int8 arrays, for an agent of the table ``own`` whose compiled code trusts their shape.

    Raises:
        AgentError: they are not int8 of shapes (k, layout.size) and (k, N_ACTIONS).
    """
    try:
        observations = check_observations(observations, layout_of(own).size)
        return observations, check_masks(masks, len(observations))
    except ValueError as error:
        raise AgentError(f"{name} cannot act: {error}") from None


def without_senas(masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Return a copy of ``masks``, int8 (k, N_ACTIONS), in which no seña is legal: what an agent that makes none chooses from."""
    masks = masks.copy()
    masks[:, _SENAS] = 0
    return masks
