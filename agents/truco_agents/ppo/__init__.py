"""Agents trained by PPO: their network, their files, and how they play. Training itself is in ``truco_agents.training``."""

from truco_agents.ppo.agent import PPOAgent, load_agent
from truco_agents.ppo.checkpoint import Checkpoint, CheckpointError, load
from truco_agents.ppo.network import Architecture, Network
from truco_env.players.protocol import register_loader

__all__ = ["Architecture", "Checkpoint", "CheckpointError", "Network", "PPOAgent", "load", "load_agent"]

register_loader(load_agent)
