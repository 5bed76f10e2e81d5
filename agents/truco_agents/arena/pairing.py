"""A pairing: two sides on one deal set, played chunk by chunk. A chunk's result depends on nothing but the pairing and its number."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from truco_agents.arena.deals import DealSet
from truco_agents.arena.errors import AgentFailedError, ArenaError
from truco_agents.arena.seating import Side, check_side, member_table, seatings_of
from truco_env.batch.batch import Batch
from truco_env.batch.rewards import EPISODES
from truco_env.errors import TrucoError
from truco_env.players.protocol import Agent
from truco_env.players.registry import make_agent

_LONGEST_REPORT: Final = 500  #: characters of what an agent raised


class StoppedError(Exception):
    """The play of a chunk was given up because its caller asked so."""


@dataclass(frozen=True)
class Scores:
    """What happened, one row for each deal group and one column for each seating.

    Attributes:
        points: float64 (groups, seatings), points of side 0 minus points of side 1; in gallo the means over their accounts.
        hands: int64 (groups, seatings), hands played.
        wins: float64 (groups, seatings), side 0's share of the win: 1 or 0, less than 1 for a shared match; in hand episodes 1, 0.5
            or 0 for more, as many or fewer points than the other side.
    """

    points: npt.NDArray[np.float64]
    hands: npt.NDArray[np.int64]
    wins: npt.NDArray[np.float64]

    @staticmethod
    def join(parts: Sequence[Scores]) -> Scores:
        """Return the groups of all parts, in order."""
        return Scores(
            np.concatenate([part.points for part in parts]),
            np.concatenate([part.hands for part in parts]),
            np.concatenate([part.wins for part in parts]),
        )


@dataclass(frozen=True)
class Pairing:
    """Two sides that meet on a deal set.

    Raises:
        ArenaError: a side that does not fit the table, or an unknown episode.
    """

    deals: DealSet
    sides: tuple[Side, Side]
    episode: str = "match"

    def __post_init__(self) -> None:
        for side in self.sides:
            check_side(side, self.deals.rules)
        if self.episode not in EPISODES:
            raise ArenaError(f"episode={self.episode!r} is not known: choose one of {', '.join(EPISODES)}")

    def make_agents(self) -> list[Agent]:
        """Return one agent for each member, side 0's first.

        Raises:
            AgentError: unknown, or unable to play at this table.
        """
        return [make_agent(member, self.deals.rules) for side in self.sides for member in side.members]

    def play_chunk(self, chunk: int, agents: Sequence[Agent], *, stop: Callable[[], bool] | None = None) -> Scores:
        """Play the groups of a chunk in every seating.

        Args:
            chunk: its number.
            agents: from ``make_agents``; what they remember of earlier matches must not matter.
            stop: asked at every step whether to give up.

        Raises:
            AgentFailedError: an agent raised, or did not answer with a legal action for each of its rows.
            StoppedError: ``stop`` said so.
        """
        seatings = seatings_of(self.deals.rules)
        seeds = np.repeat(self.deals.chunk_seeds(chunk), len(seatings))
        sizes = (len(self.sides[0].members), len(self.sides[1].members))
        tables = np.array([member_table(sizes, seating) for seating in seatings])
        owners = np.tile(tables, (len(seeds) // len(seatings), 1))
        generators = [self.deals.agent_generator(chunk, side, member) for side in (0, 1) for member in range(sizes[side])]
        points, hands, winners = self._play(seeds, owners, agents, generators, stop)
        return self._score(points, hands, winners)

    def _play(
        self,
        seeds: npt.NDArray[np.uint64],
        owners: npt.NDArray[np.int64],
        agents: Sequence[Agent],
        generators: Sequence[np.random.Generator],
        stop: Callable[[], bool] | None,
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Play one match per seed to its end; return by match the points by account, the hands and the winning accounts."""
        batch = Batch(self.deals.rules, len(seeds), episode=self.episode, reward="points")
        rows = np.arange(len(seeds), dtype=np.int64)
        batch.reset_rows(rows, seeds)
        for agent in agents:
            with _blamed_on(agent):
                agent.start(rows)
        points = np.zeros(batch.rewards.shape)
        while len(rows):
            if stop is not None and stop():
                raise StoppedError
            actions = np.empty(len(rows), dtype=np.int64)
            acting = owners[rows, batch.seats[rows]]
            for index, agent in enumerate(agents):
                mine = np.flatnonzero(acting == index)
                if len(mine):
                    actions[mine] = _ask(agent, batch, rows[mine], generators[index])
            self._step(batch, rows, actions, agents, acting)
            points[rows] += batch.rewards[rows]
            rows = rows[~batch.done[rows]]
        return points, batch.hands.astype(np.int64), batch.winners.astype(np.int64)

    def _step(
        self,
        batch: Batch,
        rows: npt.NDArray[np.int64],
        actions: npt.NDArray[np.int64],
        agents: Sequence[Agent],
        acting: npt.NDArray[np.int64],
    ) -> None:
        try:
            batch.step_rows(rows, actions)
        except TrucoError as error:
            legal = (actions >= 0) & (actions < batch.masks.shape[1])
            legal[legal] = batch.masks[rows[legal], actions[legal]] == 1
            culprit = agents[acting[int(np.argmin(legal))]].name
            raise AgentFailedError(f"agent {culprit!r} made an illegal move: {error}") from error

    def _score(self, points: npt.NDArray[np.float64], hands: npt.NDArray[np.int64], winners: npt.NDArray[np.int64]) -> Scores:
        seatings = seatings_of(self.deals.rules)
        shape = (-1, len(seatings))
        accounts = np.array([seating.account for seating in seatings])
        signs = np.array([1.0 if seating.first else -1.0 for seating in seatings])
        by_account = points.reshape(-1, len(seatings), points.shape[1])
        gained = signs * np.take_along_axis(by_account, accounts[None, :, None], axis=2)[:, :, 0]
        if self.episode == "hand":
            wins = np.where(gained > 0, 1.0, np.where(gained < 0, 0.0, 0.5))
        else:
            masks = np.array([seating.accounts for seating in seatings])
            won = winners.reshape(shape)
            wins = _count_bits(won & masks) / _count_bits(won)
        return Scores(gained, hands.reshape(shape), wins)


def _ask(agent: Agent, batch: Batch, rows: npt.NDArray[np.int64], rng: np.random.Generator) -> npt.NDArray[Any]:
    """Return an agent's answer for the matches in ``rows``: one integer for each, legal or not."""
    with _blamed_on(agent):
        answer = np.asarray(agent.act(batch.observations[rows], batch.masks[rows], rng, rows))
    if answer.shape != rows.shape or answer.dtype.kind not in "iu":
        raise AgentFailedError(
            f"agent {agent.name!r} returned {answer.dtype} of shape {answer.shape}: it must return one integer per row, {rows.shape}"
        )
    return answer


@contextmanager
def _blamed_on(agent: Agent) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        told = " ".join(f"{type(error).__name__}: {error}".split())
        where = f"{Path(place.filename).name}, line {place.lineno}"
        raise AgentFailedError(f"agent {agent.name!r} raised {told[:_LONGEST_REPORT]} ({where})") from error


def _count_bits(masks: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    bits = (masks[..., None] >> np.arange(3)) & 1
    return np.asarray(bits.sum(axis=-1), dtype=np.float64)
