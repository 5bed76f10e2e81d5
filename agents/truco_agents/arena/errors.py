"""What can go wrong in the arena."""

from __future__ import annotations

from truco_env.errors import TrucoError


class ArenaError(TrucoError):
    """A comparison that cannot be played, or a result file that cannot be read."""
