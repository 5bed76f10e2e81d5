"""Players for ``truco_env``: importing this package makes their names known to ``truco_env.players.protocol.make_agent``."""

import truco_agents.ppo  # noqa: F401 - checkpoint folders are agents too
from truco_agents.registry import AGENTS, AgentInfo, describe, register_all

__all__ = ["AGENTS", "AgentInfo", "describe", "register_all"]

register_all()
