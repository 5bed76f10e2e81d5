"""Tournaments: everybody against everybody on one deal set, the pay-off matrix, and Bradley-Terry ratings fitted to all of it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from truco_agents.arena.errors import ArenaError
from truco_agents.arena.estimate import CONFIDENCE, Estimate, estimate_rate
from truco_agents.arena.result import MatchResult

FORMAT: Final = "truco-env tournament 1"
ELO: Final = 400 / np.log(10)  #: Elo points of one unit of log odds

_RESAMPLES: Final = 1000
_NEWTON_STEPS: Final = 50
_LONGEST_STEP: Final = 2.0


@dataclass(frozen=True)
class Tournament:
    """The results of a round robin.

    Attributes:
        labels: the sides, in the order given.
        results: for i < j, side i against side j; all on the same deals. Pairings that were not finished are missing.
        anchor: the side whose rating is 0.
    """

    labels: tuple[str, ...]
    results: dict[tuple[int, int], MatchResult]
    anchor: int

    @property
    def complete(self) -> bool:
        """Whether every side has met every other, which ratings need."""
        return set(self.results) == set(itertools.combinations(range(len(self.labels)), 2))

    def win_rate(self, i: int, j: int) -> Estimate:
        """Share of matches that side i wins against side j."""
        return estimate_rate(self._group_wins(i, j))

    def ratings(self) -> list[Estimate]:
        """Return an Elo rating per side, by maximum likelihood of the Bradley-Terry model over all pairings.

        One drawn group is added to every pairing, so that a side that wins everything has a finite rating. The intervals come from
        resampling deal groups, the same groups for all pairings, since they were played on the same deals.
        """
        pairs = list(self.results)
        wins = np.stack([self._group_wins(i, j) for i, j in pairs], axis=1)
        groups = len(wins)
        rng = np.random.default_rng(next(iter(self.results.values())).seed)
        shares = [wins.mean(axis=0)]
        for _ in range(_RESAMPLES):
            shares.append(rng.multinomial(groups, np.full(groups, 1 / groups)) @ wins / groups)
        fitted = ELO * fit_bradley_terry(np.stack(shares), pairs, groups, self.anchor)
        tail = 50 * (1 - CONFIDENCE)
        low, high = np.percentile(fitted[1:], [tail, 100 - tail], axis=0)
        return [Estimate(float(fitted[0, i]), float(low[i]), float(high[i]), groups) for i in range(len(self.labels))]

    def to_dict(self) -> dict[str, Any]:
        """Return ratings (null if pairings are missing) and all results as plain data."""
        ratings = dict(zip(self.labels, map(asdict, self.ratings()), strict=True)) if self.complete else None
        return {
            "format": FORMAT,
            "sides": list(self.labels),
            "anchor": self.labels[self.anchor],
            "elo": ratings,
            "results": [result.to_dict() for result in self.results.values()],
        }

    def _group_wins(self, i: int, j: int) -> npt.NDArray[np.float64]:
        return self.results[i, j].group_wins if i < j else 1 - self.results[j, i].group_wins


def pairs_of(labels: Sequence[str]) -> list[tuple[int, int]]:
    """Return all pairs i < j of the sides of a tournament.

    Raises:
        ArenaError: fewer than two sides, or one twice.
    """
    if len(labels) < 2:
        raise ArenaError("a tournament needs two sides or more")
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if list(labels).count(label) > 1)
        raise ArenaError(f"{twice!r} is in the tournament twice")
    return list(itertools.combinations(range(len(labels)), 2))


def fit_bradley_terry(
    shares: npt.NDArray[np.float64], pairs: Sequence[tuple[int, int]], games: int, anchor: int
) -> npt.NDArray[np.float64]:
    """Fit log-odds strengths to win shares by Newton's method, for many samples at once.

    Args:
        shares: float64 (samples, pairs), share of games that ``pairs[k][0]`` won against ``pairs[k][1]``.
        pairs: the sides of each column; together they must connect all sides.
        games: number of games of each pair; one draw is added to them.
        anchor: the side whose strength is 0.

    Returns:
        float64 (samples, sides).
    """
    sides = 1 + max(max(pair) for pair in pairs)
    incidence = np.zeros((len(pairs), sides))
    for k, (i, j) in enumerate(pairs):
        incidence[k, i], incidence[k, j] = 1.0, -1.0
    free = np.delete(incidence, anchor, axis=1)
    target = (games * shares + 0.5) / (games + 1)
    strengths = np.zeros((len(shares), sides - 1))
    for _ in range(_NEWTON_STEPS):
        expected = 1 / (1 + np.exp(-strengths @ free.T))
        gradient = (target - expected) @ free
        curvature = np.einsum("sp,pi,pj->sij", expected * (1 - expected), free, free)
        step = np.linalg.solve(curvature, gradient[..., None])[..., 0]
        strengths += np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
        if np.abs(step).max() < 1e-10:
            break
    return np.insert(strengths, anchor, 0.0, axis=1)
