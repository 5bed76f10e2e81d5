"""Truco card games as environments for reinforcement learning.

The names below are loaded when they are first used, so that ``import truco_env`` costs next to nothing. Importing it registers
``truco_env/Truco-v0`` with Gymnasium, and ``truco_env/truco-v0`` with PettingZoo where that has a registry.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import gymnasium
import pettingzoo

if TYPE_CHECKING:
    from truco_env import truco_v0
    from truco_env.batch.batch import Batch
    from truco_env.batch.learner import LearnerBatch
    from truco_env.envs.gym import TrucoGym
    from truco_env.envs.vector import TrucoVector
    from truco_env.errors import IllegalActionError, TrucoError
    from truco_env.game.game import Game
    from truco_env.game.view import View
    from truco_env.observation.layout import Layout, decode, layout_of
    from truco_env.observation.masks import pick_uniform
    from truco_env.players.protocol import Agent, AgentError
    from truco_env.players.registry import agent_names, make_agent, register_agent
    from truco_env.render.ansi import render_ansi
    from truco_env.rules.actions import N_ACTIONS, Action
    from truco_env.rules.options import RULESETS, Rules

__version__: Final = "0.1.0"

_HOMES: Final = {
    "N_ACTIONS": "rules.actions",
    "Action": "rules.actions",
    "Agent": "players.protocol",
    "AgentError": "players.protocol",
    "agent_names": "players.registry",
    "make_agent": "players.registry",
    "register_agent": "players.registry",
    "Batch": "batch.batch",
    "pick_uniform": "observation.masks",
    "LearnerBatch": "batch.learner",
    "TrucoGym": "envs.gym",
    "TrucoVector": "envs.vector",
    "IllegalActionError": "errors",
    "TrucoError": "errors",
    "Game": "game.game",
    "Layout": "observation.layout",
    "decode": "observation.layout",
    "layout_of": "observation.layout",
    "render_ansi": "render.ansi",
    "RULESETS": "rules.options",
    "Rules": "rules.options",
    "View": "game.view",
}

__all__ = [
    "N_ACTIONS",
    "RULESETS",
    "Action",
    "Agent",
    "AgentError",
    "Batch",
    "Game",
    "IllegalActionError",
    "Layout",
    "LearnerBatch",
    "Rules",
    "TrucoError",
    "TrucoGym",
    "TrucoVector",
    "View",
    "__version__",
    "agent_names",
    "decode",
    "layout_of",
    "make_agent",
    "pick_uniform",
    "register_agent",
    "render_ansi",
    "truco_v0",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is not None:
        value = getattr(import_module(f"truco_env.{home}"), name)
    elif name == "truco_v0":
        value = import_module("truco_env.truco_v0")
    else:
        raise AttributeError(f"module 'truco_env' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})


gymnasium.register(
    id="truco_env/Truco-v0",
    entry_point="truco_env.envs.gym:TrucoGym",
    vector_entry_point="truco_env.envs.vector:TrucoVector",
)
if hasattr(pettingzoo, "register"):
    pettingzoo.register("aec", "truco_env/truco-v0", entry_point="truco_env.truco_v0:env")
