"""Agents trained by PPO: their network, their files, and how they play. Training itself is in ``agents.training``."""

from agents.ppo.agent import PPOAgent, load_agent
from agents.ppo.checkpoint import Checkpoint, CheckpointError, load
from agents.ppo.network import Architecture, Network
from truco_env.agent import register_loader

__all__ = ["Architecture", "Checkpoint", "CheckpointError", "Network", "PPOAgent", "load", "load_agent"]

register_loader(load_agent)
