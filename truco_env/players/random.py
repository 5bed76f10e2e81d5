"""The random player, the floor of every comparison."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from truco_env.observation.masks import pick_uniform


class RandomAgent:
    """Plays any legal action, each equally likely."""

    name = "random"

    def start(self, rows: npt.NDArray[np.int64]) -> None:
        """It remembers nothing."""

    def act(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        rng: np.random.Generator,
        rows: npt.NDArray[np.int64],
    ) -> npt.NDArray[np.int64]:
        """Return a legal action per row (see ``truco_env.players.protocol.Agent``)."""
        return pick_uniform(masks, rng)

    def probabilities(
        self,
        observations: npt.NDArray[np.int8],
        masks: npt.NDArray[np.int8],
        rows: npt.NDArray[np.int64],
        seats: npt.NDArray[np.int8] | None = None,
    ) -> npt.NDArray[np.float64]:
        """Return the probability of every action (see ``truco_env.players.protocol.Askable``)."""
        return np.asarray(masks / masks.sum(axis=1, dtype=np.float64, keepdims=True))
