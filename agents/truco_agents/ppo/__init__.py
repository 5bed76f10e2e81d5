"""Agents trained by PPO: their network, their files, and how they play. Training itself is in ``truco_agents.training``."""

from truco_agents.ppo.agent import PPOAgent, load_agent
from truco_agents.ppo.checkpoint import Checkpoint, load
from truco_agents.ppo.errors import CheckpointError
from truco_agents.ppo.network import Architecture, Network

__all__ = ["Architecture", "Checkpoint", "CheckpointError", "Network", "PPOAgent", "load", "load_agent"]
