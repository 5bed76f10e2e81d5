"""The names of the built-in agents, and what is known about each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from truco_agents.rule_based.agent import Truquero
from truco_agents.rule_based.character import CHARACTERS
from truco_env.players.protocol import Agent, register_agent, register_loader
from truco_env.players.random import RandomAgent
from truco_env.rules.options import Rules


@dataclass(frozen=True)
class AgentInfo:
    """What a user wants to know of an agent before choosing it.

    Attributes:
        name: the name for ``make_agent``.
        factory: builds it for a table.
        stochastic: whether it draws from the generator it is given.
        memory: whether it remembers anything from one decision to the next.
        summary: one line.
    """

    name: str
    factory: Callable[[Rules], Agent]
    stochastic: bool
    memory: bool
    summary: str


def _random(rules: Rules) -> Agent:
    return RandomAgent()


def _truquero(name: str) -> Callable[[Rules], Agent]:
    return lambda rules: Truquero(CHARACTERS[name], rules)


#: The built-in agents by name.
AGENTS: Final[dict[str, AgentInfo]] = {
    info.name: info
    for info in (
        AgentInfo("random", _random, True, False, "any legal action, each equally likely"),
        *(AgentInfo(name, _truquero(name), True, False, character.summary) for name, character in CHARACTERS.items()),
    )
}


def _load_mute(text: str, rules: Rules) -> Agent | None:
    """Turn ``NAME:mute`` into a rule-based player that makes no señas."""
    name, _, word = text.rpartition(":")
    return Truquero(CHARACTERS[name], rules, mute=True) if word == "mute" and name in CHARACTERS else None


def register_all() -> None:
    """Make every built-in agent known to ``truco_env.players.protocol.make_agent``."""
    for info in AGENTS.values():
        register_agent(info.name, info.factory)
    register_loader(_load_mute)


def describe() -> str:
    """Return the built-in agents as a table of text, one a line."""
    width = max(map(len, AGENTS))
    return "\n".join(f"{info.name:<{width}}  {info.summary}" for info in AGENTS.values())
