"""The result of a pairing: what happened in every deal group, the estimates made of it, and its file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from truco_agents.arena.errors import ArenaError
from truco_agents.arena.estimate import Estimate, estimate_difference, estimate_mean, estimate_rate, estimate_rate_difference
from truco_agents.arena.pairing import Scores
from truco_agents.arena.seating import seatings_of
from truco_env.rules.options import Rules

FORMAT: Final = "truco-env match 1"


@dataclass(frozen=True)
class MatchResult:
    """Side 0 (A) against side 1 (B) on a deal set; everything is seen from A.

    Attributes:
        rules: the table.
        episode: ``match`` or ``hand``.
        labels: the names of A and B.
        seed, digest: the deal set.
        scores: points, hands and wins by deal group and seating.
        made_with: versions, a hash of the engine and of each agent (see ``provenance_of``); empty in files of older versions.
    """

    rules: Rules
    episode: str
    labels: tuple[str, str]
    seed: int
    digest: str
    scores: Scores
    made_with: Mapping[str, Any] = field(default_factory=dict)

    @property
    def groups(self) -> int:
        """Number of deal groups, the sample size of every estimate."""
        return len(self.scores.points)

    @property
    def deals(self) -> str:
        """The deal set as printed: seed, count and the beginning of the digest."""
        return f"seed {self.seed} x {self.groups} #{self.digest[:12]}"

    @property
    def group_points(self) -> npt.NDArray[np.float64]:
        """Each group's part in the points per hand, float64 (groups,).

        Their mean is exactly all points (A minus B) over all hands; their spread is that of this ratio, to first order:
        ratio + (points - ratio * hands) / mean hands, with the points and hands of the group in all its seatings.
        """
        points, hands = self.scores.points.sum(axis=1), self.scores.hands.sum(axis=1)
        ratio = points.sum() / hands.sum()
        return np.asarray(ratio + (points - ratio * hands) / hands.mean())

    @property
    def group_wins(self) -> npt.NDArray[np.float64]:
        """A's share of wins in each group, float64 (groups,); equal sides have 0.5 at every table."""
        return np.asarray(self.scores.wins.mean(axis=1))

    def points_per_hand(self) -> Estimate:
        """Points that A wins more than B in a hand: all points over all hands."""
        return estimate_mean(self.group_points)

    def win_rate(self) -> Estimate:
        """Mean share of matches won by A (in hand episodes: of hands)."""
        return estimate_rate(self.group_wins)

    def hands_per_match(self) -> Estimate:
        """Mean number of hands of a match."""
        return estimate_mean(self.scores.hands.mean(axis=1))

    def win_rate_by_seating(self) -> dict[str, Estimate]:
        """Share of matches won by A by where A sits."""
        seatings = seatings_of(self.rules)
        return {seating.label: estimate_rate(self.scores.wins[:, k]) for k, seating in enumerate(seatings)}

    def seat_advantage(self) -> Estimate | None:
        """How much more of its matches A wins in the even seats than in the odd ones, paired by deal; None in gallo."""
        if self.rules.gallo:
            return None
        return estimate_rate_difference(self.scores.wins[:, 0], self.scores.wins[:, 1])

    def summary(self) -> dict[str, Any]:
        """Return every estimate as plain data, as in the file."""
        advantage = self.seat_advantage()
        return {
            "points_per_hand": asdict(self.points_per_hand()),
            "win_rate": asdict(self.win_rate()),
            "hands_per_match": asdict(self.hands_per_match()),
            "win_rate_by_seating": {where: asdict(rate) for where, rate in self.win_rate_by_seating().items()},
            "seat_advantage": None if advantage is None else asdict(advantage),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the whole result as plain data: what was played, every group, and the estimates."""
        return {
            "format": FORMAT,
            "rules": {"ruleset": self.rules.ruleset, "players": self.rules.players, "options": dict(self.rules.options)},
            "episode": self.episode,
            "sides": list(self.labels),
            "made_with": dict(self.made_with),
            "deals": {"seed": self.seed, "groups": self.groups, "sha256": self.digest},
            "seatings": [{"label": seating.label, "sides": list(seating.sides)} for seating in seatings_of(self.rules)],
            "summary": self.summary(),
            "group_means": {"points_per_hand": self.group_points.tolist(), "win_rate": self.group_wins.tolist()},
            "points": self.scores.points.tolist(),
            "hands": self.scores.hands.tolist(),
            "wins": self.scores.wins.tolist(),
        }

    @classmethod
    def from_dict(cls, data: object) -> MatchResult:
        """Return the result that ``to_dict`` made; estimates are computed anew.

        Raises:
            ArenaError: it is none.
        """
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise ArenaError(f"this is no arena result: its format is not {FORMAT!r}")
        try:
            table = data["rules"]
            rules = Rules(table["ruleset"], table["players"], **table["options"])
            scores = Scores(
                np.array(data["points"], dtype=np.float64),
                np.array(data["hands"], dtype=np.int64),
                np.array(data["wins"], dtype=np.float64),
            )
            shape = (int(data["deals"]["groups"]), len(seatings_of(rules)))
            first, second = (str(label) for label in data["sides"])
            seed, digest, made_with = int(data["deals"]["seed"]), str(data["deals"]["sha256"]), dict(data.get("made_with", {}))
            result = cls(rules, str(data["episode"]), (first, second), seed, digest, scores, made_with)
        except (KeyError, TypeError, ValueError) as error:
            raise ArenaError(f"this arena result is broken: {error}") from error
        if not scores.points.shape == scores.hands.shape == scores.wins.shape == shape:
            raise ArenaError(f"this arena result is broken: points, hands and wins must have the shape {shape}")
        return result


def compare(first: MatchResult, second: MatchResult) -> tuple[Estimate, Estimate]:
    """Return how much better A of ``first`` does than A of ``second``, paired by deal group: points per hand, win rate.

    Raises:
        ArenaError: they were not played on the same deals by the same rules.
    """
    for what, ours, theirs in (
        ("rules", first.rules, second.rules),
        ("episode", first.episode, second.episode),
        ("deal set", first.deals, second.deals),
    ):
        if ours != theirs:
            raise ArenaError(f"only results with the same {what} can be compared, not {ours} and {theirs}")
    return (
        estimate_difference(first.group_points, second.group_points),
        estimate_rate_difference(first.group_wins, second.group_wins),
    )


def load_result(path: Path) -> MatchResult:
    """Read a result that ``evaluate.py match --out`` wrote.

    Raises:
        ArenaError: the file is no such result.
        OSError: it cannot be read.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ArenaError(f"{path} is no JSON file: {error}") from error
    try:
        return MatchResult.from_dict(data)
    except ArenaError as error:
        raise ArenaError(f"{path}: {error}") from error
