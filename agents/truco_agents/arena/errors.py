"""What can go wrong in the arena."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truco_env.errors import TrucoError

if TYPE_CHECKING:
    from truco_agents.arena.result import MatchResult


class ArenaError(TrucoError):
    """A comparison that cannot be played, or a result file that cannot be read."""


class UnfinishedError(ArenaError):
    """Play ended before all of it was done.

    Attributes:
        partial: the result on the finished beginning of the deal set, which is a deal set itself; None if there is none.
    """

    partial: MatchResult | None = None


class AgentFailedError(UnfinishedError):
    """An agent raised an exception, or answered something that is not a legal action for each row."""


class WorkerDiedError(UnfinishedError):
    """A worker process ended by itself; the arena cannot play on."""
