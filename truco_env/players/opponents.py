"""Opponents: from what a user writes (a name, an agent, several, with weights) to a pool to draw from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from truco_env.errors import TrucoError
from truco_env.players.protocol import Agent
from truco_env.players.registry import make_agent
from truco_env.rules.options import Rules

Opponents: TypeAlias = str | Agent | Sequence[str | Agent] | Mapping[str, float]
"""One agent or name, several (equally likely), or names with weights; a name is any text that ``make_agent`` takes."""


class PoolError(TrucoError):
    """A pool of opponents that cannot be: empty, or with wrong weights."""


class Pool(NamedTuple):
    """Agents and their weights (None: equal)."""

    agents: list[Agent]
    weights: list[float] | None


#: Nobody in particular: the team-mates are played by the opponent.
NOBODY: Final = Pool([], None)


def make_pool(opponents: Opponents | None, rules: Rules, role: str = "opponents") -> Pool:
    """Return the agents that ``opponents`` stands for, at a table, where ``None`` is nobody; ``role`` is what an error calls them.

    Raises:
        AgentError: a name that is not known.
        PoolError: none, or weights that are no numbers >= 0 with a sum above 0.
    """
    weights: list[float] | None = None
    if opponents is None:
        named: Sequence[str | Agent] = []
    elif isinstance(opponents, Mapping):
        named = list(opponents)
        weights = check_weights(list(opponents.values()), len(named))
    elif isinstance(opponents, str) or not isinstance(opponents, Sequence):
        named = [opponents]
    else:
        named = opponents
    if not named:
        raise PoolError(f"there are no {role}: give at least one agent")
    return Pool([_make(agent, rules) for agent in named], weights)


def check_weights(weights: Sequence[float], count: int) -> list[float]:
    """Return the weights of ``count`` agents.

    Raises:
        PoolError: they are not that many, or no numbers >= 0 with a sum above 0.
    """
    if len(weights) != count:
        raise PoolError(f"{len(weights)} weights for {count} agents: give one weight per agent")
    try:
        checked = [float(weight) for weight in weights]
    except (TypeError, ValueError):
        checked = [-1.0]
    if checked and not (all(0 <= weight < float("inf") for weight in checked) and sum(checked) > 0):
        raise PoolError(f"weights={list(weights)} must be numbers >= 0 with a sum above 0")
    return checked


def _make(agent: str | Agent, rules: Rules) -> Agent:
    if not isinstance(agent, str | Agent):
        raise PoolError(f"{agent!r} is no agent: give a name, or an object with name, start and act")
    return make_agent(agent, rules)
