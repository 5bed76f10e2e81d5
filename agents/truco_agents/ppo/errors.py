"""What can go wrong with a trained agent's files."""

from __future__ import annotations

from truco_env.players.protocol import AgentError


class CheckpointError(AgentError):
    """A checkpoint folder that cannot be read, is damaged, or was made for another table."""
