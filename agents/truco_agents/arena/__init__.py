"""The arena: agents compared on deal groups, the same deals in every seating of the two sides.

>>> from truco_agents.arena import play_match
>>> from truco_env.rules.options import Rules
>>> result = play_match("random", "random", Rules("trucomano"), groups=2)
>>> result.win_rate().count
2
"""

from __future__ import annotations

from truco_agents.arena.arena import Arena, ArenaInterrupt, Progress
from truco_agents.arena.deals import DealSet
from truco_agents.arena.errors import AgentFailedError, ArenaError, UnfinishedError
from truco_agents.arena.estimate import Estimate
from truco_agents.arena.pairing import Pairing, Scores
from truco_agents.arena.result import MatchResult, compare, load_result
from truco_agents.arena.seating import Seating, Side, SideLike, seatings_of, side_of
from truco_env.rules.options import Rules

__all__ = [
    "AgentFailedError",
    "Arena",
    "ArenaError",
    "ArenaInterrupt",
    "DealSet",
    "Estimate",
    "MatchResult",
    "Pairing",
    "Scores",
    "Seating",
    "Side",
    "UnfinishedError",
    "compare",
    "load_result",
    "play_match",
    "seatings_of",
    "side_of",
]


def play_match(
    a: SideLike,
    b: SideLike,
    rules: Rules,
    *,
    groups: int = 1000,
    seed: int = 0,
    episode: str = "match",
    workers: int = 1,
    progress: Progress | None = None,
) -> MatchResult:
    """Play side ``a`` against side ``b`` on a deal set.

    Args:
        a: an agent, a name, a checkpoint folder, text like ``"x+y"`` for a mixed team, or a sequence with one agent per seat.
        b: likewise.
        rules: the table.
        groups: number of deal groups.
        seed: names the deal set.
        episode: ``match``, or ``hand`` for single hands from 0-0.
        workers: processes; they do not change the result.
        progress: told how many more deal groups are finished.

    Raises:
        AgentError: an agent is unknown or cannot play at this table.
        ArenaError: sides that do not fit the table.
        UnfinishedError: an agent failed, or a worker process died.
    """
    pairing = Pairing(DealSet(rules, seed, groups), (side_of(a), side_of(b)), episode)
    with Arena(workers=workers) as arena:
        return arena.play(pairing, progress=progress)
