"""OpponentPool: whom the learner meets. Fixed agents and snapshots of its own past, one drawn for each match."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from truco_agents.ppo.agent import PPOAgent
from truco_agents.ppo.checkpoint import Checkpoint, load
from truco_agents.training.config import Config
from truco_env.batch.learner import ITSELF, Episodes, LearnerBatch
from truco_env.players.protocol import Agent
from truco_env.players.registry import make_agent
from truco_env.rules.options import Rules

_MEMORY: Final = 0.95  #: what is left of a tally after an update
_SNAPSHOT: Final = re.compile(r"past-\d+")  # they are folders of a checkpoint
_LEAST: Final = 0.05  #: an opponent that always loses is taken to win so often


@dataclass
class Tally:
    """Matches against one opponent, older ones counting less.

    Attributes:
        matches: how many.
        won: how many of them the learner won; equal hands count half.
    """

    matches: float = 0.0
    won: float = 0.0

    @property
    def rate(self) -> float:
        """The learner's share of wins, drawn to one half where there are few matches."""
        return (self.won + 1.0) / (self.matches + 2.0)


class OpponentPool:
    """Draws opponents by weight; the draw itself and the matches are the batch's.

    Args:
        config: which agents, which partners, and how the learner's past is drawn.
        rules: the table.

    Attributes:
        tallies: recent results by name of the opponent.
        period: results by name since ``take_period``.
        fixed: the agents of the config by name, partners included.
    """

    def __init__(self, config: Config, rules: Rules) -> None:
        self.config = config.opponents
        self._partners = dict(config.partners)
        self.tallies: dict[str, Tally] = {}
        self.period: dict[str, Tally] = {}
        self.fixed: dict[str, Agent] = {name: make_agent(name, rules) for name in {**config.opponents.agents, **config.partners}}
        self._past: dict[str, PPOAgent] = {}
        self._steps: dict[str, int] = {}  # of the snapshots in the pool, oldest first
        self._names: dict[int, str] = {}

    @property
    def past(self) -> list[str]:
        """Names of the snapshots that new matches draw from, oldest first."""
        return list(self._steps)

    def add_snapshot(self, checkpoint: Checkpoint, steps: int) -> None:
        """Take the learner as it is now into the pool; where there are too many, one between two close neighbours leaves."""
        agent = PPOAgent(checkpoint)
        self._past[agent.name] = agent
        self._steps[agent.name] = steps
        names, times = list(self._steps), list(self._steps.values())
        if len(names) > self.config.past.keep:
            gaps = [times[i + 1] - times[i - 1] if i else times[1] for i in range(len(names) - 1)]
            del self._steps[names[int(np.argmin(gaps))]]

    def deal_out(self, batch: LearnerBatch) -> None:
        """Tell the batch whom new matches are to be played against; running ones keep their opponent."""
        agents, weights = self._members()
        if self._partners and not self._names:
            ids = batch.set_partners([self.fixed[name] for name in self._partners], list(self._partners.values()))
            self._names |= dict(zip(ids, self._partners, strict=True))
        ids = batch.set_opponents(list(agents.values()), weights, mirror=self.config.mirror)
        self._names |= dict(zip(ids, agents, strict=True))
        self._names = {i: name for i, name in self._names.items() if i in batch.agents}
        playing = {*self._names.values(), *self._steps}
        self._past = {name: agent for name, agent in self._past.items() if name in playing}
        self.tallies = {name: tally for name, tally in self.tallies.items() if name in self.fixed or name in playing}

    def _members(self) -> tuple[dict[str, Agent], list[float]]:
        if not (self.config.agents or self._steps):
            return {}, []
        share = self.config.past.share if self._steps else 0.0
        weights = (1.0 - share) * self._prioritise(self.config.agents, self.config.focus)
        agents: dict[str, Agent] = {name: self.fixed[name] for name in self.config.agents}
        if share:
            past = self._prioritise(dict.fromkeys(self._steps, 1.0), self.config.past.focus)
            weights = np.concatenate([weights, share * past])
            agents |= {name: self._past[name] for name in self._steps}
        return agents, weights.tolist()

    def _prioritise(self, weights: Mapping[str, float], focus: float) -> npt.NDArray[np.float64]:
        lost = np.array([1.0 - self.tallies.get(name, Tally()).rate for name in weights])
        shares = np.array(list(weights.values())) * np.maximum(lost, _LEAST) ** focus
        return np.asarray(shares / shares.sum()) if len(shares) else shares

    def record(self, episodes: Episodes) -> None:
        """Count the results of episodes that ended; those of the learner against itself say nothing."""
        for number, result in zip(episodes.opponents.tolist(), episodes.results.tolist(), strict=True):
            if number == ITSELF:
                continue
            name = self._names[number]
            for tallies in (self.tallies, self.period):
                tally = tallies.setdefault(name, Tally())
                tally.matches += 1.0
                tally.won += (result + 1.0) / 2.0

    def fade(self) -> None:
        """Let an update pass: older results count less."""
        for tally in self.tallies.values():
            tally.matches *= _MEMORY
            tally.won *= _MEMORY

    def take_period(self) -> dict[str, Tally]:
        """Return the results since the last call by name of the opponent, those against all snapshots as ``past``."""
        period: dict[str, Tally] = {}
        for name, tally in self.period.items():
            total = period.setdefault(name if name in self.fixed else "past", Tally())
            total.matches += tally.matches
            total.won += tally.won
        self.period = {}
        return period

    def save(self, folder: Path) -> dict[str, Any]:
        """Write the snapshots in use into ``folder``, and return the rest of the state as plain data."""
        for name, agent in self._past.items():
            agent.checkpoint.save(folder / name)
        return {
            "snapshots": list(self._past),
            "steps": dict(self._steps),
            "names": {str(i): name for i, name in self._names.items()},
            "tallies": _plain(self.tallies),
            "period": _plain(self.period),
        }

    def restore(self, folder: Path, state: Mapping[str, Any]) -> dict[int, Agent]:
        """Go back to what ``save`` wrote, and return the agents by the ids that the batch knew them by."""
        if not all(_SNAPSHOT.fullmatch(name) for name in state["snapshots"]):
            raise ValueError("a snapshot has a name that snapshots do not have")
        self._past = {name: PPOAgent(load(folder / name)) for name in state["snapshots"]}
        self._steps = dict(state["steps"])
        self._names = {int(i): name for i, name in state["names"].items()}
        self.tallies = {name: Tally(*values) for name, values in state["tallies"].items()}
        self.period = {name: Tally(*values) for name, values in state["period"].items()}
        return {i: self.fixed.get(name) or self._past[name] for i, name in self._names.items()}


def _plain(tallies: Mapping[str, Tally]) -> dict[str, list[float]]:
    return {name: [tally.matches, tally.won] for name, tally in tallies.items()}
